// proxywatch export remote-write verify: compares the daily sums of a receiver with the stored history, and sends lost days again.

import { type Day, daysOver } from '../../collectors/reconciliation/days.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadSettings } from '../../daemon/load-settings.ts';
import { asPolledSince } from '../../daemon/remote-write/histories.ts';
import { type RemoteWriteOptions, receiverOptionsOf } from '../../daemon/remote-write/options.ts';
import type { Account, Settings } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { DAY } from '../../lib/time.ts';
import { parseLocal } from '../../provider/time.ts';
import { Querier, QueryError, queryAddress, queryOptions } from '../../remote-write/querier.ts';
import { StoreError } from '../../store/errors.ts';
import { assertUnused, rewindReceiver } from '../../store/sqlite/publication/receivers.ts';
import { openSqliteStoreReadOnly } from '../../store/sqlite/sqlite-store.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { mistakeInReceiver, type ShardOption, withShard } from '../options.ts';
import {
  type AccountComparison,
  compareDays,
  type DifferingSum,
  daysText,
  reportOf,
  type VerifyContext,
} from './verify/compare.ts';

/** Bounds the number of queries: one for each day of an account, and another if the day differs. */
const MAX_DAYS = 100;

export interface VerifyOptions extends ShardOption {
  readonly config: string;
  readonly receiver: string;
  /** `YYYY-MM-DD` of the account's zone, both inclusive. Without `to`, the last day that is over. */
  readonly from: string;
  readonly to?: string;
  readonly repair?: boolean;
}

/** Its message says why nothing can be compared. */
class VerifyError extends Error {}

const EXPECTED = [ConfigError, StoreError, QueryError, VerifyError];

/** Returns 0 if no sum differs, or if `--repair` rewound all days that differ; 1 if one differs, and 2 if none was compared. */
export const verify = async (context: CommandContext, options: VerifyOptions): Promise<ExitCode> => {
  try {
    return await compareAndReport(context, options);
  } catch (error) {
    if (!EXPECTED.some((type) => error instanceof type)) throw error;
    context.stderr.write(`${error instanceof ConfigError ? '' : 'error: '}${(error as Error).message}\n`);
    return 2;
  }
};

const compareAndReport = async (context: CommandContext, options: VerifyOptions): Promise<ExitCode> => {
  const { env, stdout, version, signal } = context;
  const { config: settings } = loadSettings(options.config, withShard(env, options));
  const receiver = receiverIn(settings, options);
  if (options.repair) assertUnused(settings.store.path);
  using store = openSqliteStoreReadOnly(settings.store.path);
  const address = addressOf(receiver);
  await using querier = new Querier(queryOptions(receiverOptionsOf(receiver), address), {
    clock: systemClock,
    userAgent: `proxywatch/${version}`,
  });
  const comparison = { settings, receiver, querier, store, signal };
  const found = await compareTwice(comparison, options);
  for (const line of reportOf(receiver.name, found)) stdout.write(`${line}\n`);
  if (found.differing.length === 0) return found.compared === 0 ? 2 : 0;
  if (!options.repair) return 1;
  // The querier and the store are closed when the function returns.
  return await repair(context, comparison, found.differing);
};

const receiverIn = (settings: Settings, { receiver: name, from, to }: VerifyOptions): RemoteWriteOptions => {
  const found = settings.remote_write.find((each) => each.name === name);
  const mistake = mistakeInReceiver(settings.remote_write, 'remote_write', name) ?? mistakeInDates(from, to);
  if (!found || mistake !== undefined) throw new VerifyError(mistake);
  return found;
};

const mistakeInDates = (from: string, to: string | undefined): string | undefined => {
  if (to !== undefined && from > to) return `--from (${from}) is after --to (${to}). Swap the two dates`;
  const last = to === undefined ? systemClock.now() : (parseLocal(to) ?? 0);
  return last - (parseLocal(from) ?? 0) >= MAX_DAYS * DAY
    ? `the range has more than ${MAX_DAYS} days. Give a later --from or an earlier --to`
    : undefined;
};

const addressOf = ({ name, url, query_url }: RemoteWriteOptions): string => {
  const address = queryAddress(url.reveal(), query_url?.reveal());
  if (address !== undefined) return address;
  throw new VerifyError(
    `the url of ${name} does not say where it answers queries. Set query_url of this receiver, to the address that Grafana uses`,
  );
};

/** A correction can be sent between the look at the store and the query, so only what differs twice differs. */
const compareTwice = async (context: VerifyContext, options: VerifyOptions): Promise<AccountComparison> => {
  const all: AccountComparison[] = [];
  for (const account of context.settings.accounts) {
    const first = await compare(context, account, daysOf(account, options));
    const dates = new Set(first.differing.map(({ day }) => day.date));
    const again = daysOf(account, options).filter(({ date }) => dates.has(date));
    const second = again.length > 0 ? await compare(context, account, again) : first;
    const isConfirmed = (one: DifferingSum): boolean =>
      second.differing.some((other) => sumKey(one) === sumKey(other));
    all.push({ ...first, differing: first.differing.filter(isConfirmed) });
  }
  return {
    compared: all.reduce((sum, { compared }) => sum + compared, 0),
    differing: all.flatMap(({ differing }) => differing),
    leftOut: all.flatMap(({ leftOut }) => leftOut),
  };
};

const sumKey = ({ day, family, labels }: DifferingSum): string =>
  JSON.stringify([day.date, family.name, labels]);

const compare = async (
  context: VerifyContext,
  account: Account,
  days: readonly Day[],
): Promise<AccountComparison> => {
  const { store, receiver } = context;
  const state = await store.remoteWrite.find(receiver.name);
  if (!state) throw new VerifyError(`${receiver.name} has got nothing yet, so there is nothing to compare`);
  return compareDays(context, state, account, days);
};

const daysOf = ({ time_zone }: Account, { from, to }: VerifyOptions): Day[] =>
  daysOver(time_zone, from, to, systemClock.now());

/** Rewinds to the first day with lost samples. Returns 1 unless sending helps for all days that differ. Throws StoreError. */
const repair = async (
  { stdout, stderr }: CommandContext,
  { settings, store, receiver: { name } }: VerifyContext,
  differing: readonly DifferingSum[],
): Promise<ExitCode> => {
  const { path } = settings.store;
  const now = systemClock.now();
  const since = asPolledSince(await store.publications.rolledUp(now), settings, now);
  const groups = Map.groupBy(differing, (sum) => whyNot(sum, since));
  const lost = groups.get(undefined) ?? [];
  if (lost.length > 0) {
    await rewindReceiver(path, name, Math.min(...lost.map(({ day }) => day.start)));
    stdout.write(
      `${name}: rewound for ${daysText(lost)}. Start the daemon, which sends everything since then again. When proxywatch_remote_write_lag_seconds has been 0 for ten minutes, verify again\n`,
    );
  }
  for (const [reason, sums] of groups)
    if (reason !== undefined) stderr.write(`error: not rewound for ${daysText(sums)}: ${reason}\n`);
  return lost.length === differing.length ? 0 : 1;
};

const DELETE_FIRST =
  'Delete the samples of the series proxywatch_history_* of these days at the receiver, and then use export remote-write rewind';

/** Returns why sending a day again does not help; undefined if it does. `since` is when history as polled begins (ms). */
const whyNot = ({ day, sum, received }: DifferingSum, since: number): string | undefined => {
  if (received > sum) return `the receiver has more than was sent. ${DELETE_FIRST}`;
  return day.start < since
    ? `the store has them only in sums of an hour or of a day, so that the sums of the receiver would become too high. ${DELETE_FIRST}`
    : undefined;
};
