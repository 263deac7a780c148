// proxywatch reconcile: the sources of each day beside each other, what explains a difference, and what does not.

import { type Compared, compareDays } from '../collectors/reconciliation/compare.ts';
import { type Day, daysWithin } from '../collectors/reconciliation/days.ts';
import { connectTo } from '../daemon/connect.ts';
import { type Account, accountSettings, loadSettings, type Settings } from '../daemon/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { DAY, MINUTE } from '../lib/time.ts';
import { instantOf, parseLocal } from '../provider/time.ts';
import { openSqliteStoreToRead } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { reportOf, type Verdict, verdictOf } from './reconcile-report.ts';

/** How long the command waits in all for pauses after 429, for each account. */
const PATIENCE_MS = 10 * MINUTE;

export interface ReconcileOptions {
  readonly config: string;
  /** `YYYY-MM-DD` of the provider's zone, both inclusive. */
  readonly from: string;
  readonly to: string;
}

/**
 * 1 when more than is tolerated is unexplained; else 2 when a comparison could not be made, since a side lacks data of
 * the day, or none was made at all. Reads the store beside a running daemon, asks the provider again and writes nothing. Throws ConfigError, StoreError and ProviderError.
 */
export const reconcile = async (
  context: CommandContext,
  { config, from, to }: ReconcileOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, context.env);
  if (settings.accounts.every((account) => daysOf(account, from, to).length === 0)) {
    context.stderr.write(`error: no day from ${from} to ${to} is over\n`);
    return 1;
  }
  using store = openSqliteStoreToRead(settings.store.path);
  const verdicts: Verdict[] = [];
  for (const account of settings.accounts) {
    const days = daysOf(account, from, to);
    const found = await compare(context, account, settings, store, days);
    for (const line of reportOf(account, days, found)) context.stdout.write(`${line}\n`);
    verdicts.push(...found.map(verdictOf));
  }
  if (verdicts.includes('DIFFERS')) return 1;
  return verdicts.length === 0 || verdicts.includes('unknown') ? 2 : 0;
};

/** Those that are over. */
const daysOf = ({ time_zone }: Account, from: string, to: string): Day[] => {
  const startOf = (date: string, days = 0): number =>
    instantOf((parseLocal(date) ?? Number.NaN) + days * DAY, time_zone);
  return daysWithin(time_zone, startOf(from), Math.min(startOf(to, 1), systemClock.now()));
};

const compare = async (
  { version, signal }: CommandContext,
  account: Account,
  settings: Settings,
  store: Store,
  days: readonly Day[],
): Promise<Compared[]> => {
  await using client = connectTo(account, {
    clock: systemClock,
    userAgent: `proxywatch/${version}`,
    observer: { onResponse: () => {}, onServerDate: () => {} },
  });
  const endsAt = systemClock.monotonic() + PATIENCE_MS;
  // The client is closed when this function is left.
  return await compareDays(
    { account: accountSettings(account, settings), client: client.forRun(endsAt), store, signal },
    days,
    true,
  );
};
