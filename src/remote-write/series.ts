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

export const sampleCount = (batch: Batch): number =>
  batch.reduce((count, { samples }) => count + samples.length, 0);

/** Returns the series as receivers must get them: labels sorted by name, none of them empty, samples in order of time. */
export const inOrder = ({ labels, samples }: Series): Series => ({
  labels: labels.filter(([, value]) => value !== '').toSorted(([a], [b]) => (a < b ? -1 : 1)),
  samples: samples.toSorted((a, b) => a.at - b.at),
});

/**
 * Returns two halves of a batch of at least two samples: of its series, or of the samples of its only series, where the
 * older half comes first.
 */
export const halvesOf = (batch: Batch): readonly [Batch, Batch] => {
  const [first, ...others] = batch;
  if (!first || others.length > 0) return splitAt(batch, Math.ceil(batch.length / 2));
  const [older, newer] = splitAt(first.samples, Math.ceil(first.samples.length / 2));
  return [[{ ...first, samples: older }], [{ ...first, samples: newer }]];
};

const splitAt = <T>(list: readonly T[], index: number): readonly [readonly T[], readonly T[]] => [
  list.slice(0, index),
  list.slice(index),
];
