// Defines what remote write sends: series with samples, and how a batch of them is split.

export interface Sample {
  /** ms since the epoch. */
  readonly at: number;
  readonly value: number;
}

export interface Series {
  /** Includes the name as `__name__`. No name occurs twice. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly samples: readonly Sample[];
}

export type Batch = readonly Series[];

export const nameOf = (labels: Series['labels']): string =>
  labels.find(([name]) => name === '__name__')?.[1] ?? '';

export const sampleCount = (batch: Batch): number =>
  batch.reduce((count, { samples }) => count + samples.length, 0);

/** Returns the series as receivers must get them: labels sorted by name, none of them empty, samples in order of time. */
export const inOrder = (series: Series): Series => {
  // Most series are in order. The sender and the encoder both call this, so a copy each time would double the work.
  if (isInOrder(series)) return series;
  const { labels, samples } = series;
  return {
    labels: labels.filter(([, value]) => value !== '').toSorted(([a], [b]) => (a < b ? -1 : 1)),
    samples: samples.toSorted((a, b) => a.at - b.at),
  };
};

const isInOrder = ({ labels, samples }: Series): boolean =>
  labels.every(([name, value], index) => value !== '' && name > (labels[index - 1]?.[0] ?? '')) &&
  samples.every(({ at }, index) => at >= (samples[index - 1]?.at ?? at));

/** Returns the samples that match, without the series that have none. */
export const withSamples = (
  batch: Batch,
  matches: (sample: Sample, labels: Series['labels']) => boolean,
): Batch =>
  batch.flatMap(({ labels, samples }) => {
    const kept = samples.filter((sample) => matches(sample, labels));
    return kept.length > 0 ? [{ labels, samples: kept }] : [];
  });

/** Returns the batch with each series once. The samples of a series may need `inOrder`. */
export const joined = (batch: Batch): Batch =>
  [...Map.groupBy(batch, ({ labels }) => labels)].map(([labels, parts]) => ({
    labels,
    samples: parts.flatMap(({ samples }) => samples),
  }));

/** Returns the time of the oldest sample (ms). The series must be in order. */
export const oldestOf = (batch: Batch): number =>
  Math.min(...batch.map(({ samples }) => samples[0]?.at ?? Number.POSITIVE_INFINITY));

/** Returns the same of the newest sample. */
export const newestOf = (batch: Batch): number =>
  Math.max(...batch.map(({ samples }) => samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY));
