// Measures the phases of a probe, and ends each phase at its time limit.

import { type Phase, ProbeError, type ProbeTimeouts } from './probe.ts';

type Kind = Phase | 'total' | 'turn';

const LATE: Readonly<Record<Exclude<Kind, 'total'>, string>> = {
  turn: 'this machine still resolves other names, so it did not begin to resolve this one',
  resolve: 'the name was not resolved',
  connect: 'the connection was not established',
  tunnel: 'the proxy did not open the tunnel',
  tls: 'TLS with the target was not established',
  response: 'the answer was not complete',
};

interface Deadline {
  readonly kind: Kind;
  readonly ms: number;
  /** As performance.now(). */
  readonly at: number;
}

export class Phases {
  readonly #timeouts: ProbeTimeouts;
  readonly #onTimeout: (error: ProbeError) => void;
  #startedAt = performance.now();
  readonly #durations: Partial<Record<Phase, number>> = {};
  /** Whatever the probe waits for. */
  readonly #endsAt: number;
  #total: Deadline;
  #current: Phase | null = null;
  #beganAt = this.#startedAt;
  #deadline: Deadline;
  #timer: NodeJS.Timeout;
  /** When the timer ends, as performance.now(). */
  #timerAt = 0;

  constructor(timeouts: ProbeTimeouts, onTimeout: (error: ProbeError) => void) {
    this.#timeouts = timeouts;
    this.#onTimeout = onTimeout;
    this.#endsAt = this.#startedAt + (timeouts.deadline ?? Number.POSITIVE_INFINITY);
    this.#total = this.#totalLimit();
    this.#deadline = this.#total;
    // One timer serves all limits of a probe. It runs for the shortest of them, so it rarely has to begin again.
    this.#timer = this.#checkAfter(shortestOf(timeouts));
  }

  /** The phase that runs; before the first one, `resolve`. */
  get current(): Phase {
    return this.#current ?? 'resolve';
  }

  /**
   * Waits until this machine can resolve the name. The wait counts in no phase, and the limit of the whole probe begins
   * after it, because the proxy has no part in it.
   */
  waitForTurn(): void {
    const { resolve, total, deadline = total } = this.#timeouts;
    this.#deadline = this.#limit('turn', Math.min(resolve, total, deadline));
  }

  /** Ends the phase before. */
  begin(phase: Phase): void {
    this.#endCurrent();
    if (this.#deadline.kind === 'turn') {
      this.#startedAt = this.#beganAt;
      this.#total = this.#totalLimit();
    }
    this.#current = phase;
    const limit = this.#limit(phase, this.#timeouts[phase]);
    this.#deadline = limit.at < this.#total.at ? limit : this.#total;
    if (this.#deadline.at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timer = this.#checkAfter(this.#deadline.at - this.#beganAt);
  }

  /** Stops all time limits, and returns the durations in ms. */
  finish(): { readonly phases: Readonly<Partial<Record<Phase, number>>>; readonly durationMs: number } {
    this.#endCurrent();
    clearTimeout(this.#timer);
    return { phases: this.#durations, durationMs: this.#beganAt - this.#startedAt };
  }

  #endCurrent(): void {
    const now = performance.now();
    if (this.#current) this.#durations[this.#current] = now - this.#beganAt;
    this.#beganAt = now;
  }

  #totalLimit(): Deadline {
    const { total, deadline = total } = this.#timeouts;
    const limit = this.#limit('total', total);
    return limit.at <= this.#endsAt ? limit : { kind: 'total', ms: deadline, at: this.#endsAt };
  }

  #limit(kind: Kind, ms: number): Deadline {
    return { kind, ms, at: this.#beganAt + ms };
  }

  #checkAfter(ms: number): NodeJS.Timeout {
    this.#timerAt = performance.now() + ms;
    return setTimeout(() => this.#check(), ms);
  }

  #check(): void {
    const { kind, ms, at } = this.#deadline;
    const leftMs = at - performance.now();
    if (leftMs > 0) this.#timer = this.#checkAfter(leftMs);
    else this.#onTimeout(lateError(kind === 'total' ? this.current : kind, limitText(kind, ms)));
  }
}

const lateError = (kind: Exclude<Kind, 'total'>, limit: string): ProbeError =>
  new ProbeError(kind === 'turn' ? 'local' : 'timeout', `${LATE[kind]} within ${limit}`);

const limitText = (kind: Kind, ms: number): string => {
  const seconds = `${ms / 1_000} s`;
  return kind === 'total' ? `the time limit of the probe (${seconds})` : seconds;
};

const shortestOf = ({ deadline = Number.POSITIVE_INFINITY, ...limits }: ProbeTimeouts): number =>
  Math.min(deadline, ...Object.values(limits));
