// A prober that answers as a test says, without any connection.

import type { Probe, ProbeFailure, ProbeRequest, ProbeResult } from '../../../src/prober/probe.ts';

export const passed: ProbeResult = {
  failure: null,
  phases: { connect: 10, tunnel: 20, tls: 60 },
  durationMs: 90,
  bytes: { sent: 1_000, received: 4_000 },
  proxyAnswer: { status: 200, code: '200', requestId: '7e0b8a52-13f0-4a8e-9d3c-0f3a0a3d7c11' },
  status: null,
  certificate: null,
  isResumed: false,
  body: null,
};

export const failed = (
  phase: ProbeFailure['phase'],
  cause: ProbeFailure['cause'],
  more: Partial<ProbeResult> = {},
): ProbeResult => ({
  ...passed,
  failure: { phase, cause, message: `the probe failed in the phase ${phase}` },
  phases: { connect: 10 },
  bytes: { sent: 200, received: 300 },
  // Without a connection, no proxy answers.
  ...((phase === 'resolve' || phase === 'connect') && { proxyAnswer: null }),
  ...more,
});

/** A probe that was made: the proxy's host, or `direct`, and the target's path. */
export interface MadeProbe {
  readonly at: string;
  readonly target: string;
  readonly request: ProbeRequest;
}

type Answer = (made: MadeProbe) => ProbeResult | Promise<ProbeResult>;

export class FakeProber {
  readonly made: MadeProbe[] = [];
  answer: Answer = () => passed;
  /** The most probes that ran at the same time. */
  mostAtOnce = 0;
  #running = 0;

  readonly probe: Probe = async (request) => {
    const made = {
      at: request.proxy?.host ?? 'direct',
      target: new URL(request.target.url.reveal()).pathname,
      request,
    };
    this.made.push(made);
    this.#running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
    try {
      // A turn of the event loop, so that probes overlap as real ones do.
      await new Promise(setImmediate);
      return await this.answer(made);
    } finally {
      this.#running -= 1;
    }
  };

  /** The probes since the last call, such as `192.0.2.1 /check`. */
  take(): string[] {
    return this.made.splice(0).map(({ at, target }) => `${at} ${target}`);
  }
}
