// Defines what proxywatch probe reports.

import type { ProbeProxy, ProbeResult, ProbeTarget } from '../../prober/probe.ts';

/** What was probed, and what came out. */
export interface Outcome {
  readonly proxy: ProbeProxy;
  readonly target: ProbeTarget;
  readonly result: ProbeResult;
  /** Undefined if no control was wanted. */
  readonly control: ProbeResult | undefined;
}
