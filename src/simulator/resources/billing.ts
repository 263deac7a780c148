// Computes cycles and prices, which services and quotes share.

import { DAY } from '../../lib/time.ts';
import type { ProductType } from '../identities.ts';

export const CYCLE_INTERVALS = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY } as const;
export type CycleInterval = keyof typeof CYCLE_INTERVALS;

/** Cents per month for one proxy, or for a gigabyte if the product is sold by bytes. */
const MONTHLY: Readonly<Record<ProductType, number>> = {
  datacenter: 120,
  isp: 350,
  residential: 300,
  mobile: 450,
};

/** Returns the length in milliseconds of a cycle `<count>:<interval>`. */
export const cycleMs = (cycle: string): number => {
  const [count, interval] = cycle.split(':');
  return Number(count) * CYCLE_INTERVALS[interval as CycleInterval];
};

/** Returns the price of one unit for a cycle in whole cents. */
export const unitPrice = (type: ProductType, cycle: string): number =>
  Math.ceil((MONTHLY[type] * cycleMs(cycle)) / CYCLE_INTERVALS.month);
