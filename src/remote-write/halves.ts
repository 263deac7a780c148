// Splits a batch in two, by series or by time.

import { type Batch, type Sample, withSamples } from './series.ts';

/** The older half is first. Both have samples. */
export type Halves = readonly [Batch, Batch];

/** Returns two halves of a batch of at least two samples: of its series, or of its time if it has only one series. */
export const halvesBySeries = (batch: Batch): Halves => {
  if (batch.length === 1) return halvesByTime(batch);
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)];
};

/** Returns the same by time, or by series if all samples have the same time. A series has no time twice. */
export const halvesByTime = (batch: Batch): Halves => {
  const times = batch.flatMap(({ samples }) => samples.map(({ at }) => at)).toSorted((a, b) => a - b);
  const middle = times[times.length >> 1];
  const start = middle === times[0] ? times.find((at) => at !== middle) : middle;
  if (start === undefined) return halvesBySeries(batch);
  const isNewer = ({ at }: Sample): boolean => at >= start;
  return [withSamples(batch, (sample) => !isNewer(sample)), withSamples(batch, isNewer)];
};
