// Tests counting by ranges of codes against counting row by row.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CodeGroup, countByGroup, groupOf } from '../../../src/collectors/request-log/count-codes.ts';

const GROUPS = 1_800;
const code = fc.oneof(
  fc.constant(200),
  fc.constantFrom(2010, 2011, 3101, 4221, 301, 999, 9999, 100, 1000),
  fc.integer({ min: 100, max: 9_999 }),
);
/** A number that is no code of the provider. */
const noCode = fc.constantFrom(null, 0, 99, 10_000);
const rows = fc.array(fc.oneof({ weight: 20, arbitrary: code }, { weight: 1, arbitrary: noCode }), {
  maxLength: 200,
});

const oracle = (codes: readonly (number | null)[]): Map<CodeGroup, number> => {
  const counts = new Map<CodeGroup, number>();
  for (const each of codes) {
    const group = each === null ? undefined : groupOf(each);
    if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
};

const byGroup = (counts: ReadonlyMap<CodeGroup, number>) => [...counts].sort(([a], [b]) => a - b);

/** Answers from the rows, and counts the requests. */
const provider = (codes: readonly (number | null)[]) => {
  const state = { requests: 0 };
  const ask = async ({ minCode, maxCode }: { minCode: number; maxCode: number }): Promise<number> => {
    state.requests += 1;
    return codes.filter((each) => each !== null && each >= minCode && each <= maxCode).length;
  };
  return { ask, state };
};

it('counts are those of the rows, with requests that grow with the number of codes and not of rows', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.array(code, { maxLength: 10 }), async (codes, seen) => {
      const likely = seen.map((each) => groupOf(each) as CodeGroup);
      const { ask, state } = provider(codes);
      const expected = oracle(codes);
      expect(byGroup(await countByGroup(ask, codes.length, likely))).toEqual(byGroup(expected));
      const unlikely = [...expected.keys()].filter((group) => group !== 200 && !likely.includes(group));
      const ofLikely = 2 + new Set(likely).size;
      expect(state.requests).toBeLessThanOrEqual(ofLikely + unlikely.length * Math.ceil(Math.log2(GROUPS)));
    }),
  );
});

it('without errors it asks once, and with known codes once for each', async () => {
  const successes = provider([200, 200]);
  await countByGroup(successes.ask, 2, [groupOf(4221) as CodeGroup]);
  expect(successes.state.requests).toBe(1);
  const known = provider([200, 4221, 4220, 2011]);
  await countByGroup(
    known.ask,
    4,
    [4221, 2011].map((each) => groupOf(each) as CodeGroup),
  );
  expect(known.state.requests).toBe(3);
});
