// Tests the price of a byte by the size of a purchase.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { priceOptions } from '../../../src/collectors/prices/options.ts';
import { pricePerByte } from '../../../src/collectors/prices/spend.ts';

const GB = 1e9;
const TIERS = [{ up_to: 10, price: 4 }, { up_to: 100, price: 3 }, { price: 2 }];
const volume = priceOptions.parse({ residential: { tiers: TIERS } });
const graduated = priceOptions.parse({ residential: { type: 'graduated', tiers: TIERS } });

it('a price without tiers needs no purchase, and its unit is GB or GiB', () => {
  const options = { residential: 3.5 };
  expect(pricePerByte(priceOptions.parse(options), 'residential', undefined)).toBe(3.5 / GB);
  expect(pricePerByte(priceOptions.parse({ ...options, per: 'GiB' }), 'residential', undefined)).toBe(
    3.5 / 2 ** 30,
  );
  expect(pricePerByte(priceOptions.parse({ residential: 0 }), 'residential', undefined)).toBe(0);
  expect(pricePerByte(priceOptions.parse(options), 'mobile', undefined)).toBeUndefined();
});

it.each([
  [10 * GB, 4, 4],
  [10 * GB + 1, 3, 4],
  [100 * GB, 3, 3.1],
  [1_000 * GB, 2, 2.11],
])('a purchase of %d bytes costs %d a GB by volume, and about %d graduated', (bytes, byVolume, byParts) => {
  expect((pricePerByte(volume, 'residential', bytes) ?? 0) * GB).toBeCloseTo(byVolume, 9);
  expect((pricePerByte(graduated, 'residential', bytes) ?? 0) * GB).toBeCloseTo(byParts, 6);
});

it('the price is unknown without a purchase, and above the last tier', () => {
  const bounded = priceOptions.parse({ residential: { tiers: [{ up_to: 10, price: 4 }] } });
  expect(pricePerByte(volume, 'residential', undefined)).toBeUndefined();
  expect(pricePerByte(bounded, 'residential', 11 * GB)).toBeUndefined();
});

it('a graduated total is that of buying the units one after the other', {
  timeout: 10_000,
}, () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), (units) => {
      let total = 0;
      for (let unit = 1; unit <= units; unit += 1)
        total += TIERS.find(({ up_to: end = Infinity }) => unit <= end)?.price ?? 0;
      expect((pricePerByte(graduated, 'residential', units * GB) ?? 0) * units * GB).toBeCloseTo(total, 6);
    }),
  );
});

it.each([
  [{}],
  [{ residential: { tiers: [] } }],
  [{ residential: { tiers: [{ price: 1 }, { up_to: 2, price: 1 }] } }],
  [
    {
      residential: {
        tiers: [
          { up_to: 3, price: 1 },
          { up_to: 3, price: 1 },
        ],
      },
    },
  ],
  [{ residential: -1 }],
  [{ residential: 1, budget: { day: 0 } }],
])('the options %j are a mistake', (options) => {
  expect(priceOptions.safeParse(options).success).toBe(false);
});
