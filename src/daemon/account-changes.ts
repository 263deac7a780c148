// What another configuration changed in the running accounts, in the words of the log and of the answer.

import { isUnchanged } from '../config/unchanged.ts';
import { type AccountJob, hasOtherClient, type RunningAccount } from './account.ts';

/** Accounts (`main`), collectors of accounts that were there before and are still (`main/traffic`), and alerts (`alerts`, `main/alerts`). */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export const changesOf = (before: readonly RunningAccount[], after: readonly RunningAccount[]): Changes => {
  const pairs = after.flatMap((account) => {
    const old = before.find(({ name }) => name === account.name);
    return old ? [[old, account] as const] : [];
  });
  return {
    added: [...namesBeyond(after, before), ...pairs.flatMap(([old, account]) => jobsBeyond(account, old))],
    changed: pairs.flatMap(([old, account]) => changedIn(old, account)),
    removed: [...namesBeyond(before, after), ...pairs.flatMap(([old, account]) => jobsBeyond(old, account))],
  };
};

export const jobsOf = (accounts: readonly RunningAccount[]): AccountJob[] =>
  accounts.flatMap(({ jobs }) => jobs);

const namesBeyond = (accounts: readonly RunningAccount[], others: readonly RunningAccount[]): string[] =>
  accounts.map(({ name }) => name).filter((name) => !others.some((other) => other.name === name));

const jobsBeyond = ({ name, jobs }: RunningAccount, other: RunningAccount): string[] =>
  jobs
    .filter(({ collector }) => !other.jobs.some((job) => job.collector === collector))
    .map(({ collector }) => `${name}/${collector}`);

const changedIn = (before: RunningAccount, { name, settings, jobs }: RunningAccount): string[] => [
  ...(hasOtherClient(before.settings, settings) ? [name] : []),
  ...(isUnchanged(before.settings.alerts, settings.alerts) ? [] : [`${name}/alerts`]),
  ...jobs
    .filter((job) => {
      const old = before.jobs.find(({ collector }) => collector === job.collector);
      return old !== undefined && old !== job;
    })
    .map(({ collector }) => `${name}/${collector}`),
];
