// Formats the outcome of a probe for programs.

import type { ProbeResult } from '../../prober/probe.ts';
import { conclusionOf } from './conclusion.ts';
import type { Hide, Outcome } from './outcome.ts';

export const jsonReport = (outcome: Outcome, hide: Hide): string => {
  const { proxy, target, result, control } = outcome;
  const report = {
    proxy: {
      protocol: proxy.protocol,
      host: proxy.host,
      port: proxy.port,
      has_login: Boolean(proxy.credentials),
    },
    target: { origin: new URL(target.url.reveal()).origin, depth: target.depth },
    ...resultJson(result, hide),
    control: control ? resultJson(control, hide) : null,
    conclusion: conclusionOf(outcome),
  };
  return JSON.stringify(report, null, 2);
};

const resultJson = (result: ProbeResult, hide: Hide) => ({
  success: result.failure === null,
  failure: result.failure,
  phases_ms: result.phases,
  duration_ms: result.durationMs,
  bytes: result.bytes,
  proxy_answer: result.proxyAnswer && {
    status: result.proxyAnswer.status,
    code: result.proxyAnswer.code,
    request_id: result.proxyAnswer.requestId,
  },
  status: result.status,
  certificate: result.certificate && {
    subject: hide(result.certificate.subject),
    issuer: hide(result.certificate.issuer),
    not_after: new Date(result.certificate.notAfter).toISOString(),
    trusted: result.certificate.isTrusted,
  },
});
