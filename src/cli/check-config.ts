// proxywatch check-config: prints every mistake of the file, or warnings and an estimate of requests, series and test runs.

import { isRouted } from '../alerts/receivers/options.ts';
import type { Cost, KnownNumbers } from '../collectors/collector.ts';
import { describeMistake } from '../config/config-error.ts';
import { formatDuration } from '../config/duration.ts';
import { proposeExternalUrl } from '../daemon/addresses.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import type { RemoteWriteOptions } from '../daemon/remote-write/options.ts';
import { type Account, collectorsOf, type Settings } from '../daemon/settings.ts';
import { cronOf } from '../lib/cron.ts';
import { DAY, SECOND } from '../lib/time.ts';
import type { CommandContext, ExitCode } from './context.ts';
import {
  type Column,
  formatBytes,
  formatCount,
  formatDecimal,
  number,
  shownTime,
  tableLines,
  text,
} from './format.ts';
import { type NumbersByAccount, readKnownNumbers } from './known-numbers.ts';
import { type ShardOption, withShard } from './options.ts';

/** Throws ConfigError with every mistake. */
export const checkConfig = async (
  { env, stdout }: CommandContext,
  { config, ...option }: { config: string } & ShardOption,
): Promise<ExitCode> => {
  const { config: settings, warnings } = loadSettings(config, withShard(env, option));
  stdout.write(`${config}: no mistakes\n`);
  for (const mistake of warnings) stdout.write(`warning: ${describeMistake(mistake)}\n`);
  const proposal = proposeExternalUrl(settings);
  if (proposal) stdout.write(`warning: ${proposal.found}. ${proposal.advice}\n`);
  for (const line of shardLines(settings)) stdout.write(`${line}\n`);
  for (const { title, accounts } of settings.server.public)
    stdout.write(`public page "${title}": shows ${accounts.join(', ')} without a login\n`);
  for (const receiver of settings.remote_write) stdout.write(`${describeReceiver(receiver)}\n`);
  for (const line of reportLines(settings, Date.now())) stdout.write(`${line}\n`);
  const { numbers, problem } = await readKnownNumbers(settings);
  if (problem !== undefined)
    stdout.write(`warning: the numbers in the store are unknown, and are assumed: ${problem}\n`);
  for (const line of estimate(settings, Date.now(), numbers)) stdout.write(`${line}\n`);
  return 0;
};

/** Lists the accounts of each shard, if there are several. */
const shardLines = ({ sharding }: Settings): string[] => {
  if (!sharding || sharding.count === 1) return [];
  const { index: own, count, owners } = sharding;
  return Array.from({ length: count }, (_, index) => {
    const names = owners
      .filter(({ shard }) => shard === index)
      .map(({ account, isPinned }) => (isPinned ? `${account} (pinned)` : account));
    const which = index === own ? ' (this shard)' : '';
    return `shard ${index} of ${count}${which}: ${names.length > 0 ? names.join(', ') : 'no accounts'}`;
  });
};

/** Says which receivers get reports, and when they get the next one. */
const reportLines = ({ alerts, schedule_time_zone: zone }: Settings, now: number): string[] =>
  (alerts.evaluate === false ? [] : alerts.receivers).filter(isRouted).flatMap(({ name, report }) => {
    if (!report) return [];
    const next = new Date(cronOf(report.schedule, zone).next(now)).toISOString();
    return [`report for receiver ${name}: each ${report.period}, next at ${shownTime(next)}`];
  });

/** The path and the query of the url may contain a token. */
const describeReceiver = ({ name, url, start }: RemoteWriteOptions): string => {
  const { host } = new URL(url.reveal());
  return `remote write ${name}: ${host}, start ${start === 'now' ? start : formatDuration(start)}`;
};

/** Above this share of the pace, little is left for catching up. */
const BUSY_SHARE = 0.8;
/** Size of a sample as text with its labels; compressed it is about a tenth of that. */
const BYTES_PER_SERIES = 150;

/** Returns lines to print; warnings begin with `warning:`. */
export const estimate = (settings: Settings, now: number, numbers: NumbersByAccount = new Map()): string[] =>
  settings.accounts.flatMap((account) => [
    `account ${account.name}, estimated:`,
    ...accountLines(account, settings.schedule_time_zone, now, numbers.get(account.name)).map(
      (line) => `  ${line}`,
    ),
  ]);

/** Returns the rate that the account's schedules need in the day after `now` (ms); `zone` applies if the account has none. */
export const requestsPerSecond = (
  account: Account,
  zone: string,
  now: number,
  known: KnownNumbers | undefined,
): number => perSecondOf(costsOf(account, zone, now, known));

interface NamedCost {
  readonly name: string;
  readonly cost: Cost;
}

const perSecondOf = (costs: readonly NamedCost[]): number =>
  sum(costs.map(({ cost }) => cost.requestsPerDay)) / (DAY / SECOND);

/** This is slow if a schedule has seconds, because all slots of a day are counted. */
const costsOf = (account: Account, zone: string, now: number, known?: KnownNumbers): NamedCost[] =>
  collectorsOf(account).map(({ collector, options }) => ({
    name: collector.name,
    cost: collector.cost(options, account.schedule_time_zone ?? zone, now, account, known),
  }));

const accountLines = (account: Account, zone: string, now: number, known?: KnownNumbers): string[] => {
  const costs = costsOf(account, zone, now, known);
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
    [text('collector'), ...figures.map(({ header }) => number(header))],
    [...rows, ['total', ...totals]],
  );
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
