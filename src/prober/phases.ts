// Measures the phases of a probe, and ends each phase at its time limit.

import type { Phase, ProbeTimeouts } from './probe.ts';
import { ProbeError } from './probe-error.ts';

const LATE: Readonly<Record<Phase, string>> = {
  resolve: 'the name was not resolved',
  connect: 'the connection was not established',
  tunnel: 'the proxy did not open the tunnel',
  tls: 'TLS with the target was not established',
  response: 'the answer was not complete',
};

interface Deadline {
  readonly kind: Phase | 'total';
  /** As performance.now(). */
  readonly at: number;
}

export class Phases {
  readonly #timeouts: ProbeTimeouts;
  readonly #onTimeout: (error: ProbeError) => void;
  readonly #startedAt = performance.now();
  readonly #durations: Partial<Record<Phase, number>> = {};
  readonly #total: Deadline;
  #current: Phase | null = null;
  #beganAt = this.#startedAt;
  #deadline: Deadline;
  #timer: NodeJS.Timeout;
  /** When the timer ends, as performance.now(). */
  #timerAt = 0;

  constructor(timeouts: ProbeTimeouts, onTimeout: (error: ProbeError) => void) {
    this.#timeouts = timeouts;
    this.#onTimeout = onTimeout;
    this.#total = this.#limit('total');
    this.#deadline = this.#total;
    // One timer serves all limits of a probe. It runs for the shortest of them, so it rarely has to begin again.
    this.#timer = this.#checkAfter(Math.min(...Object.values(timeouts)));
  }

  /** The phase that runs; before the first one, `resolve`. */
  get current(): Phase {
    return this.#current ?? 'resolve';
  }

  /** Ends the phase before. */
  begin(phase: Phase): void {
    this.#endCurrent();
    this.#current = phase;
    const limit = this.#limit(phase);
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

  #limitText(kind: Phase | 'total'): string {
    const seconds = `${this.#timeouts[kind] / 1_000} s`;
    return kind === 'total' ? `the time limit of the probe (${seconds})` : seconds;
  }

  #limit(kind: Phase | 'total'): Deadline {
    return { kind, at: this.#beganAt + this.#timeouts[kind] };
  }

  #checkAfter(ms: number): NodeJS.Timeout {
    this.#timerAt = performance.now() + ms;
    return setTimeout(() => this.#check(), ms);
  }

  #check(): void {
    const { kind, at } = this.#deadline;
    const leftMs = at - performance.now();
    if (leftMs > 0) this.#timer = this.#checkAfter(leftMs);
    else this.#onTimeout(new ProbeError('timeout', `${LATE[this.current]} within ${this.#limitText(kind)}`));
  }
}
