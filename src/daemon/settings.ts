// Composes the schema of the whole configuration from the settings of the daemon, its accounts and their collectors.

import { z } from 'zod';
import type { LinkSettings } from '../alerts/links.ts';
import { windowMistakes } from '../alerts/muting/window-mistakes.ts';
import { windowOptions } from '../alerts/muting/window-options.ts';
import { receiverMistakes, receiverOptions } from '../alerts/receivers/options.ts';
import { type AlertOverrides, alertOverrideSchemas, thresholdsOf } from '../alerts/settings.ts';
import type { Collector } from '../collectors/collector.ts';
import type { AccountSettings, CollectorName } from '../collectors/context.ts';
import { COLLECTORS, type COLLECTORS_BY_NAME } from '../collectors/index.ts';
import { describeUnknownWord } from '../collectors/unknown-words.ts';
import { ConfigError, type Mistake, type Path } from '../config/config-error.ts';
import type { Environment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import {
  cronExpression,
  duration,
  hostName,
  httpUrl,
  listenAddress,
  objectWithSecrets,
  relativePath,
  secret,
  timeZone,
} from '../config/primitives.ts';
import type { HostSettings } from '../http/host-check.ts';
import { loadWebConfig } from '../http/web-config/load.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { remoteWriteMistakes } from './remote-write/mistakes.ts';
import { remoteWriteOptions } from './remote-write/options.ts';
import { retentionMistakes, retentionSchema } from './retention.ts';
import { ofShard } from './shards/of-shard.ts';
import { ALONE, EXPECTED_SHARD, parseShard, type Shard, type Sharding } from './shards/shard.ts';

const off = z.literal(false);

/** The address of Byteful's API. Another provider that speaks the same API has another one. */
export const DEFAULT_BASE_URL = 'https://api.byteful.com/1.0';

/** Returns the schema of a collector's section. `false` turns the collector off. */
const sectionOf = ({ description, isOnByDefault, options }: Collector): z.ZodType => {
  const section = z.union([off, options]);
  return (isOnByDefault ? section.prefault({}) : section.default(false)).describe(description);
};

const collectorSections = Object.fromEntries(
  COLLECTORS.map((collector) => [collector.name, sectionOf(collector)]),
) as { readonly [N in CollectorName]: z.ZodType<false | OptionsOf<N>> };

type OptionsOf<N extends CollectorName> = z.output<(typeof COLLECTORS_BY_NAME)[N]['options']>;

const accountSchema = objectWithSecrets(
  {
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'expected letters, digits, dots, dashes or underscores')
      .describe(
        'Name of the account. The name is the label `account`, and the key of the account’s rows in the store',
      ),
    shard: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of the shard that runs the account, from 0. The default is the shard that proxywatch computes from the name. Without shards, this setting has no effect',
      ),
    base_url: httpUrl()
      .prefault(DEFAULT_BASE_URL)
      .describe('Address of the provider’s API, with the API version at its end'),
    time_zone: timeZone().prefault('UTC').describe('Time zone of the provider’s datetimes'),
    schedule_time_zone: timeZone()
      .optional()
      .describe('Time zone of the account’s schedules. The default is the global schedule_time_zone'),
    response_time_unit: z
      .enum(['milliseconds', 'seconds'])
      .default('milliseconds')
      .describe('Unit of the provider’s response times of proxy tests'),
    requests_per_second: z
      .number()
      .positive()
      .max(1_000_000)
      .default(8)
      .describe('Maximum number of requests per second that all collectors of the account send together'),
    request_timeout: duration({ min: SECOND, max: 10 * MINUTE })
      .prefault('30s')
      .describe('Time limit of each attempt to send a request and receive its answer'),
    parameters: z
      .strictObject({
        product_type: z
          .string()
          .min(1)
          .default('network')
          .describe('Name of the request parameter that filters traffic by product type'),
        concurrency: z
          .string()
          .min(1)
          .default('show_log_concurrency')
          .describe(
            'Name of the request parameter with which proxywatch requests the concurrency of traffic',
          ),
      })
      .prefault({})
      .describe('Names of request parameters that the provider’s documentation does not name'),
    ...collectorSections,
    alerts: z
      .strictObject(alertOverrideSchemas(['account']))
      .prefault({})
      .describe('Changes to alerts, for this account only'),
  },
  {
    public_key: secret().describe('Public key of the account'),
    private_key: secret().describe('Private key of the account'),
  },
);

const serverSchema = (listen = '127.0.0.1:9876') =>
  z
    .strictObject({
      listen: listenAddress().prefault(listen).describe('Listen address of the HTTP server'),
      web_config_file: relativePath()
        .optional()
        .describe('File with TLS, client certificates and passwords, in the format of Prometheus exporters'),
      external_url: httpUrl()
        .optional()
        .describe('Address of the status page in your browser. Notifications link to this address'),
      allowed_hosts: z
        .array(hostName())
        .prefault([])
        .describe(
          'Names under which clients may request this server, in addition to localhost and the host of external_url',
        ),
      shards: z
        .array(httpUrl())
        .prefault([])
        .describe('Addresses of the status pages of all shards, from shard 0. Each page links to the others'),
    })
    .prefault({})
    .describe('The HTTP server');

const backupSchema = z
  .strictObject({
    schedule: cronExpression().default('30 3 * * *').describe('Schedule for backups'),
    path: relativePath().describe('Folder for backups. Its parent folder must exist'),
    keep: z.number().int().min(1).max(1_000).default(7).describe('Number of backups to keep'),
  })
  .describe('Scheduled backups of the store');

const storeSchema = (path = './data/proxywatch.db') =>
  z
    .strictObject({
      path: relativePath().prefault(path).describe('SQLite file with all data that must outlive a restart'),
      retention: retentionSchema.prefault({}),
      backup: backupSchema.optional(),
    })
    .prefault({})
    .describe('The store and its history');

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
    })
    .prefault({})
    .describe('First values of new counters'),
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
      docs_url: httpUrl()
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

/** The schema with defaults from the environment, which a container image sets; the file takes precedence. */
const settingsSchemaFor = ({ PROXYWATCH_LISTEN, PROXYWATCH_STORE }: Environment) =>
  settingsSchema.extend({ server: serverSchema(PROXYWATCH_LISTEN), store: storeSchema(PROXYWATCH_STORE) });

export type Settings = z.output<typeof settingsSchema> & {
  /** `accounts` are those of this shard only. By default the daemon is the only shard. */
  readonly sharding?: Sharding;
};
export type Account = Settings['accounts'][number];

export interface LoadedSettings extends LoadedConfig<Settings> {
  /** Settings that are in effect as they are: words that the provider's documentation does not have, then those of web.yml. */
  readonly warnings: readonly Mistake[];
}

/** Loads the settings of this shard: PROXYWATCH_SHARD, or the only one. Throws ConfigError. */
export const loadSettings = (file: string, env: Environment): LoadedSettings =>
  ofShard(loadAllSettings(file, env), shardOf(file, env));

/** An empty variable is as a missing one. */
const shardOf = (file: string, { PROXYWATCH_SHARD: text }: Environment): Shard => {
  const shard = text ? parseShard(text) : ALONE;
  if (shard) return shard;
  const message = `the environment variable PROXYWATCH_SHARD is not valid: expected ${EXPECTED_SHARD}`;
  throw new ConfigError([{ file, line: 1, column: 1, path: '', message }]);
};

/** Loads and checks the file, and web.yml if it names one. Throws ConfigError with all mistakes of one of them. */
const loadAllSettings = (file: string, env: Environment): LoadedSettings => {
  const loaded = loadConfig(file, settingsSchemaFor(env), env);
  const mistakes = crossFieldMistakes(loaded.config).map(({ path, message }) =>
    loaded.mistakeAt(path, message),
  );
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const { web_config_file } = loaded.config.server;
  const web = web_config_file === undefined ? undefined : loadWebConfig(web_config_file);
  const warnings = unknownWordsIn(loaded).toSorted((a, b) => a.line - b.line || a.column - b.column);
  return { ...loaded, warnings: [...warnings, ...(web?.warnings ?? [])] };
};

const unknownWordsIn = ({ config, mistakeAt, isFromEnvironment }: LoadedConfig<Settings>): Mistake[] =>
  config.accounts.flatMap((account, index) =>
    collectorsOf(account).flatMap(({ collector, options }) =>
      (collector.unknownWords?.(options) ?? []).map((unknown) => {
        const path = ['accounts', index, collector.name, ...unknown.path];
        return mistakeAt(path, describeUnknownWord(unknown, !isFromEnvironment(path)));
      }),
    ),
  );

interface RuleMistake {
  readonly path: Path;
  readonly message: string;
}

/** Finds mistakes that concern several settings, which the schema alone cannot find. */
const crossFieldMistakes = (settings: Settings): RuleMistake[] => [
  ...retentionMistakes(
    settings.store.retention,
    settings.accounts.flatMap(({ traffic }) => traffic || []),
  ),
  ...receiverMistakes(
    settings.alerts.receivers,
    settings.accounts.map(({ name }) => name),
  ).map(({ path, message }) => ({
    path: ['alerts', 'receivers', ...path],
    message,
  })),
  ...remoteWriteMistakes(settings.remote_write).map(({ path, message }) => ({
    path: ['remote_write', ...path],
    message,
  })),
  ...windowMistakes(
    settings.alerts.maintenance,
    settings.accounts.map(({ name }) => name),
  ).map(({ path, message }) => ({ path: ['alerts', 'maintenance', ...path], message })),
  ...accountMistakes(settings),
];

const accountMistakes = ({ accounts }: Settings): RuleMistake[] =>
  accounts.flatMap((settings, index) => [
    ...(accounts.findIndex(({ name }) => name === settings.name) === index
      ? []
      : [
          {
            path: ['accounts', index, 'name'],
            message: `another account has the name "${settings.name}" already`,
          },
        ]),
    ...collectorsOf(settings).flatMap(({ collector, options }) =>
      (collector.mistakes?.(options, settings) ?? []).map(({ path, message }) => ({
        path: ['accounts', index, collector.name, ...path],
        message,
      })),
    ),
  ]);

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

/** Returns the settings that say which names the server has. */
export const hostSettings = ({ server }: Settings): HostSettings => ({
  allowedHosts: server.allowed_hosts,
  externalUrl: server.external_url,
});

/** Returns the addresses that alerts link to. `docsUrl` is that of the documentation if the configuration has none. */
export const alertLinks = ({ server, alerts }: Settings, docsUrl?: string): LinkSettings => ({
  docsUrl: alerts.docs_url ?? docsUrl,
  externalUrl: server.external_url,
  dashboardUrl: alerts.dashboard_url,
});

/** Returns the enabled collectors with their options. */
export const collectorsOf = (settings: Account) =>
  COLLECTORS.flatMap((collector) => {
    const options = settings[collector.name];
    return options === false ? [] : [{ collector, options }];
  });
