// Holds what the steps of one probe share: the request, the connection, the phases, and what is known so far.

import { BYTE_LIMITS } from './byte-limits.ts';
import { Connection } from './connection.ts';
import { Phases } from './phases.ts';
import type { Phase, ProbeProxy, ProbeRequest, ProbeResult, TraceStep } from './probe.ts';
import { createMask, type Mask } from './trace-mask.ts';

/** The parts of the result that the steps fill in. */
export type Findings = {
  -readonly [K in
    | 'proxyAnswer'
    | 'refusal'
    | 'status'
    | 'certificate'
    | 'isResumed'
    | 'body']: ProbeResult[K];
};

export class Attempt {
  readonly request: ProbeRequest;
  readonly proxy: ProbeProxy | null;
  readonly connection: Connection;
  readonly phases: Phases;
  readonly findings: Findings = {
    proxyAnswer: null,
    refusal: undefined,
    status: null,
    certificate: null,
    isResumed: false,
    body: null,
  };
  #mask: Mask | undefined;

  constructor(request: ProbeRequest) {
    this.request = request;
    this.proxy = request.proxy;
    this.connection = new Connection(BYTE_LIMITS[request.target.depth], request.isMetered ?? false);
    this.phases = new Phases(request.timeouts, (error) => this.connection.fail(error));
  }

  begin(phase: Phase): void {
    this.phases.begin(phase);
  }

  /** Shows a step on the command line. Without a listener, the text is not even made. */
  trace(direction: TraceStep['direction'], lines: () => readonly string[]): void {
    const { trace } = this.request;
    if (!trace) return;
    this.#mask ??= createMask(this.request);
    for (const line of lines()) trace({ phase: this.phases.current, direction, text: this.#mask(line) });
  }
}
