// Collects what alerts about accounts and the daemon need to know, also since when a receiver failed before the start.

import type { ActiveAlerts } from '../alerts/active.ts';
import type { AccountState, DaemonState } from '../alerts/alert.ts';
import type { EvaluatedAccount } from '../alerts/conditions.ts';
import type { EngineConfiguration } from '../alerts/engine.ts';
import { isRouted } from '../alerts/receivers/options.ts';
import { isFiring } from '../alerts/state.ts';
import { SECOND } from '../lib/time.ts';
import type { DaemonMetrics } from '../metrics/daemon-metrics.ts';
import type { RunningAccount } from './account.ts';
import { globalAlertChanges, type Settings } from './settings.ts';

export interface KnownReceiver<T> {
  readonly name: string;
  /** Since when something waits for it (ms), as far as this process knows. */
  readonly waitingSince: T;
  /** Whether the receiver has accepted something since the start. The alert tells nothing about it then. */
  readonly isProven: boolean;
}

/** Returns since when something waits for the receiver (ms). The alert fired when it had waited for `threshold` (s). */
export const knownWaitingSince = <T>(
  active: ActiveAlerts,
  { alert, threshold }: { readonly alert: string; readonly threshold: number | undefined },
  { name, isProven, waitingSince }: KnownReceiver<T>,
): T | number => {
  if (isProven || threshold === undefined) return waitingSince;
  const stored = [...active.group('', alert).values()].find(({ labels }) => labels.receiver === name);
  if (!stored || !isFiring(stored)) return waitingSince;
  const since = stored.since - threshold * SECOND;
  return typeof waitingSince === 'number' ? Math.min(waitingSince, since) : since;
};

type Waiting = KnownReceiver<number | null | undefined>;

/** `receivers` are those of notifications. */
export const daemonStateOf = (
  { isReloadSuccessful, store, remoteWrite, backups }: DaemonMetrics,
  receivers: readonly Waiting[],
  now: number,
): DaemonState => ({
  ...{ now, isReloadSuccessful, writeFailures: store.writeFailures },
  waitingSince: waitingOf(receivers),
  unsentSince: waitingOf(remoteWrite.receivers),
  unprovenReceivers: unprovenOf(receivers),
  unprovenWriters: unprovenOf(remoteWrite.receivers),
  ...{ hasBackup: backups.hasBackup, backupOverdueMs: backups.overdueMs },
});

const waitingOf = (receivers: readonly Waiting[]): ReadonlyMap<string, number> =>
  new Map(
    receivers.flatMap(({ name, waitingSince }) =>
      waitingSince == null ? [] : [[name, waitingSince] as const],
    ),
  );

const unprovenOf = (receivers: readonly Waiting[]): ReadonlySet<string> =>
  new Set(receivers.filter(({ isProven }) => !isProven).map(({ name }) => name));

/** What the engine gets while alerts are off. */
export const NOTHING_EVALUATED: EngineConfiguration = {
  accounts: [],
  daemonOverrides: undefined,
  receivers: [],
};

export const engineConfigurationOf = (
  settings: Settings['alerts'],
  accounts: readonly RunningAccount[],
): EngineConfiguration => {
  const changes = globalAlertChanges(settings);
  return {
    accounts: accounts.map((account) => evaluatedAccountOf(account, changes)),
    daemonOverrides: changes,
    receivers: settings.receivers.filter(isRouted),
  };
};

const evaluatedAccountOf = (
  account: RunningAccount,
  globalOverrides: ReturnType<typeof globalAlertChanges>,
): EvaluatedAccount => ({
  context: account.context,
  overrides: [globalOverrides, account.settings.alerts],
  optionsOf: (collector) => account.settings[collector] || undefined,
  state: () => accountStateOf(account),
});

interface AccountParts {
  readonly client: Pick<AccountState, 'pace' | 'endpointSummary'> & {
    isUnanswered(collector: string): boolean;
  };
  readonly jobs: readonly {
    readonly collector: string;
    readonly seriesDropped: number | undefined;
  }[];
}

export const accountStateOf = ({ client, jobs }: AccountParts): AccountState => ({
  pace: client.pace,
  endpointSummary: client.endpointSummary,
  unansweredCollectors: new Set(
    jobs.map(({ collector }) => collector).filter((collector) => client.isUnanswered(collector)),
  ),
  seriesDropped: new Map(
    jobs.flatMap((job) => (job.seriesDropped === undefined ? [] : [[job.collector, job.seriesDropped]])),
  ),
});
