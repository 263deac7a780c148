// proxywatch export backfill: writes stored history as OpenMetrics with timestamps, also while a daemon writes the store.

import { pipeline } from 'node:stream/promises';
import { COLLECTORS } from '../collectors/index.ts';
import { exportedHistory } from '../collectors/published-history.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import { accountSettings, type Settings } from '../daemon/settings.ts';
import { checkConflicts } from '../daemon/stored-accounts.ts';
import { systemClock } from '../lib/clock.ts';
import { type FamilyHistory, historyText } from '../metrics/history-text.ts';
import type { Range } from '../provider/time.ts';
import { openSqliteStoreReadOnly } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { countOf } from './format.ts';
import { type InstantInZone, type ShardOption, shardText, withShard } from './options.ts';
import { writeOutputFile } from './output-file.ts';
import { type ProgressBar, progressBar } from './progress-bar.ts';

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
