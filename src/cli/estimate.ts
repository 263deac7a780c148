// Estimates requests, series and test runs of a configuration, and words them for check-config.

import type { Cost } from '../collectors/cost.ts';
import { type Account, collectorsOf, type Settings } from '../daemon/settings.ts';
import { DAY, SECOND } from '../lib/time.ts';

/** Above this share of the pace, little is left for catching up. */
const BUSY_SHARE = 0.8;
/** Size of a sample as text with its labels; compressed it is about a tenth of that. */
const BYTES_PER_SERIES = 150;

/** Returns lines to print; warnings begin with `warning:`. */
export const estimate = (settings: Settings, now: number): string[] =>
  settings.accounts.flatMap((account) => [
    `account ${account.name}:`,
    ...accountLines(account, settings.schedule_time_zone, now).map((line) => `  ${line}`),
  ]);

/** Returns the rate that the account's schedules need in the day after `now` (ms); `zone` applies if the account has none. */
export const requestsPerSecond = (account: Account, zone: string, now: number): number =>
  perSecondOf(costsOf(account, zone, now));

interface NamedCost {
  readonly name: string;
  readonly cost: Cost;
}

const perSecondOf = (costs: readonly NamedCost[]): number =>
  sum(costs.map(({ cost }) => cost.requestsPerDay)) / (DAY / SECOND);

/** This is slow if a schedule has seconds, because all slots of a day are counted. */
const costsOf = (account: Account, zone: string, now: number): NamedCost[] =>
  collectorsOf(account).map(({ collector, options }) => ({
    name: collector.name,
    cost: collector.cost(options, account.schedule_time_zone ?? zone, now),
  }));

const accountLines = (account: Account, zone: string, now: number): string[] => {
  const costs = costsOf(account, zone, now);
  const perSecond = perSecondOf(costs);
  const series = sum(costs.map(({ cost }) => cost.series));
  const isBusy = perSecond > BUSY_SHARE * account.requests_per_second;
  return [
    ...costs.map(({ name, cost }) => `${name}: ${figuresOf(cost)}`),
    `in all: ${perSecond.toFixed(2)} API requests a second of ${account.requests_per_second}, ${series} series, ${megabytes(series * BYTES_PER_SERIES)} MB a scrape before compression`,
    ...costs.flatMap(({ name, cost }) => cost.assumptions.map((text) => `assuming, for ${name}: ${text}`)),
    ...costs.flatMap(({ name, cost }) => cost.warnings.map((text) => `warning: ${name}: ${text}`)),
    ...(isBusy ? ['warning: the schedules need nearly all of requests_per_second, or more'] : []),
  ];
};

const figuresOf = ({ requestsPerDay, series, testRunsPerDay, proxyBytesPerDay }: Cost): string =>
  [
    `${Math.round(requestsPerDay)} API requests a day`,
    `${series} series`,
    ...(testRunsPerDay === undefined ? [] : [`${testRunsPerDay} test runs a day`]),
    ...(proxyBytesPerDay === undefined
      ? []
      : [`${(proxyBytesPerDay / 1e9).toFixed(2)} GB a day through the proxies`]),
  ].join(', ');

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
