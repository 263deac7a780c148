// Decides how fresh the data of a collector is. Everything that shows data uses this, so that all parts agree.

import type { RunState } from '../store/account-store.ts';
import type { Store } from '../store/store.ts';
import type { AccountSettings, CollectorName } from './context.ts';
import { COLLECTORS } from './index.ts';

/** `no_data` means that no run has read all of the collector's data yet, so an empty list proves nothing. */
export const DATA_STATES = ['current', 'stale', 'no_data', 'not_monitored'] as const;
export type DataState = (typeof DATA_STATES)[number];

/** Times are milliseconds since the epoch. */
export interface Freshness {
  readonly collector: CollectorName;
  readonly state: DataState;
  /** When the last successful run ended; null while there is no data. */
  readonly asOf: number | null;
  /** Since when the collector runs; null before its first run has ended, and while it is off. */
  readonly watchedSince: number | null;
  readonly error: { readonly kind: string; readonly message: string } | null;
}

/**
 * The number of intervals without a success after which data is stale, unless the alert DataStale has another
 * threshold. As in the alert, the duration of a whole listing is added, because a listing that takes several runs is a
 * success only after the last of them.
 */
const STALE_INTERVALS = 3;

/** Returns the freshness at `now` (ms). It reads the account's runs from the store unless `runs` has them. */
export const readFreshness = async (
  account: AccountSettings,
  collector: CollectorName,
  store: Store,
  now: number,
  runs?: readonly RunState[],
): Promise<Freshness> => {
  if (!account.collectors.includes(collector)) return notMonitored(collector);
  const states = runs ?? (await store.runs.states(account.name));
  const run = states.find((each) => each.collector === collector);
  const hasBeenRead = run?.lastSuccessAt != null && (await hasData(account, collector, store));
  const asOf = hasBeenRead ? run.lastSuccessAt : null;
  const intervals = account.thresholds.DataStale ?? STALE_INTERVALS;
  const staleMs = intervals * (run?.intervalMs ?? 0) + (run?.wholeListingMs ?? 0);
  return {
    collector,
    state: asOf === null ? 'no_data' : now - asOf > staleMs ? 'stale' : 'current',
    asOf,
    watchedSince: run?.watchedSince ?? null,
    error: run?.errorKind ? { kind: run.errorKind, message: run.errorMessage ?? '' } : null,
  };
};

const notMonitored = (collector: CollectorName): Freshness => ({
  ...{ collector, state: 'not_monitored', asOf: null, watchedSince: null, error: null },
});

/** A run that had nothing to read is a success but brings no data. */
const hasData = async (account: AccountSettings, collector: CollectorName, store: Store): Promise<boolean> =>
  (await COLLECTORS.find(({ name }) => name === collector)?.hasData?.(account, store)) ?? true;
