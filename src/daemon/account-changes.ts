// Lists what a reload changed in the accounts, for the log and the answer to the request.

import { isUnchanged } from '../config/unchanged.ts';
import { type AccountJob, needsNewClient, type RunningAccount } from './account.ts';

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
