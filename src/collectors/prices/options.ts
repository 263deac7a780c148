// Defines the options of the prices collector: what a gigabyte costs, and the budgets.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import { PERIOD_UNITS, type PeriodUnit } from '../../lib/calendar.ts';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';

const amount = z.number().min(0);

const tiered = z
  .strictObject({
    type: z
      .enum(['volume', 'graduated'])
      .default('volume')
      .describe(
        'Whether the whole purchase has the price of its last tier (volume), or each part the price of its own tier (graduated)',
      ),
    tiers: z
      .array(
        z.strictObject({
          up_to: z
            .number()
            .positive()
            .optional()
            .describe('Largest quantity of the tier, in the unit of `per`. The last tier may have none'),
          price: amount.describe('Price of one unit of `per` in this tier'),
        }),
      )
      .min(1)
      .refine(areAscending, 'expected tiers with ascending up_to; only the last one may have none')
      .describe('Prices by the size of a purchase, from the smallest to the largest'),
  })
  .describe('Prices by tiers. The size of the newest purchase in the ledger decides which tier applies');
export type TieredPrice = z.output<typeof tiered>;

function areAscending(tiers: readonly { readonly up_to?: number | undefined }[]): boolean {
  const ends = tiers.map(({ up_to: end }, index) => end ?? (index === tiers.length - 1 ? Infinity : 0));
  return ends.every((end, index) => end > (ends[index - 1] ?? 0));
}

const priceOf = (type: MeteredType) =>
  z
    .union([amount, tiered])
    .optional()
    .describe(`Price of one unit of \`per\` of ${type} data, in units of \`currency\` of the account`);

const budgetOf = (unit: PeriodUnit) =>
  z.number().positive().optional().describe(`Most money to spend in a ${unit}, in units of \`currency\``);

const options = z.strictObject({
  schedule: cronExpression()
    .default('*/10 * * * *')
    .describe('Schedule for adding up the cost. It sends no requests'),
  per: z
    .enum(['GB', 'GiB'])
    .default('GB')
    .describe(
      'Unit of the prices: 10^9 (GB) or 2^30 (GiB) bytes. The provider does not document which it sells',
    ),
  residential: priceOf('residential'),
  mobile: priceOf('mobile'),
  budget: z
    .strictObject(Object.fromEntries(PERIOD_UNITS.map((unit) => [unit, budgetOf(unit)])) as Budgets)
    .prefault({})
    .describe('Budgets for all product types together. Weeks begin on Monday'),
});

export const priceOptions = options.refine(
  (given) => METERED_TYPES.some((type) => given[type] !== undefined),
  `expected a price: set ${METERED_TYPES.join(' or ')}`,
);
type Budgets = Readonly<Record<PeriodUnit, ReturnType<typeof budgetOf>>>;
export type PriceOptions = z.output<typeof priceOptions>;

export const pricedTypes = (options: PriceOptions): MeteredType[] =>
  METERED_TYPES.filter((type) => options[type] !== undefined);

/** Whether a price depends on the purchases in a ledger. */
export const hasTiers = (options: PriceOptions): boolean =>
  METERED_TYPES.some((type) => typeof options[type] === 'object');
