// The accounts of a daemon, and how those of another configuration take their place while it runs.

import { isUnchanged } from '../config/unchanged.ts';
import { CUSTOMER_ENDPOINT } from '../provider/customer.ts';
import type { Asked } from '../provider/endpoints.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Runner } from '../schedule/runner.ts';
import {
  type AccountDependencies,
  type AccountJob,
  arrangeAccount,
  hasOtherClient,
  type RunningAccount,
} from './account.ts';
import { type Changes, changesOf, jobsOf } from './account-changes.ts';
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

  /** Makes what the store must hold and renders what it says, so that accounts show before their first poll. */
  async open(settings: Settings): Promise<void> {
    this.#list = settings.accounts.map((account) => arrangeAccount(account, settings, this.#dependencies));
    for (const account of this.#list) {
      this.#expect(account);
      await account.client.endpoints.open(askedBy(account));
      for (const job of account.jobs) await job.open();
      for (const job of account.jobs) await job.render();
    }
  }

  /**
   * Puts the accounts of these settings in the place of those that run: jobs that have changed or are gone end their
   * runs, the others don't notice. Throws StoreError, and then all is as it was.
   */
  async replace(settings: Settings): Promise<Changes> {
    const before = this.#list;
    const known = new Map(before.map((account) => [account.name, account]));
    const after = settings.accounts.map((account) =>
      arrangeAccount(account, settings, this.#dependencies, known.get(account.name)),
    );
    const leaving = without(jobsOf(before), jobsOf(after), (job) => job);
    const coming = without(jobsOf(after), jobsOf(before), (job) => job);
    await Promise.all(leaving.map(({ account, collector }) => this.#runner.remove(account, collector)));
    try {
      for (const account of after)
        if (!known.has(account.name)) await account.client.endpoints.open(askedBy(account));
      for (const job of coming) await job.open();
    } catch (error) {
      await this.#goBack(leaving, after);
      throw error;
    }
    this.#list = after;
    const gone = without(before, after, ({ name }) => name);
    this.#forget(gone, without(leaving, coming, keyOf));
    const kept = without(jobsOf(after), coming, (job) => job);
    const compared = after.filter((account) => this.#renew(account, known.get(account.name)));
    await this.#show(kept.filter((job) => compared.some(({ name }) => name === job.account)));
    await this.#begin(coming, leaving);
    for (const { client } of gone) await client[Symbol.asyncDispose]();
    return changesOf(before, after);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client } of this.#list) await client[Symbol.asyncDispose]();
  }

  async #goBack(leaving: readonly AccountJob[], after: readonly RunningAccount[]): Promise<void> {
    const used = new Set(this.#list.map(({ client }) => client));
    for (const { client } of after) if (!used.has(client)) await client[Symbol.asyncDispose]();
    for (const job of leaving) {
      job.reopen();
      await this.#runner.add(job, true);
    }
  }

  /** Shows no more what is gone; endpoints that another collector calls as well are expected again right after. */
  #forget(accounts: readonly RunningAccount[], jobs: readonly AccountJob[]): void {
    const { exposition, metrics } = this.#dependencies;
    for (const job of jobs) {
      exposition.drop(job);
      for (const subject of [job.collector, ...job.endpoints]) metrics.forget(job.account, subject);
    }
    for (const { name } of accounts) {
      exposition.dropAccount(name);
      metrics.forgetAccount(name);
    }
  }

  /** Tells whether conditions are compared with other thresholds now. */
  #renew(account: RunningAccount, before: RunningAccount | undefined): boolean {
    if (before && hasOtherClient(before.settings, account.settings)) account.client.replace(account.settings);
    account.client.endpoints.live.keep(askedBy(account));
    this.#expect(account);
    const { thresholds, wantedThresholds } = account;
    const isSame = isUnchanged(thresholds.current, wantedThresholds);
    thresholds.current = wantedThresholds;
    return !isSame;
  }

  #expect({ name, client, jobs }: RunningAccount): void {
    const { metrics } = this.#dependencies;
    metrics.watchPace(name, client.pace);
    metrics.watchEndpoints(name, () => client.standing);
    for (const { collector, endpoints } of jobs) {
      metrics.expectCollector(name, collector);
      for (const endpoint of endpoints) metrics.expectEndpoint(name, endpoint);
    }
  }

  /** What has changed runs at once, for its last run was of another kind, or was cut short. */
  async #begin(coming: readonly AccountJob[], leaving: readonly AccountJob[]): Promise<void> {
    const known = new Set(leaving.map(keyOf));
    for (const job of coming) {
      await this.#show([job]);
      await this.#runner.add(job, known.has(keyOf(job)));
    }
  }

  async #show(jobs: readonly AccountJob[]): Promise<void> {
    for (const job of jobs)
      await job.render().catch((error) => {
        this.#dependencies.log.error({ ...describeFailure(error) }, 'a changed collector could not be shown');
      });
  }
}

/** The items of which the others have none with the same key. */
const without = <T, K>(items: readonly T[], others: readonly T[], keyOf: (item: T) => K): T[] => {
  const keys = new Set(others.map(keyOf));
  return items.filter((item) => !keys.has(keyOf(item)));
};

const askedBy = ({ jobs }: RunningAccount): Asked => ({
  endpoints: new Set(jobs.flatMap(({ endpoints }) => endpoints)),
  // Whose the keys are is asked by the way, unless users are what is polled.
  needed: new Set(
    jobs.flatMap(({ collector, endpoints }) =>
      endpoints.filter((endpoint) => endpoint !== CUSTOMER_ENDPOINT || collector === 'proxy_users'),
    ),
  ),
});

const keyOf = ({ account, collector }: AccountJob): string => `${account}/${collector}`;
