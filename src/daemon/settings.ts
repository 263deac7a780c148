// Composes the schema of the whole configuration from the settings of the daemon, its accounts and their collectors.

import { z } from 'zod';
import { receiverMistakes, receiverOptions } from '../alerts/receivers/options.ts';
import { type AlertOverrides, alertOverrideSchemas, thresholdsOf } from '../alerts/settings.ts';
import { catalogOptions } from '../collectors/catalog/options.ts';
import type { AccountSettings } from '../collectors/context.ts';
import { geographyOptions } from '../collectors/geography/options.ts';
import { COLLECTORS } from '../collectors/index.ts';
import { inventoryOptions } from '../collectors/inventory/options.ts';
import { proxyTestOptions } from '../collectors/proxy-tests/options.ts';
import { proxyUserOptions } from '../collectors/proxy-users/options.ts';
import { quoteOptions } from '../collectors/quotes/options.ts';
import { reconciliationOptions } from '../collectors/reconciliation/reconciliation.ts';
import { ledgerOptions } from '../collectors/residential-ledger/residential-ledger.ts';
import { serviceOptions } from '../collectors/services/options.ts';
import { trafficOptions } from '../collectors/traffic/options.ts';
import { ConfigError, type Path } from '../config/config-error.ts';
import type { Environment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import {
  duration,
  httpUrl,
  listenAddress,
  objectWithSecrets,
  relativePath,
  secret,
  timeZone,
} from '../config/primitives.ts';
import { loadWebConfig } from '../http/web-config/load.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { retentionMistakes, retentionSchema } from './retention.ts';

const off = z.literal(false);

const accountSchema = objectWithSecrets(
  {
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'expected letters, digits, dots, dashes or underscores')
      .describe('Label `account` of the series, and the key of its rows in the store'),
    base_url: httpUrl(),
    time_zone: timeZone().default('UTC').describe('Zone of the provider’s datetimes'),
    schedule_time_zone: timeZone().optional().describe('Zone of the schedules'),
    response_time_unit: z.enum(['milliseconds', 'seconds']).default('milliseconds'),
    requests_per_second: z
      .number()
      .positive()
      .max(1_000_000)
      .default(8)
      .describe('One budget for all collectors'),
    request_timeout: duration({ min: SECOND, max: 10 * MINUTE }).prefault('30s'),
    parameters: z
      .strictObject({
        product_type: z.string().min(1).default('network'),
        concurrency: z.string().min(1).default('show_log_concurrency'),
      })
      .prefault({})
      .describe('Names that the API’s documentation leaves open'),
    traffic: z.union([off, trafficOptions]).prefault({}),
    residential_ledger: z.union([off, ledgerOptions]).prefault({}),
    proxy_users: z.union([off, proxyUserOptions]).prefault({}),
    proxy_tests: z.union([off, proxyTestOptions]).default(false),
    catalog: z.union([off, catalogOptions]).default(false),
    quotes: z.union([off, quoteOptions]).default(false),
    geography: z.union([off, geographyOptions]).default(false),
    inventory: z.union([off, inventoryOptions]).default(false),
    services: z.union([off, serviceOptions]).default(false),
    reconciliation: z.union([off, reconciliationOptions]).prefault({}),
    alerts: z
      .strictObject(alertOverrideSchemas(['account']))
      .prefault({})
      .describe('Thresholds of this account over those of all'),
  },
  { public_key: secret(), private_key: secret() },
);

const serverSchema = (listen = '127.0.0.1:9876') =>
  z
    .strictObject({
      listen: listenAddress().prefault(listen),
      web_config_file: relativePath()
        .optional()
        .describe('web.yml as the exporters of Prometheus have it: TLS, client certificates, passwords'),
    })
    .prefault({});

const storeSchema = (path = './data/proxywatch.db') =>
  z
    .strictObject({ path: relativePath().prefault(path), retention: retentionSchema.prefault({}) })
    .prefault({});

export const settingsSchema = z.strictObject({
  server: serverSchema(),
  store: storeSchema(),
  metrics: z
    .strictObject({
      first_step_hold: duration()
        .prefault('2m')
        .describe('A new counter shows 0 this long, so that increase() sees its first step'),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
      format: z.enum(['json', 'pretty']).default('json'),
    })
    .prefault({}),
  schedule_time_zone: timeZone().default('UTC'),
  alerts: z
    .strictObject({
      evaluate: z
        .boolean()
        .optional()
        .describe(
          'Whether the daemon evaluates alerts itself; it does where there are receivers unless told',
        ),
      receivers: receiverOptions,
      ...alertOverrideSchemas(['account', 'daemon']),
    })
    .prefault({})
    .describe('Receivers, and thresholds, holds and severities of alerts, by name'),
  accounts: z.array(accountSchema).min(1, 'expected at least one account'),
});

/** The schema with defaults from the environment, which a container image sets; the file takes precedence. */
const settingsSchemaFor = ({ PROXYWATCH_LISTEN, PROXYWATCH_STORE }: Environment) =>
  settingsSchema.extend({ server: serverSchema(PROXYWATCH_LISTEN), store: storeSchema(PROXYWATCH_STORE) });

export type Settings = z.output<typeof settingsSchema>;
export type Account = Settings['accounts'][number];

/** Loads and checks the file, and web.yml if it names one. Throws ConfigError with all mistakes of one of them. */
export const loadSettings = (file: string, env: Environment): LoadedConfig<Settings> => {
  const loaded = loadConfig(file, settingsSchemaFor(env), env);
  const mistakes = crossFieldMistakes(loaded.config).map(({ path, message }) =>
    loaded.mistakeAt(path, message),
  );
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const { web_config_file } = loaded.config.server;
  if (web_config_file !== undefined) loadWebConfig(web_config_file);
  return loaded;
};

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
  ...receiverMistakes(settings.alerts.receivers).map(({ path, message }) => ({
    path: ['alerts', 'receivers', ...path],
    message,
  })),
  ...accountMistakes(settings),
];

const accountMistakes = ({ accounts }: Settings): RuleMistake[] =>
  accounts.flatMap((settings, index) => [
    ...(accounts.findIndex(({ name }) => name === settings.name) === index
      ? []
      : [
          {
            path: ['accounts', index, 'name'],
            message: `another account is called "${settings.name}" already`,
          },
        ]),
    ...collectorsOf(settings).flatMap(({ collector, options }) =>
      (collector.mistakes?.(options) ?? []).map(({ path, message }) => ({
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
  evaluate: _,
  receivers: __,
  ...changes
}: Settings['alerts']): AlertOverrides => changes;

/** Returns the enabled collectors with their options. */
export const collectorsOf = (settings: Account) =>
  COLLECTORS.flatMap((collector) => {
    const options = settings[collector.name];
    return options === false ? [] : [{ collector, options }];
  });
