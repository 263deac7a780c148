// proxywatch reconcile: compares the sources of each day and reports which differences are explained.

import { type Comparison, compareDays } from '../collectors/reconciliation/compare.ts';
import { type Day, daysWithin } from '../collectors/reconciliation/days.ts';
import type { OnProviderError } from '../collectors/reconciliation/provider-sums.ts';
import { createAccountClient } from '../daemon/account-client.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import { type Account, accountSettings, type Settings } from '../daemon/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { DAY, MINUTE } from '../lib/time.ts';
import type { ProviderError } from '../provider/errors.ts';
import { instantOf, parseLocal } from '../provider/time.ts';
import { openSqliteStoreReadOnly } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { type ShardOption, shardText, withShard } from './options.ts';
import { type Outcome, outcomeOf, reportOf } from './reconcile-report.ts';

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

/** Returns the days of the range that are over. */
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
