// Keeps the store small while the daemon runs: an hour's worth of work every hour, beside the polls.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { configuredNames } from './collectors/proxy-tests/configured-names.ts';
import { graphsOf } from './collectors/traffic/options.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { HOUR, MINUTE } from './lib/time.ts';
import type { DaemonMetrics } from './metrics/daemon-metrics.ts';
import { describeFailure } from './schedule/failure.ts';
import type { Account, Settings } from './settings.ts';
import type { KeptAccount } from './store/maintenance.ts';
import type { Store } from './store/store.ts';

/** The first time comes when the first polls are over. */
const FIRST_AFTER_MS = 10 * MINUTE;
const EVERY_MS = HOUR;
/** Subjects of tests, each with some twenty rows: a transaction of a few milliseconds. */
const PRUNED_AT_ONCE = 20;

export interface MaintenanceOptions {
  readonly store: Store;
  /** As they are at present. */
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: DaemonMetrics;
}

export interface Maintenance extends AsyncDisposable {
  /** Resolves when none is going. */
  idle(): Promise<void>;
}

/** Runs until it is disposed of, which ends one that is going between two slices. */
export const startMaintenance = ({
  store,
  settings,
  clock,
  log,
  metrics,
}: MaintenanceOptions): Maintenance => {
  const stop = new AbortController();
  const { signal } = stop;
  let going: Promise<void> = Promise.resolve();

  /** Proxies, urls and testers that were not tested since `before` (ms). */
  const pruneTests = async ({ name, proxy_tests }: Account, before: number): Promise<void> => {
    const kept = proxy_tests ? configuredNames(proxy_tests) : new Set<string>();
    while (!signal.aborted && (await store.tests.prune(name, { before, kept }, PRUNED_AT_ONCE)) > 0) {
      await nextTurn();
    }
  };

  const once = async (): Promise<void> => {
    const startedAt = clock.monotonic();
    try {
      const present = settings();
      const { deletedRows } = await store.maintain({ ...planOf(present), now: clock.now(), signal });
      const before = clock.now() - present.store.retention.daily;
      for (const account of present.accounts) await pruneTests(account, before);
      if (!signal.aborted) metrics.storeMaintained(clock.monotonic() - startedAt, deletedRows, clock.now());
    } catch (error) {
      // Nobody else hears of it, and the polls go on without.
      metrics.storeMaintenanceFailed(clock.monotonic() - startedAt);
      log.error(
        { ...describeFailure(error) },
        'the store could not be maintained; it is tried again in an hour',
      );
    }
  };

  const loop = async (): Promise<void> => {
    for (let waitMs = FIRST_AFTER_MS; !signal.aborted; waitMs = EVERY_MS) {
      // An abort ends the wait, and with it the loop.
      await clock.sleep(waitMs, signal).catch(() => {});
      if (signal.aborted) return;
      going = once();
      await going;
    }
  };

  const looping = loop();
  return {
    idle: () => going,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await looping;
    },
  };
};

const planOf = ({ store: { retention }, accounts }: Settings) => ({
  retention: { rawMs: retention.raw, hourlyMs: retention.hourly, dailyMs: retention.daily },
  accounts: accounts.map(toKept),
});

const toKept = ({ name, time_zone, traffic, proxy_users }: Account): KeptAccount => ({
  name,
  zone: time_zone,
  graphs: traffic ? graphsOf(traffic).map((graph) => graph.name) : [],
  hasUsers: proxy_users !== false,
});
