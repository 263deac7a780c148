// One account of the daemon: its client of the provider's API, and a job for each collector.

import type { AccountSettings } from './collectors/collector.ts';
import { exposeAccount, exposeRun } from './collectors/common-families.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import type { DaemonMetrics } from './metrics/daemon-metrics.ts';
import type { Exposition } from './metrics/exposition.ts';
import { createProviderClient, type ProviderClient } from './provider/client.ts';
import type { Job } from './schedule/job.ts';
import { type Account, collectorsOf } from './settings.ts';
import type { Store } from './store/store.ts';

/** What the accounts of a daemon share. */
export interface House {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly exposition: Exposition;
  readonly metrics: DaemonMetrics;
  readonly userAgent: string;
}

export interface RunningAccount extends AsyncDisposable {
  readonly name: string;
  readonly jobs: readonly Job[];
}

/** Makes what the store must hold and renders what it says, so that the account shows before its first poll. */
export const openAccount = async (
  settings: Account,
  account: AccountSettings,
  house: House,
): Promise<RunningAccount> => {
  const client = clientOf(settings, house);
  const jobs: Job[] = [];
  for (const { collector, options } of collectorsOf(settings)) {
    house.metrics.expectCollector(settings.name, collector.name);
    for (const endpoint of collector.endpoints) house.metrics.expectEndpoint(settings.name, endpoint);
    const state = await collector.open?.({ account, options, store: house.store, clock: house.clock });
    jobs.push(jobOf(account, { collector, options, state }, client, house));
  }
  for (const job of jobs) await job.render();
  return { name: settings.name, jobs, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
};

const clientOf = (settings: Account, { clock, metrics, userAgent }: House): ProviderClient => {
  const { name } = settings;
  const client = createProviderClient({
    baseUrl: settings.base_url,
    keys: { publicKey: settings.public_key, privateKey: settings.private_key },
    requestsPerSecond: settings.requests_per_second,
    requestTimeoutMs: settings.request_timeout,
    clock,
    userAgent,
    observer: {
      onResponse: ({ endpoint, code, durationMs }) => metrics.requestEnded(name, endpoint, code, durationMs),
      onServerDate: (offsetMs) => metrics.clockSeen(name, offsetMs),
    },
  });
  metrics.watchPace(name, client.pace);
  return client;
};

type Enabled = ReturnType<typeof collectorsOf>[number] & { readonly state: unknown };

const jobOf = (
  account: AccountSettings,
  { collector, options, state }: Enabled,
  client: ProviderClient,
  { store, clock, log, exposition }: House,
): Job => {
  const reading = { account, options, store, clock };
  const jobLog = log.child({ account: account.name, collector: collector.name });
  return {
    account: account.name,
    collector: collector.name,
    schedules: [options.schedule, ...(collector.schedules?.(options) ?? [])],
    zone: account.schedule_time_zone,
    collect: (signal, progress) =>
      collector.collect({ ...reading, client, log: jobLog, signal, progress }, state),
    render: async () => {
      await exposition.render({ collector: collector.name, account: account.name }, async (sink) => {
        await collector.expose(reading, sink);
        await exposeRun(account.name, collector.name, store, sink);
      });
      await exposition.render({ collector: '', account: account.name }, (sink) =>
        exposeAccount(account.name, store, sink),
      );
    },
  };
};
