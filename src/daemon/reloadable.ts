// Takes from a reloaded configuration what can change without a restart.

import { isUnchanged, reuseUnchanged } from '../config/unchanged.ts';
import type { Settings } from './settings.ts';

/** Takes from `loaded` what can change without a restart; unchanged entries keep their identity, so that jobs are reused. */
export const applyReloadable = (current: Settings, loaded: Settings): Settings => {
  const { external_url, allowed_hosts, shards } = loaded.server;
  const known = new Map(current.accounts.map((account) => [account.name, account]));
  return {
    ...current,
    ...(loaded.sharding && { sharding: loaded.sharding }),
    server: { ...current.server, external_url, allowed_hosts, shards },
    store: { ...current.store, retention: loaded.store.retention },
    log: { ...current.log, level: loaded.log.level },
    alerts: loaded.alerts,
    remote_write: loaded.remote_write,
    schedule_time_zone: loaded.schedule_time_zone,
    accounts: loaded.accounts.map((account) => {
      const before = known.get(account.name);
      return before ? reuseUnchanged(before, account) : account;
    }),
  };
};

/** Returns the paths of changed settings that do not belong to an account. */
export const changedSections = (before: Settings, after: Settings): string[] => [
  ...(['alerts', 'remote_write'] as const).filter((section) => !isUnchanged(before[section], after[section])),
  ...(['external_url', 'allowed_hosts', 'shards'] as const)
    .filter((setting) => !isUnchanged(before.server[setting], after.server[setting]))
    .map((setting) => `server.${setting}`),
];
