// Metric families and the sink that samples are written to: the words in which every reading speaks.

export interface Family<L extends string = string> {
  /** Full name; counters end in `_total`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Source, unit, and that the value is polled. */
  readonly help: string;
  /** Label names in the order they are written, without `account`, which the sink adds. */
  readonly labels: readonly L[];
}

/** Cumulative histogram: `counts[i]` results at or below `bounds[i]`, `count` in all. */
export interface HistogramValue {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** Takes the samples of one account; families may come in any order and interleaved. */
export interface SampleSink {
  /** An undefined or null value is left out: a value the provider did not give has no sample. */
  sample<L extends string>(
    family: Family<L>,
    labels: Readonly<Record<L, string>>,
    value: number | null | undefined,
  ): void;
  histogram<L extends string>(
    family: Family<L>,
    labels: Readonly<Record<L, string>>,
    value: HistogramValue,
  ): void;
  /** Resolves when what was written is compressed far enough; await it between pages of long readings. */
  drain(): Promise<void>;
}

export const counter = <L extends string>(name: string, help: string, labels: readonly L[]): Family<L> => ({
  name,
  type: 'counter',
  help,
  labels,
});

export const gauge = <L extends string>(name: string, help: string, labels: readonly L[]): Family<L> => ({
  name,
  type: 'gauge',
  help,
  labels,
});

export const histogram = <L extends string>(name: string, help: string, labels: readonly L[]): Family<L> => ({
  name,
  type: 'histogram',
  help,
  labels,
});
