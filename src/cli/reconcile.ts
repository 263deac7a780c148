// proxywatch reconcile: compares the sources of each day, and reports which differences are explained.

import { type Comparison, compareDays } from '../collectors/reconciliation/compare.ts';
import { type Day, daysOver } from '../collectors/reconciliation/days.ts';
import { comparedBytes, differs } from '../collectors/reconciliation/explain.ts';
import type { OnProviderError } from '../collectors/reconciliation/provider-sums.ts';
import { createAccountClient } from '../daemon/account-client.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import { type Account, accountSettings, type Settings } from '../daemon/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { DAY, MINUTE } from '../lib/time.ts';
import type { ProviderError } from '../provider/errors.ts';
import { formatLocal } from '../provider/time.ts';
import { SOURCE_PAIRS, type SourcePair } from '../store/reconciliation-store.ts';
import { openSqliteStoreReadOnly } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { formatDecimal, formatPercent, number, tableLines, text } from './format.ts';
import { type ShardOption, shardText, withShard } from './options.ts';

/** How long the command waits for pauses after 429 in total, for each account. */
const MAX_WAIT_MS = 10 * MINUTE;

export interface ReconcileOptions extends ShardOption {
  readonly config: string;
  /** `YYYY-MM-DD` of the provider's zone, both inclusive. */
  readonly from: string;
  readonly to: string;
}

/**
 * Returns 1 if more than the tolerated difference is unexplained. Otherwise returns 2 if no comparison was made, or if
 * one was impossible because a side lacks data of the day. It may run while the daemon runs: it reads the store and
 * requests the provider's sums again, but writes nothing. Throws ConfigError and StoreError.
 */
export const reconcile = async (
  context: CommandContext,
  { config, from, to, ...option }: ReconcileOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, withShard(context.env, option));
  const mistake = mistakeIn(settings, from, to);
  if (mistake !== undefined) {
    context.stderr.write(`error: ${mistake}\n`);
    return 1;
  }
  if (settings.accounts.length === 0) {
    context.stderr.write(`nothing to compare, because ${shardText(settings)}\n`);
    return 2;
  }
  using store = openSqliteStoreReadOnly(settings.store.path);
  const outcomes: Outcome[] = [];
  for (const [index, account] of settings.accounts.entries()) {
    const days = daysOf(account, from, to);
    const errors: ProviderError[] = [];
    const found = await compare(context, account, settings, store, days, (error) => errors.push(error));
    const lines = [...(index > 0 ? [''] : []), ...reportOf(account, days, found, errors[0], to)];
    for (const line of lines) context.stdout.write(`${line}\n`);
    outcomes.push(...found.map(outcomeOf));
  }
  if (outcomes.includes('DIFFERS')) return 1;
  return outcomes.length === 0 || outcomes.includes('unknown') ? 2 : 0;
};

const mistakeIn = ({ accounts }: Settings, from: string, to: string): string | undefined => {
  if (from > to) return `--from (${from}) is after --to (${to}). Swap the two dates.`;
  if (accounts.length === 0) return undefined;
  if (accounts.some((account) => daysOf(account, from, to).length > 0)) return undefined;
  return `no day from ${from} to ${to} is over yet. Give dates in the past.`;
};

const daysOf = ({ time_zone }: Account, from: string, to: string): Day[] =>
  daysOver(time_zone, from, to, systemClock.now());

const compare = async (
  { version, signal }: CommandContext,
  account: Account,
  settings: Settings,
  store: Store,
  days: readonly Day[],
  onProviderError: OnProviderError,
): Promise<Comparison[]> => {
  await using client = createAccountClient(account, {
    clock: systemClock,
    userAgent: `proxywatch/${version}`,
    observer: { onResponse: () => {}, onServerDate: () => {} },
  });
  const endsAt = systemClock.monotonic() + MAX_WAIT_MS;
  // This `await` is needed: the client is closed when the function returns.
  return await compareDays(
    { account: accountSettings(account, settings), client: client.forRun(endsAt), store, signal },
    days,
    onProviderError,
  );
};

/** The two sources of each pair. */
const PAIRS: Readonly<Record<SourcePair, readonly [first: string, second: string]>> = {
  buckets_coarse: ['stored traffic of the whole account', "the provider's own sum of the day"],
  residential_buckets_coarse: ['stored residential traffic', "the provider's own sum of the day"],
  residential_buckets_ledger: ['stored residential traffic', 'use in the residential ledger'],
  users_ledger: ["growth of the users' residential bytes", 'use in the residential ledger'],
  residential_charged_ledger: ['charged residential bytes by host name', 'use in the residential ledger'],
  mobile_charged_ledger: ['charged mobile bytes by host name', 'use in the mobile ledger'],
  residential_buckets_charged: ['stored residential traffic', 'charged residential bytes by host name'],
  mobile_buckets_charged: ['stored mobile traffic', 'charged mobile bytes by host name'],
  buckets_usage: ['stored traffic of the whole account', 'bytes by host name'],
  residential_users_usage: ["growth of the users' residential bytes", 'residential bytes by host name'],
  mobile_users_usage: ["growth of the users' mobile bytes", 'mobile bytes by host name'],
  residential_summary_ledger: ['residential bytes left by the summary', 'balance of the residential ledger'],
  mobile_summary_ledger: ['mobile bytes left by the summary', 'balance of the mobile ledger'],
};

/** Texts for the causes of differences and of missing data. */
const CAUSES: Readonly<Record<string, string>> = {
  no_data: 'a source has no data of this day',
  before_history: 'the stored history begins later',
  no_provider_sum: "the provider's sum of this day is unknown",
  not_read: 'a collector has not read the whole day yet',
  late: 'late data can come until the next deep reread',
  not_listed: 'a collector has not listed the whole day yet',
  not_listed_after: 'the ledger was not listed after the summary',
  listing_gap: 'the listings of this day have a gap',
  listing_interval: 'listed at the edge of the day',
  reading_time: 'used or added between the readings',
  smartpath: 'routed by smartpath, not charged',
};

const COLUMNS = [
  ...['day', 'pair', 'result'].map(text),
  ...['first GB', 'second GB', 'difference GB', 'unexplained GB', 'unexplained share'].map(number),
  text('explanation'),
];

const reportOf = (
  { name, time_zone }: Account,
  days: readonly Day[],
  found: readonly Comparison[],
  providerError: ProviderError | undefined,
  to: string,
): string[] => {
  if (found.length === 0) {
    return [
      `account ${name}: nothing to compare, because every comparison needs the traffic collector, which is off`,
    ];
  }
  const rows = days.flatMap(({ start }) =>
    found.filter(({ dayStart }) => dayStart === start).flatMap((pair) => rowsOf(pair, time_zone)),
  );
  const pairs = SOURCE_PAIRS.filter((pair) => found.some((each) => each.pair === pair));
  return [
    `account ${name}: days of ${time_zone}, 1 GB is 1,000,000,000 bytes`,
    '',
    ...tableLines(COLUMNS, [...rows, ...pairs.map((pair) => totalsOf(pair, found))]),
    '',
    ...leftOutLines(days, to),
    ...(providerError
      ? [`The provider's sums are unknown, because a request failed: ${providerError.message}`]
      : []),
    'ok: at most 1% is unexplained. DIFFERS: more than 1% is unexplained. unknown: a source lacks data of the day.',
    'The unexplained share refers to the larger source. Totals leave out days with an unknown result.',
    'The difference is the first source minus the second source. These are the sources of each pair:',
    ...tableLines(
      ['  pair', 'first', 'second'].map(text),
      pairs.map((pair) => [`  ${pair}`, ...PAIRS[pair]]),
    ),
  ];
};

/** Names the days up to the date `to` that are not compared, because they are not over. */
const leftOutLines = (days: readonly Day[], to: string): string[] => {
  const last = days.at(-1);
  if (!last || last.date >= to) return [];
  const next = new Date(Date.parse(last.date) + DAY).toISOString().slice(0, 10);
  return [next === to ? `Left out: ${to} is not over.` : `Left out: ${next} to ${to} are not over.`];
};

type Outcome = 'ok' | 'unknown' | 'DIFFERS';

/** Missing data makes the outcome unknown, because the sides may agree by chance. */
const outcomeOf = (pair: Comparison): Outcome => {
  if (pair.missing.length > 0) return 'unknown';
  return differs(pair) ? 'DIFFERS' : 'ok';
};

const rowsOf = (pair: Comparison, zone: string): string[][] => {
  const head = [pair.date, pair.pair, outcomeOf(pair)];
  if (pair.missing.includes('no_data')) return [[...head, '-', '-', '-', '-', '-', textOf('no_data')]];
  const { firstBytes, secondBytes, unexplainedBytes, hours } = pair;
  const explained = pair.explained
    .filter(({ cause }) => !pair.missing.includes(cause))
    .map(({ cause, bytes }) => `${gigabytes(bytes)} GB ${textOf(cause)}`);
  const notes = [...explained, ...pair.missing.map((cause) => missingText(cause, pair, zone))].join('; ');
  if (pair.missing.includes('no_provider_sum'))
    return [[...head, gigabytes(firstBytes), '-', '-', '-', '-', notes]];
  const unexplained = pair.missing.length > 0 ? undefined : unexplainedBytes;
  return [
    [...head, ...amountsOf(firstBytes, secondBytes, unexplained, comparedBytes(pair)), notes],
    ...hours.map(({ at, firstBytes: first, secondBytes: second }) => [
      `  ${formatLocal(at, zone).slice(11, 16)}`,
      'this hour',
      '',
      ...[first, second, first - second].map(gigabytes),
    ]),
  ];
};

/** Sums the days of a pair for which both sources are complete. */
const totalsOf = (pair: SourcePair, found: readonly Comparison[]): string[] => {
  const known = found.filter((each) => each.pair === pair && each.missing.length === 0);
  if (known.length === 0) return ['total', pair, 'unknown', '-', '-', '-', '-', '-'];
  const sumOf = (bytesOf: (each: Comparison) => number): number =>
    known.reduce((sum, each) => sum + bytesOf(each), 0);
  const [first, second] = [sumOf(({ firstBytes }) => firstBytes), sumOf(({ secondBytes }) => secondBytes)];
  const unexplained = sumOf(({ unexplainedBytes }) => unexplainedBytes);
  return ['total', pair, '', ...amountsOf(first, second, unexplained, Math.max(first, second))];
};

/** `unexplained` is undefined if it is not known. */
const amountsOf = (
  first: number,
  second: number,
  unexplained: number | undefined,
  compared: number,
): string[] => [
  ...[first, second, first - second].map(gigabytes),
  ...(unexplained === undefined
    ? ['-', '-']
    : [gigabytes(unexplained), formatPercent(compared === 0 ? 0 : Math.abs(unexplained) / compared)]),
];

const textOf = (cause: string): string => CAUSES[cause] ?? cause;

/** Adds when the history begins, which another range of days can avoid. */
const missingText = (cause: string, { historyBeginsAt }: Comparison, zone: string): string =>
  cause === 'before_history' && historyBeginsAt !== null
    ? `${textOf(cause)}, at ${formatLocal(historyBeginsAt, zone).slice(0, 16)}`
    : textOf(cause);

const gigabytes = (bytes: number): string => formatDecimal(bytes / 1e9, 3);
