// Logs once that the store or the clock has a problem, and once that it has ended, in place of a line for each run.

import { type Clock, ClockJump } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { StoreError } from '../store/errors.ts';

/** Smaller steps have no visible effect: stored times may be this far in the future. */
const MIN_STEP_MS = MINUTE;

export class ClockJournal {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #jump: ClockJump;
  #lastTick: number;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#jump = new ClockJump(clock);
    this.#lastTick = clock.monotonic();
  }

  /** To be called every second or so. */
  tick(): void {
    const [jumpMs, tick] = [this.#jump.sinceLastCall(), this.#clock.monotonic()];
    const pausedMs = tick - this.#lastTick;
    if (Math.abs(jumpMs) > MIN_STEP_MS) this.#logJump(jumpMs);
    else if (pausedMs > MIN_STEP_MS) this.#logPause(pausedMs);
    this.#lastTick = tick;
  }

  #logJump(jumpMs: number): void {
    const to = this.#clock.now();
    const fields = {
      from: formatTime(to - jumpMs),
      to: formatTime(to),
      seconds: Math.round(jumpMs / SECOND),
    };
    const message =
      jumpMs > 0
        ? 'the system clock jumped ahead: somebody set it, or the machine slept. No counter falls'
        : 'the system clock was set back. No counter falls';
    this.#log.warn(fields, `${message}. If the new time is wrong, correct the clock of the machine`);
  }

  #logPause(pausedMs: number): void {
    this.#log.warn(
      { seconds: Math.round(pausedMs / SECOND) },
      'proxywatch was paused: the process was stopped, or the machine had no time for it. proxywatch reads the data that it missed',
    );
  }
}

const formatTime = (at: number): string => new Date(at).toISOString();

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
