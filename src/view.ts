// What the daemon is, as its HTTP server shows it.

import type { App } from './app.ts';
import { COLLECTOR_NAMES } from './collectors/collector.ts';
import type { AccountStatus, CollectorStatus, View } from './http/view.ts';
import type { Clock } from './lib/clock.ts';
import { negotiate } from './metrics/negotiate.ts';
import type { Job, JobStatus } from './schedule/job.ts';
import type { RunState } from './store/run-store.ts';

export interface ViewOptions {
  readonly app: App;
  readonly clock: Clock;
  readonly version: string;
}

export const createView = ({ app, clock, version }: ViewOptions): View => {
  const startedAt = clock.now();
  let wasReady = false;
  return {
    accounts: () => app.accounts.map(({ name }) => name),
    collectors: () => COLLECTOR_NAMES,
    scrape: ({ accept, acceptEncoding, accounts, collectors }) =>
      app.exposition.scrape({ ...negotiate(accept, acceptEncoding), accounts, collectors }),
    status: async () => ({
      version,
      startedAt,
      accounts: await Promise.all(app.accounts.map(({ name, jobs }) => accountStatus(app, name, jobs))),
    }),
    notReady: async () => {
      // Ready once is ready: later failures are the alerts' to tell, and must not take /metrics out of service.
      const reasons = wasReady ? [] : await reasonsAgainst(app);
      wasReady ||= reasons.length === 0;
      return reasons;
    },
  };
};

const reasonsAgainst = async ({ accounts, store }: App): Promise<string[]> => {
  const reasons: string[] = [];
  try {
    await store.probe();
  } catch (error) {
    reasons.push(error instanceof Error ? error.message : String(error));
  }
  for (const { name, jobs } of accounts) {
    const tried = new Set((await store.runs.states(name)).map(({ collector }) => collector));
    const waiting = jobs.filter(({ collector }) => !tried.has(collector));
    reasons.push(...waiting.map(({ collector }) => `${name}: ${collector} has not ended a first run yet`));
  }
  return reasons;
};

const accountStatus = async (
  { store, runner }: App,
  name: string,
  jobs: readonly Job[],
): Promise<AccountStatus> => {
  const states = new Map((await store.runs.states(name)).map((state) => [state.collector, state]));
  const statuses = runner.status().filter(({ account }) => account === name);
  return {
    name,
    customerId: (await store.accounts.customer(name)) ?? null,
    collectors: jobs.flatMap(({ collector }) => {
      const status = statuses.find((job) => job.collector === collector);
      return status ? [collectorStatus(status, states.get(collector))] : [];
    }),
  };
};

const collectorStatus = (job: JobStatus, last: RunState | undefined): CollectorStatus => ({
  name: job.collector,
  result: last?.result ?? null,
  lastAttemptAt: last?.startedAt ?? null,
  lastSuccessAt: last?.lastSuccessAt ?? null,
  error: last?.errorKind ? { kind: last.errorKind, message: last.errorMessage ?? '' } : null,
  failuresInARow: last?.failures ?? 0,
  intervalMs: job.intervalMs,
  nextAt: job.nextAt,
  runningSince: job.runningSince,
  progress: job.progress,
});
