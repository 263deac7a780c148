// proxywatch backfill: stored history as OpenMetrics with timestamps, beside a daemon that may be writing it.

import { pipeline } from 'node:stream/promises';
import { COLLECTORS } from '../collectors/index.ts';
import { checkConflicts } from '../daemon/history-conflicts.ts';
import { accountSettings, loadSettings, type Settings } from '../daemon/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { type FamilyHistory, historyText } from '../metrics/history-text.ts';
import type { Range } from '../provider/time.ts';
import { openSqliteStoreToRead } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import type { InstantIn } from './instant.ts';
import { writeFileOf } from './output-file.ts';
import { type ProgressBar, progressBar } from './progress-bar.ts';

export interface BackfillOptions {
  readonly config: string;
  /** What starts in [from, to) is written. */
  readonly from: InstantIn;
  readonly to: InstantIn;
  /** A file, or `-` for standard output. */
  readonly output: string;
}

/** Samples between two looks at how far it has come: some 100 ms. */
const LOOK_EVERY = 50_000;

/** Throws ConfigError, StoreError, errors of the file system, and AbortError when it is told to stop. */
export const backfill = async (
  { env, stdout, stderr, signal }: CommandContext,
  { config, output, from, to }: BackfillOptions,
): Promise<ExitCode> => {
  const loaded = loadSettings(config, env);
  const rangeIn = (zone: string): Range => ({ from: from(zone), to: to(zone) });
  const empty = loaded.config.accounts.map(({ time_zone }) => rangeIn(time_zone)).find(isEmpty);
  if (empty) {
    stderr.write(`error: --from (${textOf(empty.from)}) must be before --to (${textOf(empty.to)})\n`);
    return 1;
  }
  using store = openSqliteStoreToRead(loaded.config.store.path);
  await checkConflicts(loaded.config, store, systemClock, loaded.mistakeAt);
  const histories = historiesOf(loaded.config, store, rangeIn);
  const isPiped = output === '-';
  let tally: Tally;
  {
    using bar = progressBar(stderr);
    tally = new Tally(histories, bar);
    const pieces = historyText(histories, tally.count);
    if (isPiped) await pipeline(pieces, stdout, { end: false, signal });
    else await writeFileOf(output, pieces, signal);
  }
  (isPiped ? stderr : stdout).write(`${isPiped ? '' : `${output}: `}${tally.text}\n`);
  return 0;
};

const isEmpty = ({ from, to }: Range): boolean => from >= to;

/** Families of all collectors, each over the accounts that have the collector. */
const historiesOf = (settings: Settings, store: Store, rangeIn: (zone: string) => Range): FamilyHistory[] =>
  COLLECTORS.flatMap(({ name, history = [] }) =>
    history.map(({ family, read }) => ({
      family,
      accounts: settings.accounts.flatMap((account) => {
        const options = account[name];
        if (options === false) return [];
        const context = { account: accountSettings(account, settings), options, store, clock: systemClock };
        return [{ account: account.name, read: () => read(context, rangeIn(account.time_zone)) }];
      }),
    })),
  );

/** What was written, and how far it has come. */
class Tally {
  readonly #names: readonly string[];
  readonly #bar: ProgressBar;
  #samples = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(histories: readonly FamilyHistory[], bar: ProgressBar) {
    this.#names = histories.map(({ family }) => family.name);
    this.#bar = bar;
  }

  readonly count = (family: string, at: number): void => {
    this.#samples += 1;
    this.#first = Math.min(this.#first, at);
    this.#last = Math.max(this.#last, at);
    if (this.#samples % LOOK_EVERY !== 0) return;
    this.#bar.show(`${this.#samples} samples`, this.#names.indexOf(family) / this.#names.length);
  };

  get text(): string {
    if (this.#samples === 0) return 'no samples: the store has nothing of that time';
    return `${this.#samples} samples from ${textOf(this.#first)} to ${textOf(this.#last)}`;
  }
}

const textOf = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');
