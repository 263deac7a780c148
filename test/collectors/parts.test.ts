// Parts of a run side by side: what they skip adds up, and one that fails alone leaves the others be.

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectParts } from '../../src/collectors/parts.ts';
import { ProviderError } from '../../src/provider/errors.ts';

const rejected = new ProviderError('rejected', 'analytics/graph', 'no');

/** Each part skips as many items as it is; those below 0 are rejected. */
const collect = (items: readonly number[], limit: number) =>
  collectParts({
    items,
    limit,
    nameOf: String,
    collect: async (item) => {
      await setImmediate();
      if (item < 0) throw rejected;
      return item;
    },
  });

it.each([1, 2, 5])('what %i at once skip adds up, beside those that fail', async (limit) => {
  expect(await collect([1, 2, -3, 4, 5], limit)).toEqual({
    skipped: 12,
    failedParts: [{ part: '-3', error: rejected }],
  });
});

it('a run of which every part failed has failed', async () => {
  await expect(collect([-1, -2], 2)).rejects.toBe(rejected);
  expect(await collect([], 2)).toEqual({ skipped: 0, failedParts: [] });
});
