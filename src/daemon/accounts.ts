// Keeps the daemon's accounts, replaces them when a reload changes the configuration, and lists what it changed.

import { OPTIONAL_ENDPOINTS } from '../collectors/collector.ts';
import { isUnchanged } from '../config/unchanged.ts';
import type { PolledEndpoints } from '../provider/endpoints.ts';
import { CUSTOMER_ENDPOINT } from '../provider/resources/proxy-users.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Runner } from '../schedule/runner.ts';
import { buildAccount, needsNewClient, type RunningAccount } from './account.ts';
import { type AccountDependencies, type AccountJob, runPart } from './account-job.ts';
import type { Settings } from './settings.ts';

export class Accounts implements AsyncDisposable {
  readonly #dependencies: AccountDependencies;
  readonly #runner: Runner;
  #list: readonly RunningAccount[] = [];

  constructor(dependencies: AccountDependencies, runner: Runner) {
    this.#dependencies = dependencies;
    this.#runner = runner;
  }

  get list(): readonly RunningAccount[] {
    return this.#list;
  }

  /** Creates the rows that the store must hold and renders the stored data, so that accounts show before their first poll. */
  async open(settings: Settings): Promise<void> {
    this.#list = settings.accounts.map((account) => buildAccount(account, settings, this.#dependencies));
    for (const account of this.#list) {
      this.#registerMetrics(account);
      await account.client.endpoints.open(polledEndpointsOf(account));
      for (const job of account.jobs) await job.open();
      for (const job of account.jobs) await job.render();
    }
  }

  /** Replaces the running accounts. Changed and removed jobs end their runs. Throws StoreError, and then all is as before. */
  async replace(settings: Settings): Promise<Changes> {
    const before = this.#list;
    const known = new Map(before.map((account) => [account.name, account]));
    const after = settings.accounts.map((account) =>
      buildAccount(account, settings, this.#dependencies, known.get(account.name)),
    );
    const stopping = itemsNotIn(jobsOf(before), jobsOf(after), (job) => job);
    const starting = itemsNotIn(jobsOf(after), jobsOf(before), (job) => job);
    await Promise.all(stopping.map(({ account, collector }) => this.#runner.remove(account, collector)));
    try {
      for (const account of after)
        if (!known.has(account.name)) await account.client.endpoints.open(polledEndpointsOf(account));
      for (const job of starting) await job.open();
    } catch (error) {
      await this.#rollBack(stopping, after);
      throw error;
    }
    this.#list = after;
    const removed = itemsNotIn(before, after, ({ name }) => name);
    this.#dropSeries(removed, itemsNotIn(stopping, starting, keyOf));
    const kept = itemsNotIn(jobsOf(after), starting, (job) => job);
    const changed = after.filter((account) => this.#applySettings(account, known.get(account.name)));
    await this.#render(kept.filter((job) => changed.some(({ name }) => name === job.account)));
    await this.#startJobs(starting, stopping);
    for (const { client } of removed) await client[Symbol.asyncDispose]();
    return changesBetween(before, after);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client } of this.#list) await client[Symbol.asyncDispose]();
  }

  async #rollBack(stopping: readonly AccountJob[], after: readonly RunningAccount[]): Promise<void> {
    const used = new Set(this.#list.map(({ client }) => client));
    for (const { client } of after) if (!used.has(client)) await client[Symbol.asyncDispose]();
    for (const job of stopping) {
      job.reopenBeforeNextRun();
      await this.#runner.add(job, true);
    }
  }

  /** Drops the series of removed accounts and jobs; #applySettings registers endpoints again that another collector also calls. */
  #dropSeries(accounts: readonly RunningAccount[], jobs: readonly AccountJob[]): void {
    const { exposition, metrics } = this.#dependencies;
    for (const job of jobs) {
      for (const part of [job, runPart(job)]) exposition.drop(part);
      for (const subject of [job.collector, ...job.endpoints]) metrics.forget(job.account, subject);
    }
    for (const { name } of accounts) {
      exposition.dropAccount(name);
      metrics.forgetAccount(name);
    }
  }

  /** Applies the new settings. Returns whether thresholds or the list of collectors changed, which metrics depend on. */
  #applySettings(account: RunningAccount, before: RunningAccount | undefined): boolean {
    if (before && needsNewClient(before.settings, account.settings)) account.client.replace(account.settings);
    account.client.endpoints.tracker.keep(polledEndpointsOf(account));
    this.#registerMetrics(account);
    const { live, nextLive } = account;
    const isSame = isUnchanged(live.current, nextLive);
    live.current = nextLive;
    return !isSame;
  }

  #registerMetrics({ name, client, jobs }: RunningAccount): void {
    const { metrics } = this.#dependencies;
    metrics.provider.watchPace(name, client.pace);
    metrics.provider.watchEndpoints(name, () => ({
      ...client.endpointSummary,
      unanswered: new Map(jobs.map(({ collector }) => [collector, client.isUnanswered(collector)])),
    }));
    for (const { collector, endpoints } of jobs) {
      metrics.expectCollector(name, collector);
      for (const endpoint of endpoints) metrics.expectEndpoint(name, endpoint);
    }
  }

  /** A changed job runs at once, because its last run used other settings or was interrupted. */
  async #startJobs(starting: readonly AccountJob[], stopping: readonly AccountJob[]): Promise<void> {
    const known = new Set(stopping.map(keyOf));
    for (const job of starting) {
      await this.#render([job]);
      await this.#runner.add(job, known.has(keyOf(job)));
    }
  }

  async #render(jobs: readonly AccountJob[]): Promise<void> {
    for (const job of jobs)
      await job.render().catch((error) => {
        this.#dependencies.log.error(
          { ...describeFailure(error) },
          'proxywatch could not render the metrics of a changed collector',
        );
      });
  }
}

/** Returns the items whose key none of the others has. */
const itemsNotIn = <T, K>(items: readonly T[], others: readonly T[], keyOf: (item: T) => K): T[] => {
  const keys = new Set(others.map(keyOf));
  return items.filter((item) => !keys.has(keyOf(item)));
};

const polledEndpointsOf = ({ jobs }: RunningAccount): PolledEndpoints => ({
  all: new Set(jobs.flatMap(({ endpoints }) => endpoints)),
  // Other collectors use this endpoint only to learn which customer the keys belong to, so they do not need it.
  required: new Set(
    jobs.flatMap(({ collector, endpoints }) =>
      endpoints.filter(
        (endpoint) =>
          !OPTIONAL_ENDPOINTS.includes(endpoint) &&
          (endpoint !== CUSTOMER_ENDPOINT || collector === 'proxy_users'),
      ),
    ),
  ),
});

const keyOf = ({ account, collector }: AccountJob): string => `${account}/${collector}`;

/**
 * Names accounts (`main`), collectors of accounts that exist before and after (`main/traffic`), alerts (`alerts`,
 * `main/alerts`), `remote_write`, `server.external_url`, `server.allowed_hosts` and `server.shards`.
 */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export const changesBetween = (
  before: readonly RunningAccount[],
  after: readonly RunningAccount[],
): Changes => {
  const pairs = after.flatMap((account) => {
    const old = before.find(({ name }) => name === account.name);
    return old ? [[old, account] as const] : [];
  });
  return {
    added: [...namesNotIn(after, before), ...pairs.flatMap(([old, account]) => jobsNotIn(account, old))],
    changed: pairs.flatMap(([old, account]) => changedPartsOf(old, account)),
    removed: [...namesNotIn(before, after), ...pairs.flatMap(([old, account]) => jobsNotIn(old, account))],
  };
};

export const jobsOf = (accounts: readonly RunningAccount[]): AccountJob[] =>
  accounts.flatMap(({ jobs }) => jobs);

const namesNotIn = (accounts: readonly RunningAccount[], others: readonly RunningAccount[]): string[] =>
  accounts.map(({ name }) => name).filter((name) => !others.some((other) => other.name === name));

const jobsNotIn = ({ name, jobs }: RunningAccount, other: RunningAccount): string[] =>
  jobs
    .filter(({ collector }) => !other.jobs.some((job) => job.collector === collector))
    .map(({ collector }) => `${name}/${collector}`);

const changedPartsOf = (before: RunningAccount, { name, settings, jobs }: RunningAccount): string[] => [
  ...(needsNewClient(before.settings, settings) ? [name] : []),
  ...(isUnchanged(before.settings.alerts, settings.alerts) ? [] : [`${name}/alerts`]),
  ...jobs
    .filter((job) => {
      const old = before.jobs.find(({ collector }) => collector === job.collector);
      return old !== undefined && old !== job;
    })
    .map(({ collector }) => `${name}/${collector}`),
];
