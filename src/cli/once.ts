// proxywatch export once: runs every collector once with a temporary store, and prints the metrics.

import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type App, createApp } from '../daemon/app.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import type { Settings } from '../daemon/settings.ts';
import { logShard } from '../daemon/shards/shard.ts';
import { systemClock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { createLog } from './logger.ts';
import { type ShardOption, withShard } from './options.ts';
import { inTemporaryFolder } from './output-file.ts';
import { progressBar, showWork } from './progress-bar.ts';

export interface OnceOptions extends ShardOption {
  readonly config: string;
  /** Whether to run proxy tests too; off by default, because they cost test runs. */
  readonly tests?: boolean;
}

/** Returns 1 if any collector failed, completely or in part. Throws ConfigError. */
export const once = async (
  context: CommandContext,
  { config, tests, ...option }: OnceOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, withShard(context.env, option));
  return inTemporaryFolder('once', (folder) =>
    runOnce(context, settingsOfOnce(settings, join(folder, 'proxywatch.db'), tests)),
  );
};

/** Returns the settings without everything that reaches further than the provider and a temporary store at `path`. */
export const settingsOfOnce = (settings: Settings, path: string, tests = false): Settings => ({
  ...settings,
  store: { path, retention: settings.store.retention },
  // No second run follows for which the first step of a counter would be held.
  metrics: { ...settings.metrics, first_step_hold: 0 },
  alerts: { ...settings.alerts, evaluate: false, receivers: [] },
  remote_write: [],
  accounts: tests
    ? settings.accounts
    : settings.accounts.map((account) => ({ ...account, proxy_tests: false, probes: false })),
});

const runOnce = async (context: CommandContext, settings: Settings): Promise<ExitCode> => {
  const { signal, stderr, stdout, version, nodeVersion } = context;
  using bar = progressBar(stderr, settings.log.format === 'pretty');
  const log = createLog(settings.log, bar.keepBelow(stderr));
  logShard(log, settings);
  await using app = await createApp({ settings, clock: systemClock, log, version, nodeVersion });
  for (const { jobs } of app.accounts) for (const job of jobs) await app.runner.add(job);
  const stop = (): void => void app.runner.stop(0);
  signal.addEventListener('abort', stop);
  {
    await using _ = showWork(bar, app, systemClock);
    await waitUntilIdle(app);
  }
  const { body } = await app.exposition.scrape({ format: 'text', encoding: 'identity' });
  await pipeline(body, stdout, { end: false });
  return (await haveAllSucceeded(app)) ? 0 : 1;
};

/** Logs the progress of long runs while it waits. */
const waitUntilIdle = async ({ runner }: App): Promise<void> => {
  const idle = new AbortController();
  runner.idle().then(() => idle.abort());
  while (!idle.signal.aborted) {
    runner.logProgress();
    // An abort rejects the wait; the condition then ends the loop.
    await systemClock.sleep(SECOND, idle.signal).catch(() => {});
  }
};

const haveAllSucceeded = async ({ accounts, store }: App): Promise<boolean> => {
  for (const { name, jobs } of accounts) {
    const states = await store.runs.states(name);
    const ok = states.filter(({ result }) => result === 'ok');
    if (ok.length < jobs.length) return false;
  }
  return true;
};
