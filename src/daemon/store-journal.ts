// Logs once that the store fails, and once that it works again, in place of a line for each run.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE } from '../lib/time.ts';
import { StoreError } from '../store/errors.ts';

/** On a disk that is almost full, small writes succeed between others that fail. Polls come every minute. */
const RECOVERED_AFTER_MS = 2 * MINUTE;

interface Episode {
  readonly beganAt: number;
  readonly kinds: Set<string>;
  lastFailureAt: number;
  hasWrittenSince: boolean;
}

export class StoreJournal {
  readonly #clock: Clock;
  readonly #log: Log;
  #episode: Episode | undefined;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Returns whether the error is one of the store. It is then logged, unless it was logged already. */
  covers(error: unknown): boolean {
    if (!(error instanceof StoreError)) return false;
    const now = this.#clock.monotonic();
    this.#episode ??= { beganAt: now, kinds: new Set(), lastFailureAt: now, hasWrittenSince: false };
    [this.#episode.lastFailureAt, this.#episode.hasWrittenSince] = [now, false];
    if (!this.#episode.kinds.has(error.kind)) this.#logFailure(error);
    this.#episode.kinds.add(error.kind);
    return true;
  }

  /** To be called after each write that succeeds. Without any, the store may only be unused because polls are rare. */
  written(): void {
    if (this.#episode) this.#episode.hasWrittenSince = true;
  }

  /** To be called every second or so. */
  tick(): void {
    const now = this.#clock.monotonic();
    if (!this.#episode?.hasWrittenSince || now - this.#episode.lastFailureAt < RECOVERED_AFTER_MS) return;
    const { beganAt, lastFailureAt } = this.#episode;
    this.#episode = undefined;
    this.#log.info(
      { failedForMs: Math.round(lastFailureAt - beganAt) },
      'the store works again. proxywatch also reads the data that it missed',
    );
  }

  #logFailure({ kind, message }: StoreError): void {
    this.#log.error(
      { kind, message },
      'the store fails. proxywatch serves the last stored data, and tries again at each run',
    );
  }
}
