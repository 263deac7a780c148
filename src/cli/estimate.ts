// Estimates requests, series and test runs of a configuration, and words them for check-config.

import type { Cost } from '../collectors/collector.ts';
import { type Account, collectorsOf, type Settings } from '../daemon/settings.ts';
import { DAY, SECOND } from '../lib/time.ts';
import { type Column, formatBytes, formatCount, formatDecimal, tableLines } from './format.ts';

/** Above this share of the pace, little is left for catching up. */
const BUSY_SHARE = 0.8;
/** Size of a sample as text with its labels; compressed it is about a tenth of that. */
const BYTES_PER_SERIES = 150;

/** Returns lines to print; warnings begin with `warning:`. */
export const estimate = (settings: Settings, now: number): string[] =>
  settings.accounts.flatMap((account) => [
    `account ${account.name}, estimated:`,
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
    cost: collector.cost(options, account.schedule_time_zone ?? zone, now, account),
  }));

const accountLines = (account: Account, zone: string, now: number): string[] => {
  const costs = costsOf(account, zone, now);
  const perSecond = perSecondOf(costs);
  const series = sum(costs.map(({ cost }) => cost.series));
  const isBusy = perSecond > BUSY_SHARE * account.requests_per_second;
  return [
    ...tableOf(costs),
    `pace: ${formatDecimal(perSecond, 2)} API requests a second of ${account.requests_per_second} allowed (requests_per_second)`,
    `scrape: ${formatBytes(series * BYTES_PER_SERIES)} of text before compression`,
    ...costs.flatMap(({ name, cost }) => cost.assumptions.map((text) => `assumption: ${name}: ${text}`)),
    ...costs.flatMap(({ name, cost }) => cost.warnings.map((text) => `warning: ${name}: ${text}`)),
    ...(isBusy
      ? [
          `warning: the schedules need more than ${100 * BUSY_SHARE}% of requests_per_second, so few requests are left for a catch-up. Use longer schedules, or raise requests_per_second if the provider allows it`,
        ]
      : []),
  ];
};

interface Figure extends Column {
  /** Returns undefined if the collector has no such cost. */
  readonly of: (cost: Cost) => number | undefined;
  readonly format: (amount: number) => string;
}

const FIGURES: readonly Figure[] = [
  { header: 'API requests/day', of: ({ requestsPerDay }) => requestsPerDay, format: formatCount },
  { header: 'series', of: ({ series }) => series, format: formatCount },
  { header: 'test runs/day', of: ({ testRunsPerDay }) => testRunsPerDay, format: formatCount },
  {
    header: 'GB/day through proxies',
    of: ({ proxyBytesPerDay }) => proxyBytesPerDay,
    // A few probes take far less than 0.01 GB, which must not look like nothing.
    format: (bytes) => formatDecimal(bytes / 1e9, bytes > 0 && bytes < 1e8 ? 4 : 2),
  },
];

/** Leaves out the columns of costs that no collector has. */
const tableOf = (costs: readonly NamedCost[]): string[] => {
  const figures = FIGURES.filter(({ of }) => costs.some(({ cost }) => of(cost) !== undefined));
  const rows = costs.map(({ name, cost }) => [
    name,
    ...figures.map(({ of, format }) => {
      const amount = of(cost);
      return amount === undefined ? '-' : format(amount);
    }),
  ]);
  const totals = figures.map(({ of, format }) => format(sum(costs.map(({ cost }) => of(cost) ?? 0))));
  return tableLines(
    [{ header: 'collector' }, ...figures.map(({ header }) => ({ header, isNumeric: true }))],
    [...rows, ['total', ...totals]],
  );
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
