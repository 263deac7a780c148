// proxywatch export: prints alert rules, or the metrics of one run of all collectors, or writes stored history.

import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { rulesOf } from '../alerts/rules.ts';
import { ALERTS } from '../alerts/table.ts';
import { COLLECTORS } from '../collectors/index.ts';
import { exportedHistory } from '../collectors/published-history.ts';
import { alertLinks } from '../daemon/addresses.ts';
import { type App, createApp } from '../daemon/app.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import { accountSettings, type Settings } from '../daemon/settings.ts';
import { logShard } from '../daemon/shards/shard.ts';
import { checkConflicts } from '../daemon/stored-accounts.ts';
import { systemClock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';
import { type FamilyHistory, historyText } from '../metrics/history-text.ts';
import type { Range } from '../provider/time.ts';
import { openSqliteStoreReadOnly } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { countOf } from './format.ts';
import { createLog } from './logger.ts';
import { type InstantInZone, type ShardOption, shardText, withAllShards, withShard } from './options.ts';
import { inTemporaryFolder, writeOutputFile } from './output-file.ts';
import { type ProgressBar, progressBar, showWork } from './progress-bar.ts';

/** Throws ConfigError with every mistake. */
export const rules = async (
  { env, stdout, docsUrl }: CommandContext,
  { config }: { config?: string },
): Promise<ExitCode> => {
  // The rules are about all shards, so they must not link to the page of one of them.
  const links =
    config === undefined ? { docsUrl } : alertLinks(loadSettings(config, withAllShards(env)).config, docsUrl);
  stdout.write(rulesOf(ALERTS, { links }));
  return 0;
};

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

export interface BackfillOptions extends ShardOption {
  readonly config: string;
  /** Samples of periods that start in [from, to) are written. */
  readonly from: InstantInZone;
  readonly to: InstantInZone;
  /** Path of a file, or `-` for standard output. */
  readonly output: string;
}

/** Samples between two updates of the progress bar, which take about 100 ms. */
const SAMPLES_PER_PROGRESS = 50_000;

/** Throws ConfigError, StoreError, errors of the file system, and AbortError when the signal aborts. */
export const backfill = async (
  { env, stdout, stderr, signal }: CommandContext,
  { config, output, from, to, ...option }: BackfillOptions,
): Promise<ExitCode> => {
  const loaded = loadSettings(config, withShard(env, option));
  const rangeIn = (zone: string): Range => ({ from: from(zone), to: to(zone) });
  const empty = loaded.config.accounts
    .map(({ time_zone }) => rangeIn(time_zone))
    .find(({ from, to }) => from >= to);
  if (empty) {
    stderr.write(
      `error: --from (${formatInstant(empty.from)}) is not before --to (${formatInstant(empty.to)}). Give an earlier --from or a later --to.\n`,
    );
    return 1;
  }
  using store = openSqliteStoreReadOnly(loaded.config.store.path);
  await checkConflicts(loaded.config, store, systemClock, loaded.mistakeAt);
  const histories = historiesOf(loaded.config, store, rangeIn);
  const isPiped = output === '-';
  let summary: ReturnType<typeof summarize>;
  {
    using bar = progressBar(stderr);
    summary = summarize(histories, bar, whyNone(loaded.config));
    const pieces = historyText(histories, summary.count);
    if (isPiped) await pipeline(pieces, stdout, { end: false, signal });
    else await writeOutputFile(output, pieces, signal);
  }
  (isPiped ? stderr : stdout).write(`${isPiped ? '' : `${output}: `}${summary.text()}\n`);
  return 0;
};

const whyNone = (settings: Settings): string =>
  (settings.accounts.length === 0 ? shardText(settings) : undefined) ??
  'the store has no history between --from and --to';

/** Returns the history of every collector's families, for the accounts on which the collector is enabled. */
const historiesOf = (settings: Settings, store: Store, rangeIn: (zone: string) => Range): FamilyHistory[] =>
  COLLECTORS.flatMap(({ name, history = [] }) =>
    history.flatMap((source) =>
      source.families.map(({ family }, index) => ({
        family,
        accounts: settings.accounts.flatMap((account) => {
          const options = account[name];
          if (options === false) return [];
          const context = { account: accountSettings(account, settings), options, store, clock: systemClock };
          const range = rangeIn(account.time_zone);
          return [{ account: account.name, read: () => exportedHistory(source, index, context, range) }];
        }),
      })),
    ),
  );

const summarize = (histories: readonly FamilyHistory[], bar: ProgressBar, whyNone: string) => {
  const names = histories.map(({ family }) => family.name);
  let samples = 0;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    count: (family: string, at: number): void => {
      samples += 1;
      first = Math.min(first, at);
      last = Math.max(last, at);
      if (samples % SAMPLES_PER_PROGRESS === 0)
        bar.show(countOf(samples, 'sample'), names.indexOf(family) / names.length);
    },
    text: (): string => {
      if (samples === 0) return `no samples, because ${whyNone}`;
      return `${countOf(samples, 'sample')} from ${formatInstant(first)} to ${formatInstant(last)}`;
    },
  };
};

const formatInstant = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');
