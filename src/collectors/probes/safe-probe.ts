// Makes a probe whose error never fails the round.

import type { Probe, ProbeRequest, ProbeResult } from '../../prober/probe.ts';

/** A probe that could not be made. Nothing is known about the proxy and the target. */
const NOT_MADE: ProbeResult = {
  failure: { phase: 'resolve', cause: 'local', message: 'proxywatch could not make the probe' },
  phases: {},
  durationMs: 0,
  bytes: { sent: 0, received: 0 },
  proxyAnswer: null,
  status: null,
  certificate: null,
  isResumed: false,
  body: null,
};

/** Returns undefined if the run ended first. */
export const safeProbe = async (probe: Probe, request: ProbeRequest): Promise<ProbeResult | undefined> => {
  try {
    request.signal.throwIfAborted();
    return await probe(request);
  } catch {
    return request.signal.aborted ? undefined : NOT_MADE;
  }
};
