// Defines expressions over pushed history by day and by month of the provider's calendar, which is in UTC.

import { SAME_LABELS } from '../../../src/alerts/alert.ts';

/** The time of a day, but for the bucket that begins at the next midnight. */
const DAY_RANGE = '[1d] offset -86399s';
const HOUR_RANGE = '[1h] offset -3599s';

/** The time of the last day of the month before. */
const LAST_MONTH = 'vector(time()) - on () day_of_month() * 86400';

const monthLabel = (time = ''): string => `count_values("month", year(${time}) * 100 + on () month(${time}))`;
const THIS_MONTH = monthLabel();
const DAY_LABEL = 'count_values("day", year() * 10000 + on () month() * 100 + on () day_of_month())';

/** The lengths of months in days. */
const LENGTHS = [28, 29, 30, 31];
/** The last month, this month, and never the first day of a month that the range has only in part. */
const TWO_MONTHS_DAYS = 62;
const MONTH_HOURS = '31d:1h';
/** The provider corrects the last six days. */
const RECORDED_DAYS = '8d:1d';

const sumOf = (series: string, range: string, without: string): string =>
  `sum without (${['revision', without].filter(Boolean).join(', ')}) (sum_over_time(${series}${range}))`;

/** The sum of the day that begins at the evaluated midnight. `without` are labels to sum over, such as `reason`. */
export const day = (series: string, without = ''): string => sumOf(series, DAY_RANGE, without);

const labelled = (sum: string, label: string, value: string): string =>
  `${sum} * on () group_left (${label}) ${value}`;

const sumsOfMonths = (series: string, days: number, without: string): string =>
  `sum_over_time((${labelled(day(series, without), 'month', THIS_MONTH)})[${days}d:1d])`;

/** The sums of the newest days, with the label `day`, such as `20261231`. */
export const recentDays = (series: string, without = ''): string =>
  `sum_over_time((${labelled(day(series, without), 'day', DAY_LABEL)})[${RECORDED_DAYS}])`;

/** The sums of this month and of the last month, with the label `month`, such as `202612`. */
export const twoMonths = (series: string, without = ''): string =>
  `${sumsOfMonths(series, TWO_MONTHS_DAYS, without)} and on (month) (${THIS_MONTH} or on (month) ${monthLabel(LAST_MONTH)})`;

/** The sums of the months of the last 400 days, without the oldest month, of which the days have only a part. */
export const months = (series: string, without = ''): string =>
  `${sumsOfMonths(series, 400, without)} unless on (month) ${monthLabel('vector(time()) - 400 * 86400')}`;

export const lastMonth = (series: string, without = ''): string =>
  `sum without (month) (${sumsOfMonths(series, TWO_MONTHS_DAYS, without)} and on (month) ${monthLabel(LAST_MONTH)})`;

const hoursOfMonths = (series: string, without: string): string =>
  `sum_over_time((${labelled(sumOf(series, HOUR_RANGE, without), 'month', THIS_MONTH)})[${MONTH_HOURS}]`;

export const monthToDate = (series: string, without = ''): string =>
  `sum without (month) (${hoursOfMonths(series, without)}) and on (month) ${THIS_MONTH})`;

/**
 * The sum of the last month up to the same hour of the same day. On days that the last month does not have, it is the
 * sum of the whole last month. The last month began as many days before this month as it has.
 */
export const lastMonthToDate = (series: string, without = ''): string =>
  LENGTHS.map(
    (days) =>
      `sum without (month) (${hoursOfMonths(series, without)} offset ${days}d) and on (month) ${monthLabel(LAST_MONTH)})` +
      ` and on () days_in_month(${LAST_MONTH}) == ${days}`,
  ).join(` or ${SAME_LABELS} `);
