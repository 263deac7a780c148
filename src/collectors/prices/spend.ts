// Computes what an account spends in a day, week and month at the prices of now. What is not known is undefined.

import { PERIOD_UNITS, type PeriodUnit, periodWith } from '../../lib/calendar.ts';
import { localDayOf } from '../../lib/local-days.ts';
import type { MeteredType } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import type { ReadContext } from '../context.ts';
import { dateBefore, type MeteredUse, newestPurchase, readMeteredUse } from './metered-use.ts';
import { type PriceOptions, pricedTypes, type TieredPrice } from './options.ts';

/** The days whose use makes the average. */
const AVERAGE_DAYS = 7;

type Context = Pick<ReadContext<PriceOptions>, 'account' | 'store' | 'options'>;

/** A product type of the configuration. Amounts are in units of the currency. */
export interface PricedType {
  readonly type: MeteredType;
  readonly pricePerByte: number | undefined;
  readonly use: MeteredUse | undefined;
}

export interface Spend extends PricedType {
  readonly byPeriod: Partial<Record<PeriodUnit, number>>;
  /** The average use of a day in bytes, over the last 7 full days, or those since the first known one. */
  readonly bytesPerDay: number | undefined;
  /** What will be spent in the month if each further day is like the average. */
  readonly monthForecast: number | undefined;
}

export const readPrices = async (context: Context): Promise<Map<MeteredType, number | undefined>> => {
  const prices = new Map<MeteredType, number | undefined>();
  for (const type of pricedTypes(context.options)) {
    const isTiered = typeof context.options[type] === 'object';
    const purchase = isTiered ? await newestPurchase(context, type) : undefined;
    prices.set(type, pricePerByte(context.options, type, purchase));
  }
  return prices;
};

export const readPricedTypes = async (context: Context): Promise<PricedType[]> => {
  const types: PricedType[] = [];
  for (const [type, price] of await readPrices(context))
    types.push({ type, pricePerByte: price, use: await readMeteredUse(context, type) });
  return types;
};

/** Returns the spend of each product type. The day, week and month are those of the newest data of all types. */
export const readSpend = async (context: Context): Promise<Spend[]> => {
  const types = await readPricedTypes(context);
  const newest = Math.max(...types.map(({ use }) => use?.readAt ?? 0));
  const spends: Spend[] = [];
  for (const each of types) spends.push(await spendOf(each, newest, context.account.time_zone));
  return spends;
};

const spendOf = async (priced: PricedType, newest: number, zone: string): Promise<Spend> => {
  const { use, pricePerByte: price } = priced;
  if (!use || price === undefined)
    return { ...priced, byPeriod: {}, bytesPerDay: undefined, monthForecast: undefined };
  const today = localDayOf(zone, use.readAt);
  const current = localDayOf(zone, newest);
  const periods = PERIOD_UNITS.map((unit) => periodWith(unit, current, zone));
  const from = [dateBefore(today, AVERAGE_DAYS), ...periods.map(({ dates }) => dates[0] ?? '')].sort()[0];
  const bytesOn = await use.daysFrom(from ?? '');
  const lastDate = dateBefore(today, 0);
  const byPeriod: Spend['byPeriod'] = {};
  for (const { unit, dates, from: start } of periods) {
    // What was last read before the period says nothing about it.
    const bytes =
      use.readAt < start
        ? undefined
        : sumOf(
            dates.filter((date) => date <= lastDate),
            bytesOn,
          );
    if (bytes !== undefined) byPeriod[unit] = bytes * price;
  }
  const bytesPerDay = averageOf(use, today, bytesOn);
  const restDays = (periodWith('month', current, zone).to - use.readAt) / DAY;
  const monthForecast =
    byPeriod.month === undefined || bytesPerDay === undefined
      ? undefined
      : byPeriod.month + bytesPerDay * price * restDays;
  return { ...priced, byPeriod, bytesPerDay, monthForecast };
};

/** Undefined if the bytes of any date are not known. */
const sumOf = (dates: readonly string[], bytesOn: (date: string) => number | undefined): number | undefined =>
  dates
    .map(bytesOn)
    .reduce((sum, bytes) => (sum === undefined || bytes === undefined ? undefined : sum + bytes), 0);

const averageOf = (
  { since }: MeteredUse,
  today: number,
  bytesOn: (date: string) => number | undefined,
): number | undefined => {
  const days = Math.min(AVERAGE_DAYS, today - Date.parse(since) / DAY);
  if (days < 1) return undefined;
  const sum = sumOf(
    Array.from({ length: days }, (_, index) => dateBefore(today, index + 1)),
    bytesOn,
  );
  return sum === undefined ? undefined : sum / days;
};

/** Adds up the product types; undefined if the value of one of them is not known. */
export const totalOf = (
  spends: readonly Spend[],
  amountOf: (spend: Spend) => number | undefined,
): number | undefined =>
  spends
    .map(amountOf)
    .reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);

export const UNIT_BYTES = { GB: 1e9, GiB: 2 ** 30 } as const;

/** Returns the price of a byte (currency units); undefined without a price, or if no purchase or tier fits. */
export const pricePerByte = (
  options: PriceOptions,
  type: MeteredType,
  purchasedBytes: number | undefined,
): number | undefined => {
  const price = options[type];
  const bytes = UNIT_BYTES[options.per];
  if (typeof price !== 'object') return price && price / bytes;
  if (!purchasedBytes) return undefined;
  const perUnit = tierPrice(price, purchasedBytes / bytes);
  return perUnit && perUnit / bytes;
};

/** Returns the average price of a unit in a purchase of so many units. */
const tierPrice = ({ type, tiers }: TieredPrice, units: number): number | undefined => {
  const last = tiers.findIndex(({ up_to: end = Infinity }) => units <= end);
  if (last === -1) return undefined;
  if (type === 'volume') return tiers[last]?.price;
  const total = tiers.slice(0, last + 1).reduce((sum, { up_to: end = Infinity, price }, index) => {
    const start = tiers[index - 1]?.up_to ?? 0;
    return sum + (Math.min(units, end) - start) * price;
  }, 0);
  return total / units;
};
