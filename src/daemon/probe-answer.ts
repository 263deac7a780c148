// Renders the result of a probe on request.

import type { RequestedProbe } from '../collectors/collector.ts';
import type { ProbeAnswer } from '../http/probe-view.ts';
import { SECOND } from '../lib/time.ts';
import { PROBE_CONTENT_TYPE, type ProbeMeasurement, probeText } from '../metrics/probe-text.ts';
import type { ProbeResult } from '../prober/probe.ts';
import { RESULT_AGE_MS } from './probe-cache.ts';

const RETRY_AFTER_S = RESULT_AGE_MS / SECOND;

export const refuse = (refusal: string): ProbeAnswer => ({ refusal, retryAfterS: RETRY_AFTER_S });

export const toAnswer = (answer: RequestedProbe, ageMs: number): ProbeAnswer => {
  if ('mistake' in answer) return answer;
  if ('refusal' in answer) return refuse(answer.refusal);
  return textOf(toMeasurement(answer.result, ageMs));
};

/** For a client that cannot wait for the probe of another client. Its phase and its bytes are not known yet. */
export const lateAnswer = (waitedMs: number): ProbeAnswer =>
  textOf({
    ...{ isSuccessful: false, durationMs: waitedMs, phases: {}, bytes: null, status: null },
    ...{ certificateNotAfter: null, failure: { phase: '', cause: 'timeout', code: null }, ageMs: 0 },
  });

const textOf = (measured: ProbeMeasurement): ProbeAnswer => ({
  contentType: PROBE_CONTENT_TYPE,
  text: probeText(measured),
});

const toMeasurement = (result: ProbeResult, ageMs: number): ProbeMeasurement => {
  const { failure, phases, durationMs, bytes, status, certificate, proxyAnswer } = result;
  return {
    ...{ phases, durationMs, bytes, status, ageMs },
    isSuccessful: failure === null,
    certificateNotAfter: certificate?.notAfter ?? null,
    failure: failure && { phase: failure.phase, cause: failure.cause, code: proxyAnswer?.code ?? null },
  };
};
