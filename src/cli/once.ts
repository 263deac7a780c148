// proxywatch once: one pass of every collector in a store that is thrown away, and what it shows.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type App, createApp } from '../daemon/app.ts';
import { type Account, loadSettings, type Settings } from '../daemon/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { createLog } from './logger.ts';
import { progressBar } from './progress-bar.ts';
import { showWork } from './work-bar.ts';

export interface OnceOptions {
  readonly config: string;
  /** Proxy tests cost test runs, so they are asked for. */
  readonly tests?: boolean;
}

/** 1 when any collector failed, wholly or in part. Throws ConfigError. */
export const once = async (context: CommandContext, { config, tests }: OnceOptions): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, context.env);
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-once-'));
  try {
    return await onePass(context, {
      ...settings,
      store: { ...settings.store, path: join(folder, 'proxywatch.db') },
      // There is no second run for a first step to wait for.
      metrics: { first_step_hold: 0 },
      // Nobody is to be told what a glance finds.
      alerts: { ...settings.alerts, evaluate: false },
      accounts: tests ? settings.accounts : settings.accounts.map(withoutTests),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};

const withoutTests = (account: Account): Account => ({ ...account, proxy_tests: false });

const onePass = async (context: CommandContext, settings: Settings): Promise<ExitCode> => {
  const { signal, stderr, stdout, version, nodeVersion } = context;
  using bar = progressBar(stderr, settings.log.format === 'pretty');
  const log = createLog(settings.log, bar.below(stderr));
  await using app = await createApp({ settings, clock: systemClock, log, version, nodeVersion });
  for (const { jobs } of app.accounts) for (const job of jobs) await app.runner.add(job);
  const stop = (): void => void app.runner.stop(0);
  signal.addEventListener('abort', stop);
  {
    await using _ = showWork(bar, app, systemClock);
    await untilIdle(app);
  }
  const { body } = await app.exposition.scrape({ format: 'text', encoding: 'identity' });
  await pipeline(body, stdout, { end: false });
  return (await allOk(app)) ? 0 : 1;
};

/** The log is told of runs that take long meanwhile. */
const untilIdle = async ({ runner }: App): Promise<void> => {
  const idle = new AbortController();
  runner.idle().then(() => idle.abort());
  while (!idle.signal.aborted) {
    runner.tell();
    // An abort ends the wait, and with it the loop.
    await systemClock.sleep(SECOND, idle.signal).catch(() => {});
  }
};

const allOk = async ({ accounts, store }: App): Promise<boolean> => {
  for (const { name, jobs } of accounts) {
    const states = await store.runs.states(name);
    const ok = states.filter(({ result }) => result === 'ok');
    if (ok.length < jobs.length) return false;
  }
  return true;
};
