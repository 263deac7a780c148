// Serves GET /api/v1/cost: what residential and mobile bytes cost, by the prices of the configuration.

import { z } from 'zod';
import type { PriceOptions } from '../../collectors/prices/options.ts';
import { readPrices, readSpend, type Spend, totalOf, UNIT_BYTES } from '../../collectors/prices/spend.ts';
import type { PeriodUnit } from '../../lib/calendar.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import type { ChargedBytes } from '../../store/log-summary-store.ts';
import type { AccountView } from '../daemon-view.ts';
import { accountItemOf, currency, itemOf, orNull, text } from './item.ts';
import { shortListRoute } from './list-route.ts';
import { revisionOfParts } from './route.ts';

type StoredAccount = Pick<AccountView, 'settings' | 'store'>;

const byPeriod = z.strictObject({ day: orNull.amount, week: orNull.amount, month: orNull.amount });

const typeCost = itemOf<TypeCost>()('TypeCost', () => ({
  product_type: z.enum(METERED_TYPES),
  source: z.enum(['ledger', 'usage']).nullable().describe('Where the used bytes are from'),
  read_at: orNull.time.describe('When they were read. Null if they are not known completely'),
  price: orNull.amount.describe('Cents for one unit of `per`. Null if no purchase shows which tier applies'),
  per: text.describe('GB (10^9 bytes) or GiB (2^30 bytes)'),
  spend: byPeriod,
  bytes_per_day: orNull.amount.describe('Average of the last 7 full days'),
  cost_per_day: orNull.amount.describe('What they cost'),
  month_forecast: orNull.amount,
  left_bytes: orNull.amount,
  left_value: orNull.amount.describe('What the bytes that are left cost'),
}));

type Amounts = z.output<typeof byPeriod>;

type TypeCost = ReturnType<typeof typeCostOf>;

interface Cost {
  readonly currency: string;
  readonly spend: Amounts;
  readonly budget: Amounts;
  readonly monthForecast: number | null;
  readonly productTypes: readonly TypeCost[];
}

export const { schema: cost, json: costJson } = accountItemOf<Cost>()('Cost', (from) => ({
  currency,
  spend: from(
    byPeriod.describe(
      'Cost of the present day, week and month so far. Null if that of a product type is unknown',
    ),
    'spend',
  ),
  budget: from(byPeriod.describe('Null without a budget'), 'budget'),
  month_forecast: orNull.amount.describe('Cost of the month if each further day costs the average'),
  product_types: from(z.array(typeCost.schema), ({ productTypes }) => productTypes.map(typeCost.json)),
}));

/** Converts amounts in units of the currency to cents. */
const amountsOf = (amounts: Partial<Record<PeriodUnit, number | undefined>>): Amounts => ({
  day: centsOf(amounts.day),
  week: centsOf(amounts.week),
  month: centsOf(amounts.month),
});

/** Rounds to a ten-thousandth of a cent, so that no digits are shown that computers add. */
const centsOf = (amount: number | undefined): number | null =>
  amount === undefined ? null : Math.round(amount * 1e6) / 1e4;

const typeCostOf = (spend: Spend, per: PriceOptions['per']) => {
  const { type: productType, pricePerByte: price, use, bytesPerDay } = spend;
  const costOf = (bytes: number | undefined): number | null =>
    bytes === undefined || price === undefined ? null : centsOf(bytes * price);
  return {
    ...{ productType, source: use?.source, readAt: use?.readAt, per, bytesPerDay },
    price: costOf(UNIT_BYTES[per]),
    spend: amountsOf(spend.byPeriod),
    costPerDay: costOf(bytesPerDay),
    monthForecast: centsOf(spend.monthForecast),
    ...{ leftBytes: use?.leftBytes, leftValue: costOf(use?.leftBytes) },
  };
};

const readCost = async ({ settings, store }: StoredAccount): Promise<Cost[]> => {
  const { prices } = settings;
  if (!prices) return [];
  const spends = await readSpend({ account: settings, store, options: prices });
  const total = (period: PeriodUnit) => totalOf(spends, ({ byPeriod: of }) => of[period]);
  return [
    {
      currency: settings.currency,
      spend: amountsOf({ day: total('day'), week: total('week'), month: total('month') }),
      budget: amountsOf(prices.budget),
      monthForecast: centsOf(totalOf(spends, ({ monthForecast }) => monthForecast)),
      productTypes: spends.map((spend) => typeCostOf(spend, prices.per)),
    },
  ];
};

export const costOfCharged = orNull.amount.describe(
  'Cost of the charged bytes that are sold by the byte, at the present prices, in cents. Null if there are none, or if a price is unknown',
);
export type CostOf = (charged: ChargedBytes | undefined) => number | null;

/** Returns a function that computes what charged bytes cost now, in cents. */
export const readCostOf = async ({ settings, store }: StoredAccount): Promise<CostOf> => {
  const options = settings.prices;
  const prices = options ? await readPrices({ account: settings, store, options }) : undefined;
  return (charged) => {
    const costs = METERED_TYPES.map((type) => {
      const bytes = charged?.[type] ?? null;
      return bytes === null ? null : bytes === 0 ? 0 : bytes * (prices?.get(type) ?? Number.NaN);
    }).filter((each) => each !== null);
    const sum = costs.reduce((all, each) => all + each, 0);
    return costs.length === 0 || prices === undefined || Number.isNaN(sum) ? null : centsOf(sum);
  };
};

export const COST_ROUTE = shortListRoute({
  path: '/api/v1/cost',
  collector: 'prices',
  summary: 'Cost of residential and mobile bytes, budgets, and the value of the balance',
  query: {},
  item: cost,
  revision: revisionOfParts(['prices', 'ledgers', 'logSummaries']),
  items: readCost,
  idOf: () => '',
  toJson: costJson,
});
