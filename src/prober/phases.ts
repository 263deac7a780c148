// Measures the phases of a probe, and ends each phase at its time limit.

import type { Phase, ProbeTimeouts } from './probe.ts';
import { ProbeError } from './probe-error.ts';

const LATE: Readonly<Record<Phase | 'total', string>> = {
  resolve: 'the name was not resolved',
  connect: 'the connection was not established',
  tunnel: 'the proxy did not open the tunnel',
  tls: 'TLS with the target was not established',
  response: 'the answer was not complete',
  total: 'the probe did not end',
};

export class Phases {
  readonly #timeouts: ProbeTimeouts;
  readonly #onTimeout: (error: ProbeError) => void;
  readonly #startedAt = performance.now();
  readonly #total: NodeJS.Timeout;
  readonly #durations: Partial<Record<Phase, number>> = {};
  #current: Phase | null = null;
  #beganAt = this.#startedAt;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeouts: ProbeTimeouts, onTimeout: (error: ProbeError) => void) {
    this.#timeouts = timeouts;
    this.#onTimeout = onTimeout;
    this.#total = this.#limit('total');
  }

  /** The phase that runs; before the first one, `resolve`. */
  get current(): Phase {
    return this.#current ?? 'resolve';
  }

  /** Ends the phase before. */
  begin(phase: Phase): void {
    this.#endCurrent();
    this.#current = phase;
    this.#timer = this.#limit(phase);
  }

  /** Stops all time limits, and returns the durations in ms. */
  finish(): { readonly phases: Readonly<Partial<Record<Phase, number>>>; readonly durationMs: number } {
    this.#endCurrent();
    clearTimeout(this.#total);
    return { phases: this.#durations, durationMs: this.#beganAt - this.#startedAt };
  }

  #endCurrent(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    if (this.#current) this.#durations[this.#current] = now - this.#beganAt;
    this.#beganAt = now;
  }

  #limit(kind: Phase | 'total'): NodeJS.Timeout {
    const ms = this.#timeouts[kind];
    return setTimeout(() => {
      this.#onTimeout(new ProbeError('timeout', `${LATE[kind]} within ${ms / 1_000} s`));
    }, ms);
  }
}
