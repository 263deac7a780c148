// What things cost: cycles and prices, of services and of quotes alike.

import { DAY } from '../../lib/time.ts';
import type { ProductType } from '../identities.ts';

export const CYCLE_INTERVALS = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY } as const;
export type CycleInterval = keyof typeof CYCLE_INTERVALS;

/** Cents a month for one proxy, or for a gigabyte. */
const MONTHLY: Readonly<Record<ProductType, number>> = {
  datacenter: 120,
  isp: 350,
  residential: 300,
  mobile: 450,
};

/** Length in milliseconds of a `<count>:<interval>`. */
export const cycleMs = (cycle: string): number => {
  const [count, interval] = cycle.split(':');
  return Number(count) * CYCLE_INTERVALS[interval as CycleInterval];
};

/** Whole cents of one unit for a cycle. */
export const unitPrice = (type: ProductType, cycle: string): number =>
  Math.ceil((MONTHLY[type] * cycleMs(cycle)) / CYCLE_INTERVALS.month);
