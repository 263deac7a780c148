// Estimates the errors and bytes of proxy users, host names and classes from a sample of the failed requests.

import type { LogRow } from '../../provider/resources/request-log.ts';
import type { SampledSum, SampleKind } from '../../store/request-log-store.ts';
import { classOfCode } from './classes.ts';

export interface Sample {
  /** Failed requests, each once: all of them, or each one with the same probability. */
  readonly rows: readonly LogRow[];
  /** All failed requests of the time of the sample, of which `rows` are a part or all. */
  readonly errors: number;
}

interface Group extends Pick<SampledSum, 'kind' | 'name' | 'class'> {
  rows: number;
  /** Without the bytes of some rows, those of all are not known. */
  bytes: number | null;
}

export const estimate = (sample: Sample): SampledSum[] => {
  const groups = new Map<string, Group>();
  for (const row of sample.rows) {
    const refusal = classOfCode(row.code) ?? '';
    const names = { user: row.user ?? '', hostname: row.hostname ?? '', class: '' };
    for (const [kind, name] of Object.entries(names)) {
      const key = JSON.stringify([kind, name, refusal]);
      const group = groups.get(key) ?? {
        ...{ kind: kind as SampleKind, name, class: refusal },
        ...{ rows: 0, bytes: 0 },
      };
      groups.set(key, group);
      group.rows += 1;
      group.bytes = group.bytes === null || row.bytes === null ? null : group.bytes + row.bytes;
    }
  }
  const factor = sample.errors / sample.rows.length;
  return [...groups.values()].map(({ rows, bytes, ...group }) => ({
    ...{ ...group, errors: factor * rows, errorsVariance: varianceOf(rows, sample) },
    bytes: bytes === null ? null : factor * bytes,
  }));
};

/** Returns the variance of an estimate of errors from a sample without repetition; null if the sample is too small. */
const varianceOf = (found: number, { rows: { length: n }, errors }: Sample): number | null => {
  if (n >= errors) return 0;
  return n < 2 ? null : (errors * (errors - n) * (found - (found * found) / n)) / (n - 1) / n;
};

/** Returns the half width of the interval that has the true value with a probability of 95 %. */
export const marginOf = (variance: number | null): number | null =>
  variance === null ? null : 1.96 * Math.sqrt(variance);
