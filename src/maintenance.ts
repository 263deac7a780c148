// Keeps the store small while the daemon runs: an hour's worth of work every hour, beside the polls.

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

  const once = async (): Promise<void> => {
    const startedAt = clock.monotonic();
    try {
      const { deletedRows } = await store.maintain({ ...planOf(settings()), now: clock.now(), signal });
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
