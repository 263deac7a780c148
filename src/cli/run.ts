// proxywatch run: runs the daemon.

import { describeMistake, type Mistake } from '../config/config-error.ts';
import { createApp } from '../daemon/app.ts';
import { type LoadedSettings, loadSettings } from '../daemon/load-settings.ts';
import { Reloader, serve } from '../daemon/serve.ts';
import { logShard } from '../daemon/shards/shard.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { enlargeYoungGeneration, saveMemory, setHeapGrowth } from './heap-size.ts';
import { createLog, logSecretFiles } from './logger.ts';
import { type ShardOption, withShard } from './options.ts';
import { progressBar, showWork } from './progress-bar.ts';

/** Runs until the signal aborts. Throws ConfigError, StoreError, or the server's error if it cannot start. */
export const run = async (
  context: CommandContext,
  { config: file, ...option }: { config: string } & ShardOption,
): Promise<ExitCode> => {
  const { signal, stdout, stderr, version, nodeVersion, docsUrl, onHangup } = context;
  const env = withShard(context.env, option);
  const { config: settings, mistakeAt, warnings } = loadSettings(file, env);
  enlargeYoungGeneration(settings.accounts.length);
  setHeapGrowth(settings.accounts.length);
  using bar = progressBar(stderr, settings.log.format === 'pretty');
  const log = createLog(settings.log, bar.keepBelow(stdout));
  using _secretFiles = logSecretFiles(log);
  const clock = systemClock;
  logWarnings(log, warnings);
  logShard(log, settings);
  const load = (): LoadedSettings => {
    const loaded = loadSettings(file, env);
    setHeapGrowth(loaded.config.accounts.length);
    logWarnings(log, loaded.warnings);
    return loaded;
  };
  const reloader = new Reloader({ load, clock, log });
  onHangup(() => void reloader.request());
  await using app = await createApp({ settings, clock, log, version, nodeVersion, docsUrl, mistakeAt });
  using _heap = saveMemory(app.exposition);
  await using _ = showWork(bar, app, clock);
  await serve({ app, settings, clock, log, version, signal, reloader });
  log.info({}, 'received a stop signal, stopping');
  return 0;
};

const logWarnings = (log: Log, warnings: readonly Mistake[]): void => {
  for (const warning of warnings) log.warn({ setting: warning.path }, describeMistake(warning));
};
