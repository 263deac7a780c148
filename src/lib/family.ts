// Defines metric families, values of labels, and the sink to which collectors and alerts write their samples.

import { hash } from 'node:crypto';

export interface Family<L extends string = string> {
  /** The full name. Names of counters end in `_total`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The HELP text: meaning, unit and source, and why a series can be missing. */
  readonly help: string;
  /** Label names in the order in which they are written, without `account`, which the sink adds. */
  readonly labels: readonly L[];
  /** Whether its values follow from other families. It is shown only with the setting `metrics.derived_counters`. */
  readonly isDerived?: true;
}

/** A cumulative histogram: `counts[i]` values are at or below `bounds[i]`, and `count` is the number of all values. */
export interface HistogramValue {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** Receives the samples of one account. Families may come in any order and interleaved. */
export interface SampleSink {
  /** Leaves out an undefined or null value, because a value that the provider did not give has no sample. */
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
  /** Resolves when enough of the written samples is compressed. Await it between the pages of a long query. */
  drain(): Promise<void>;
  /** Undefined if the sink does not keep what was written. */
  readonly blocks?: SampleBlocks | undefined;
}

/** Divides the first samples of a part into blocks of items, so that the next rendering can repeat items and blocks. */
export interface SampleBlocks {
  /** Begins the list `list` of blocks. Returns whether those of `before` can be repeated, because the part shows them. */
  begin(list: object, before: object | undefined): boolean;
  /** Begins the item at this place of the block. Items before it that were not written are those of the block before. */
  beginItem(place: number): void;
  /** Ends the item whose samples were written since it began. */
  endItem(): void;
  /** Ends a block of so many items. */
  endBlock(items: number): void;
  /** Ends the list. Samples that belong to no item follow. */
  close(): void;
}

/**
 * At most 4 KiB, because a character has at most four bytes. VictoriaMetrics drops series with a longer value of a label
 * (`-maxLabelValueLen`), without an error.
 */
export const MAX_LABEL_CHARACTERS = 1_024;

/** Returns the value of a label for a text of the provider. The end of one that is too long becomes a hash of the whole. */
export const labelValue = (text: string): string =>
  text.length <= MAX_LABEL_CHARACTERS
    ? text
    : `${text.slice(0, KEPT_CHARACTERS).replace(HALF_CHARACTER, '')}…${hash('sha256', text).slice(0, 16)}`;

const KEPT_CHARACTERS = 1_000;
const HALF_CHARACTER = /[\ud800-\udbff]$/;

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
