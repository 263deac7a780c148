// Loads and checks the configuration file as the settings of one shard, also by rules about several settings.

import { windowMistakes } from '../alerts/muting/maintenance-window.ts';
import { receiverMistakes } from '../alerts/receivers/options.ts';
import { describeUnknownWord } from '../collectors/unknown-words.ts';
import {
  ConfigError,
  type Mistake,
  mistakeIf,
  mistakesBelow,
  type SettingMistake,
} from '../config/config-error.ts';
import type { Environment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { loadWebConfig } from '../http/web-config/load.ts';
import { readerMistakes } from '../http/web-config/protect.ts';
import { remoteWriteMistakes } from './remote-write/options.ts';
import { publicPageMistakes, retentionMistakes, serverSchema, storeSchema } from './settings/store-schema.ts';
import { type Account, collectorsOf, type Settings, settingsSchema } from './settings.ts';
import { ALONE, EXPECTED_SHARD, ofShard, parseShard, type Shard, shardMistakes } from './shards/shard.ts';

/** The schema with defaults from the environment, which a container image sets; the file takes precedence. */
const settingsSchemaFor = ({ PROXYWATCH_LISTEN, PROXYWATCH_STORE }: Environment) =>
  settingsSchema.extend({ server: serverSchema(PROXYWATCH_LISTEN), store: storeSchema(PROXYWATCH_STORE) });

export interface LoadedSettings extends LoadedConfig<Settings> {
  /**
   * Settings that are in effect as they are: words that the provider's documentation does not have, paces that together are
   * above the provider's limit, then those of web.yml.
   */
  readonly warnings: readonly Mistake[];
}

/** Loads the settings of this shard: PROXYWATCH_SHARD, or the only one. Throws ConfigError. */
export const loadSettings = (file: string, env: Environment): LoadedSettings => {
  const shard = shardOf(file, env);
  return ofShard(loadAllSettings(file, env, shard), shard);
};

/** An empty variable is as a missing one. */
const shardOf = (file: string, { PROXYWATCH_SHARD: text }: Environment): Shard => {
  const shard = text ? parseShard(text) : ALONE;
  if (shard) return shard;
  const message = `the environment variable PROXYWATCH_SHARD is not valid: expected ${EXPECTED_SHARD}`;
  throw new ConfigError([{ file, line: 1, column: 1, path: '', message }]);
};

/** Loads and checks the file, and web.yml if it names one. Throws ConfigError with all mistakes of one of them. */
const loadAllSettings = (file: string, env: Environment, shard: Shard): LoadedSettings => {
  const loaded = loadConfig(file, settingsSchemaFor(env), env);
  throwIfAny(loaded, crossFieldMistakes(loaded.config, shard));
  const { web_config_file, readers } = loaded.config.server;
  const web = web_config_file === undefined ? undefined : loadWebConfig(web_config_file);
  throwIfAny(loaded, readerMistakes(readers, web && [...web.users.keys()]));
  const pace = sharedPaceWarnings(loaded.config.accounts).map(({ path, message }) =>
    loaded.mistakeAt(path, message),
  );
  const warnings = [...unknownWordsIn(loaded), ...pace].toSorted(
    (a, b) => a.line - b.line || a.column - b.column,
  );
  return { ...loaded, warnings: [...warnings, ...(web?.warnings ?? [])] };
};

const throwIfAny = ({ mistakeAt }: LoadedConfig<Settings>, found: readonly SettingMistake[]): void => {
  if (found.length > 0) throw new ConfigError(found.map(({ path, message }) => mistakeAt(path, message)));
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

/** Finds mistakes that concern several settings, which the schema alone cannot find. */
const crossFieldMistakes = (settings: Settings, shard: Shard): SettingMistake[] => {
  const { accounts, alerts, remote_write, server, store } = settings;
  const names = accounts.map(({ name }) => name);
  return [
    ...retentionMistakes(
      store.retention,
      accounts.flatMap(({ traffic }) => traffic || []),
    ),
    ...publicPageMistakes(server.public, names),
    ...mistakesBelow(['alerts', 'receivers'], receiverMistakes(alerts.receivers, names)),
    ...mistakesBelow(['remote_write'], remoteWriteMistakes(remote_write)),
    ...mistakesBelow(['alerts', 'maintenance'], windowMistakes(alerts.maintenance, names)),
    ...accounts.flatMap((account, index) => [
      ...mistakeIf(
        names.indexOf(account.name) !== index,
        ['accounts', index, 'name'],
        `another account has the name "${account.name}" already`,
      ),
      ...collectorsOf(account).flatMap(({ collector, options }) =>
        mistakesBelow(['accounts', index, collector.name], collector.mistakes?.(options, account) ?? []),
      ),
    ]),
    ...shardMistakes(settings, shard),
  ];
};

type PacedAccount = Pick<Account, 'name' | 'base_url' | 'public_key' | 'requests_per_second'>;

/** The provider's default limit for each customer, by its documentation. */
const CUSTOMER_LIMIT = 10;

/**
 * Returns a warning for the first account of each customer whose accounts may send more. All accounts of the file count,
 * also those of other shards. The file shows only by the public key that two accounts belong to one customer.
 */
const sharedPaceWarnings = (accounts: readonly PacedAccount[]): SettingMistake[] => {
  const byCustomer = Map.groupBy(accounts, customerOf).values();
  return [...byCustomer].flatMap((group) => {
    const total = group.reduce((sum, account) => sum + account.requests_per_second, 0);
    const [first] = group;
    if (!first || total <= CUSTOMER_LIMIT) return [];
    const path = ['accounts', accounts.indexOf(first), 'requests_per_second'];
    return [{ path, message: describe(group, total) }];
  });
};

const customerOf = ({ base_url, public_key }: PacedAccount): string =>
  JSON.stringify([new URL(base_url).host, public_key.reveal()]);

const describe = (group: readonly PacedAccount[], total: number): string => {
  const names = group.map(({ name }) => name).join(', ');
  const who =
    group.length === 1
      ? `the account ${names} may send`
      : `the accounts ${names} have the same public key, and together they may send`;
  return `${who} ${total} requests a second, but the provider allows ${CUSTOMER_LIMIT} a second for each customer. Lower requests_per_second, unless the provider allows you more`;
};
