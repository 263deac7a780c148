// Formats the outcome of a probe for people and programs, and hides text that repeats a secret, in any encoding.

import { isIPv6 } from 'node:net';
import { containsSecret, secretVariants } from '../../lib/secret-search.ts';
import { DAY } from '../../lib/time.ts';
import {
  PHASES,
  type Phase,
  type ProbeProxy,
  type ProbeResult,
  type ProbeTarget,
} from '../../prober/probe.ts';
import { countOf, formatCount } from '../format.ts';
import { conclusionOf, type Outcome } from './conclusion.ts';

const LABEL_WIDTH = 14;
const MS_WIDTH = 10;

export const textReport = ({ proxy, target, result, control }: Outcome, hide: Hide): string =>
  [
    line('proxy', proxyText(proxy)),
    line('target', `${new URL(target.url.reveal()).origin}, depth ${target.depth}`),
    ...phaseLines(result),
    ...answerLines(proxy, result),
    ...certificateLines(result, hide),
    line('bytes', `${formatCount(result.bytes.sent)} sent, ${formatCount(result.bytes.received)} received`),
    ...(control ? controlLines(control) : []),
    '',
  ].join('\n');

const line = (label: string, text: string): string => `${label.padEnd(LABEL_WIDTH)}${text}`;

/** Without the user name, because it can contain the options of a customer. */
const proxyText = ({ protocol, host, port, credentials }: ProbeProxy): string => {
  const at = isIPv6(host) ? `[${host}]` : host;
  return `${protocol}://${at}:${port}, ${credentials ? 'with' : 'without'} a user name and password`;
};

const phaseLines = (result: ProbeResult): string[] => [
  ...PHASES.flatMap((phase) => phaseLine(result, phase)),
  line('total', msText(result.durationMs)),
];

const phaseLine = ({ phases, failure, isResumed, status }: ProbeResult, phase: Phase): string[] => {
  const ms = phases[phase];
  if (ms === undefined && failure?.phase !== phase) return [];
  const notes = [
    failure?.phase === phase ? `FAILED: ${failure.message}` : 'ok',
    phase === 'tls' && isResumed ? 'resumed' : undefined,
    // A failure says the status itself if it matters.
    phase === 'response' && status !== null && !failure ? `status ${status}` : undefined,
  ];
  return [line(phase, `${msText(ms ?? 0)}  ${notes.filter((note) => note !== undefined).join(', ')}`)];
};

const msText = (ms: number): string => `${ms.toFixed(1)} ms`.padStart(MS_WIDTH);

const answerLines = ({ protocol }: ProbeProxy, { proxyAnswer, failure }: ProbeResult): string[] => {
  if (!proxyAnswer) return [];
  const { status, code, requestId } = proxyAnswer;
  const advice = failure ? " (quote this id to the provider's support)" : '';
  return [
    line(
      'proxy answer',
      `${protocol === 'socks5' ? 'SOCKS5 reply' : 'status'} ${status}${code === null ? '' : `, code ${code}`}`,
    ),
    ...(requestId === null ? [] : [line('request id', `${requestId}${advice}`)]),
  ];
};

const certificateLines = ({ certificate }: ProbeResult, hide: Hide): string[] => {
  if (!certificate) return [];
  const { subject, issuer, notAfter, isTrusted } = certificate;
  const until = new Date(notAfter).toISOString().slice(0, 10);
  return [
    line('certificate', hide(`${subject}, issued by ${issuer}`)),
    line('', `valid until ${until} (${leftUntil(notAfter)}), ${isTrusted ? 'trusted' : 'NOT trusted'}`),
  ];
};

const leftUntil = (notAfter: number): string => {
  const left = notAfter - Date.now();
  const days = Math.floor(Math.abs(left) / DAY);
  const amount = days === 0 ? 'less than a day' : countOf(days, 'day');
  return left < 0 ? `expired ${amount} ago` : `${amount} left`;
};

const controlLines = ({ failure, durationMs, status }: ProbeResult): string[] => {
  const answer = status === null ? '' : `, status ${status}`;
  const words = failure ? `FAILED in the phase ${failure.phase}: ${failure.message}` : `ok${answer}`;
  return [line('control', `${msText(durationMs)}  without the proxy: ${words}`)];
};

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

type Hide = (text: string) => string;

/** The user name is no secret, but the password and what follows the host of the target can be. */
export const createHider = ({ host, port, credentials }: ProbeProxy, target: ProbeTarget): Hide => {
  const at = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const login = credentials ? [`${at}:${credentials.username}:${credentials.password.reveal()}`] : [];
  const secrets = secretVariants([...login, target.url.reveal()]);
  return (text) => (containsSecret(text, secrets) ? '[masked: the line repeats a secret]' : text);
};
