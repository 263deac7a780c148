// Tests the counters of cost in drawn lives: bytes grow, and prices, currencies and sources change.

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeFolder, openStore } from './support.ts';

const step = fc.record({
  growth: fc.integer({ min: 0, max: 1_000_000 }),
  pricePerByte: fc.constantFrom(0, 0.25, 0.5),
  currency: fc.constantFrom('EUR', 'USD'),
  source: fc.constantFrom('ledger', 'usage'),
  isReopened: fc.boolean(),
});

it('a byte costs what was configured before it was counted, and no cost falls', {
  timeout: 30_000,
}, async () => {
  const folder = makeFolder();
  let lives = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      lives += 1;
      const path = join(folder, `${lives}.db`);
      let store = openStore(path);
      const counters = { ledger: 0, usage: 0 };
      const expected = new Map<string, number>();
      let last: (typeof steps)[number] | undefined;
      for (const each of steps) {
        const { growth, pricePerByte, currency, source } = each;
        counters[source] += growth;
        if (each.isReopened) {
          store[Symbol.dispose]();
          store = openStore(path);
        }
        const before = await store.prices.costs('main');
        await store.prices.count('main', {
          ...{ productType: 'mobile', source, currency, pricePerByte, bytes: counters[source] },
        });
        // What another source counted meanwhile is not known to be of any price.
        if (last?.source === source)
          expected.set(last.currency, (expected.get(last.currency) ?? 0) + growth * last.pricePerByte);
        expected.set(currency, expected.get(currency) ?? 0);
        last = each;
        const after = await store.prices.costs('main');
        expect(Object.fromEntries(after.map(({ currency, cost }) => [currency, cost]))).toEqual(
          Object.fromEntries(expected),
        );
        for (const { currency, cost } of before)
          expect(after.find((sum) => sum.currency === currency)?.cost).toBeGreaterThanOrEqual(cost);
      }
      store[Symbol.dispose]();
    }),
    { numRuns: 40 },
  );
});

it('a counter that begins again costs nothing for what it had', async () => {
  using store = openStore(join(makeFolder(), 'state.db'));
  const counted = { productType: 'mobile', source: 'ledger', currency: 'USD', pricePerByte: 2 } as const;
  for (const bytes of [100, 150, 20, 30]) await store.prices.count('main', { ...counted, bytes });
  expect(await store.prices.costs('main')).toEqual([{ productType: 'mobile', currency: 'USD', cost: 120 }]);
});
