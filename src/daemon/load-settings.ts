// Loads and checks the configuration file, as the settings of one shard.

import { describeUnknownWord } from '../collectors/unknown-words.ts';
import { ConfigError, type Mistake } from '../config/config-error.ts';
import type { Environment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { loadWebConfig } from '../http/web-config/load.ts';
import { crossFieldMistakes, sharedPaceWarnings } from './settings/cross-field-mistakes.ts';
import { serverSchema } from './settings/server-schema.ts';
import { storeSchema } from './settings/store-schema.ts';
import { collectorsOf, type Settings, settingsSchema } from './settings.ts';
import { ALONE, EXPECTED_SHARD, parseShard, type Shard } from './shards/shard.ts';
import { ofShard } from './shards/shard-settings.ts';

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
  const mistakes = crossFieldMistakes(loaded.config, shard).map(({ path, message }) =>
    loaded.mistakeAt(path, message),
  );
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const { web_config_file } = loaded.config.server;
  const web = web_config_file === undefined ? undefined : loadWebConfig(web_config_file);
  const pace = sharedPaceWarnings(loaded.config.accounts).map(({ path, message }) =>
    loaded.mistakeAt(path, message),
  );
  const warnings = [...unknownWordsIn(loaded), ...pace].toSorted(
    (a, b) => a.line - b.line || a.column - b.column,
  );
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
