// Composes the schema of the whole configuration, and takes from a reloaded one what can change without a restart.

import { z } from 'zod';
import { windowOptions } from '../alerts/muting/maintenance-window.ts';
import { receiverOptions } from '../alerts/receivers/options.ts';
import { type AlertOverrides, alertOverrideSchemas, thresholdsOf } from '../alerts/settings.ts';
import type { AccountSettings } from '../collectors/context.ts';
import { COLLECTORS } from '../collectors/index.ts';
import { baseUrl, duration, httpUrl, timeZone } from '../config/primitives.ts';
import { isUnchanged, reuseUnchanged } from '../config/unchanged.ts';
import { remoteWriteOptions } from './remote-write/options.ts';
import { accountSchema } from './settings/account-schema.ts';
import { serverSchema, storeSchema } from './settings/store-schema.ts';
import type { Sharding } from './shards/shard.ts';

export const settingsSchema = z.strictObject({
  server: serverSchema(),
  store: storeSchema(),
  metrics: z
    .strictObject({
      first_step_hold: duration()
        .prefault('2m')
        .describe(
          'Time during which a new counter shows 0, so that increase() counts the first value of the counter',
        ),
      derived_counters: z
        .boolean()
        .default(false)
        .describe('True to show proxywatch_proxy_test_successes_total too, which is results minus failures'),
    })
    .prefault({})
    .describe('Counters in /metrics'),
  log: z
    .strictObject({
      level: z
        .enum(['trace', 'debug', 'info', 'warn', 'error'])
        .default('info')
        .describe('Lowest level of the lines that proxywatch logs'),
      format: z.enum(['json', 'pretty']).default('json').describe('json for programs, pretty for people'),
    })
    .prefault({})
    .describe('The log'),
  schedule_time_zone: timeZone().prefault('UTC').describe('Time zone of all schedules'),
  alerts: z
    .strictObject({
      evaluate: z
        .boolean()
        .optional()
        .describe(
          'True if the daemon evaluates alerts itself. The default is true if there are receivers, otherwise false',
        ),
      docs_url: baseUrl()
        .optional()
        .describe(
          'Address of your copy of this documentation, or of its page about alerts (ending with .html or .md). Alerts link to this address. The default is the page of this version in the repository, if package.json names it',
        ),
      dashboard_url: httpUrl()
        .optional()
        .describe('Address of a dashboard. Notifications link to this address'),
      receivers: receiverOptions,
      maintenance: windowOptions,
      ...alertOverrideSchemas(['account', 'daemon']),
    })
    .prefault({})
    .describe('Receivers of notifications, maintenance windows, and changes to alerts by their names'),
  remote_write: remoteWriteOptions,
  accounts: z
    .array(accountSchema)
    .min(1, 'expected at least one account')
    .describe('The accounts at the provider'),
});

export type Settings = z.output<typeof settingsSchema> & {
  /** `accounts` are those of this shard only. By default the daemon is the only shard. */
  readonly sharding?: Sharding;
};
export type Account = Settings['accounts'][number];

/** Returns the account's settings in the form that its collectors use. */
export const accountSettings = (
  accountSchema: Account,
  { schedule_time_zone, alerts }: Settings,
): AccountSettings => ({
  ...accountSchema,
  schedule_time_zone: accountSchema.schedule_time_zone ?? schedule_time_zone,
  collectors: collectorsOf(accountSchema).map(({ collector }) => collector.name),
  thresholds: thresholdsOf('account', globalAlertChanges(alerts), accountSchema.alerts),
});

/** Returns the changes to alerts that apply to the daemon and to all accounts. */
export const globalAlertChanges = ({
  evaluate: _evaluate,
  receivers: _receivers,
  maintenance: _maintenance,
  docs_url: _docsUrl,
  dashboard_url: _dashboardUrl,
  ...changes
}: Settings['alerts']): AlertOverrides => changes;

export const collectorsOf = (settings: Account) =>
  COLLECTORS.flatMap((collector) => {
    const options = settings[collector.name];
    return options === false ? [] : [{ collector, options }];
  });

/** Takes from `loaded` what can change without a restart; unchanged entries keep their identity, so that jobs are reused. */
export const applyReloadable = (current: Settings, loaded: Settings): Settings => {
  const known = new Map(current.accounts.map((account) => [account.name, account]));
  return {
    ...current,
    ...(loaded.sharding && { sharding: loaded.sharding }),
    server: { ...current.server, ...reloadable(loaded.server) },
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

const RELOADABLE = ['readers', 'public', 'external_url', 'allowed_hosts', 'shards'] as const;

const reloadable = (server: Settings['server']): Partial<Settings['server']> =>
  Object.fromEntries(RELOADABLE.map((setting) => [setting, server[setting]]));

/** Returns the paths of changed settings that do not belong to an account. */
export const changedSections = (before: Settings, after: Settings): string[] => [
  ...(['alerts', 'remote_write'] as const).filter((section) => !isUnchanged(before[section], after[section])),
  ...RELOADABLE.filter((setting) => !isUnchanged(before.server[setting], after.server[setting])).map(
    (setting) => `server.${setting}`,
  ),
];
