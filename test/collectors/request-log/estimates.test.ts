// Tests estimates from samples against worlds whose errors are all known.

import { expect, it } from 'vitest';
import { estimate, marginOf } from '../../../src/collectors/request-log/estimates.ts';
import type { LogRow } from '../../../src/provider/resources/request-log.ts';
import { draw as drawNumber } from '../../../src/simulator/random.ts';
import type { SampledSum } from '../../../src/store/request-log-store.ts';

const WORLDS = 400;
const ERRORS = 3_000;
const SAMPLE = 500;

const rowOf = (id: number, random: () => number): LogRow => ({
  ...{ id: String(id), at: 0, productType: 'isp', code: 2011, hostname: 'www.example.com', client: null },
  user: ['alice', 'bob', 'carol'][Math.floor(random() ** 2 * 3)] ?? null,
  bytes: Math.floor(200 + 2_000 * random() ** 3),
});

const draw = (rows: readonly LogRow[], size: number, random: () => number): LogRow[] => {
  const left = [...rows];
  return Array.from({ length: size }, () => left.splice(Math.floor(random() * left.length), 1)[0] as LogRow);
};

const ofUser = (sums: readonly SampledSum[], user: string): SampledSum =>
  sums.find(({ kind, name }) => kind === 'user' && name === user) as SampledSum;

const isWithin = (estimated: number | null, variance: number | null, truth: number): boolean =>
  Math.abs((estimated ?? Number.NaN) - truth) <= (marginOf(variance) ?? Number.NaN);

it('a random sample has the truth in its interval in about 95 % of the worlds', () => {
  let numbers = 0;
  const random = () => {
    numbers += 1;
    return drawNumber(38, numbers);
  };
  const hits = { alice: 0, carol: 0 };
  const ratios: number[] = [];
  for (let world = 0; world < WORLDS; world += 1) {
    const all = Array.from({ length: ERRORS }, (_, id) => rowOf(id, random));
    const sums = estimate({ rows: draw(all, SAMPLE, random), errors: ERRORS });
    for (const user of ['alice', 'carol'] as const) {
      const { errors, errorsVariance } = ofUser(sums, user);
      const truth = all.filter((row) => row.user === user).length;
      hits[user] += Number(isWithin(errors, errorsVariance, truth));
    }
    const { bytes } = sums.find(({ kind }) => kind === 'class') as SampledSum;
    const truth = all.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
    ratios.push((bytes ?? 0) / truth);
  }
  expect(ratios.reduce((sum, ratio) => sum + ratio) / WORLDS).toBeCloseTo(1, 2);
  for (const [name, count] of Object.entries(hits)) {
    expect([name, count / WORLDS > 0.92]).toEqual([name, true]);
    expect([name, count / WORLDS < 0.98]).toEqual([name, true]);
  }
});

it('all errors have no sampling error', () => {
  const rows = Array.from({ length: 7 }, (_, id) => rowOf(id, () => 0.1));
  expect(estimate({ rows, errors: 7 })).toContainEqual(
    expect.objectContaining({ kind: 'user', name: 'alice', errors: 7, errorsVariance: 0 }),
  );
});

it('a single row does not say how wrong it is', () => {
  const sample = { rows: [rowOf(1, () => 0.1)], errors: 70 };
  expect(ofUser(estimate(sample), 'alice')).toMatchObject({ errors: 70, errorsVariance: null });
});

it('without the bytes of a row, those of its group are not known', () => {
  const rows = [rowOf(1, () => 0.1), { ...rowOf(2, () => 0.1), bytes: null }, rowOf(3, () => 0.7)];
  const sums = estimate({ rows, errors: 3 });
  expect(ofUser(sums, 'alice').bytes).toBeNull();
  expect(ofUser(sums, 'bob').bytes).toBeGreaterThan(0);
});
