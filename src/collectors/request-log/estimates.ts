// Estimates the errors and bytes of proxy users, host names and classes from a sample of the failed requests.

import type { LogRow } from '../../provider/resources/request-log.ts';
import type { SampledSum, SampleKind } from '../../store/request-log-store.ts';
import { classOfCode } from './classes.ts';

export interface Sample {
  /** Failed requests, each once. */
  readonly rows: readonly LogRow[];
  /** All failed requests of the time of the sample, of which `rows` are a part or all. */
  readonly errors: number;
  /** Whether each failed request was equally likely to be in the sample. */
  readonly isRandom: boolean;
}

interface Sums {
  readonly kind: SampleKind;
  readonly name: string;
  readonly class: string;
  rows: number;
  sized: number;
  bytes: number;
  squares: number;
}

export const estimate = (sample: Sample): SampledSum[] => {
  const groups = new Map<string, Sums>();
  for (const row of sample.rows) {
    const refusal = classOfCode(row.code) ?? '';
    const names = { user: row.user ?? '', hostname: row.hostname ?? '', class: '' };
    for (const [kind, name] of Object.entries(names)) add(groups, kind as SampleKind, name, refusal, row);
  }
  return [...groups.values()].map((sums) => estimateOf(sums, sample));
};

const add = (
  groups: Map<string, Sums>,
  kind: SampleKind,
  name: string,
  refusal: string,
  { bytes }: LogRow,
) => {
  const key = JSON.stringify([kind, name, refusal]);
  const sums = groups.get(key) ?? {
    ...{ kind, name, class: refusal },
    ...{ rows: 0, sized: 0, bytes: 0, squares: 0 },
  };
  groups.set(key, sums);
  sums.rows += 1;
  if (bytes === null) return;
  sums.sized += 1;
  sums.bytes += bytes;
  sums.squares += bytes * bytes;
};

const estimateOf = (sums: Sums, sample: Sample): SampledSum => {
  const errors = total(sample, sums.rows, sums.rows);
  // Without the bytes of some rows, those of all are not known.
  const bytes = sums.sized === sums.rows ? total(sample, sums.bytes, sums.squares) : NOT_KNOWN;
  return {
    ...{ kind: sums.kind, name: sums.name, class: sums.class },
    ...{ errors: errors.value ?? 0, errorsVariance: errors.variance },
    ...{ bytes: bytes.value, bytesVariance: bytes.variance },
  };
};

const NOT_KNOWN = { value: null, variance: null };

/**
 * Estimates a sum over all errors from the sum and the squares in the sample, with the variance of a sample without repetition
 * from a finite number. The variance is null if the sample is too small or not random.
 */
const total = (
  { rows: { length: n }, errors, isRandom }: Sample,
  sum: number,
  squares: number,
): { readonly value: number; readonly variance: number | null } => {
  const value = (errors * sum) / n;
  if (n >= errors) return { value, variance: 0 };
  if (!isRandom || n < 2) return { value, variance: null };
  const spread = Math.max(0, squares - (sum * sum) / n) / (n - 1);
  return { value, variance: (errors * (errors - n) * spread) / n };
};

/** Returns the half width of the interval that has the true value with a probability of 95 %. */
export const marginOf = <V extends number | null>(variance: V): V =>
  (variance === null ? null : 1.96 * Math.sqrt(variance)) as V;
