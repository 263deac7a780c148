// Opens a tunnel through an HTTP proxy with CONNECT, and reads why the proxy refuses.

import { type Attempt, proxyAuthorization } from './attempt.ts';
import { type KnownAnswer, knownAnswerOf, refusalOf } from './causes.ts';
import { HeadReader, type HttpHead, linesOf } from './http-head.ts';
import { ProbeError, type ProbeProxy, type ProxyAnswer } from './probe.ts';

const MAX_HEAD_BYTES = 16 * 1_024;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** `authority` is the target's host and port, an IPv6 address in brackets. */
export const openHttpTunnel = async (
  attempt: Attempt,
  proxy: ProbeProxy,
  authority: string,
): Promise<void> => {
  const { connection } = attempt;
  const request = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${proxyAuthorization(proxy)}\r\n`;
  connection.write(request);
  attempt.trace('>', () => request.trimEnd().split('\r\n'));
  const head = await connection.read(new HeadReader(MAX_HEAD_BYTES));
  attempt.trace('<', () => linesOf(head));
  const answer = proxyAnswerOf(head);
  attempt.findings.proxyAnswer = answer;
  if (head.status < 200 || head.status > 299) throw refuse(attempt, answer, knownAnswerOf(head));
};

/** Notes the class of the refusal, and returns the error that ends the probe. */
export const refuse = (attempt: Attempt, answer: ProxyAnswer, known?: KnownAnswer): ProbeError => {
  const { cause, refusal, message } = refusalOf(answer, attempt.proxy?.credentials !== undefined, known);
  attempt.findings.refusal = refusal;
  return new ProbeError(cause, message);
};

/** The headers are text of someone else: only a code of digits and an id in the form of a UUID are kept. */
export const proxyAnswerOf = ({ status, headers }: HttpHead): ProxyAnswer => {
  const code = headers.get('x-byteful-status-code') ?? '';
  const requestId = headers.get('x-byteful-request-id') ?? '';
  return {
    status,
    code: /^\d{3,4}$/.test(code) ? code : null,
    requestId: UUID.test(requestId) ? requestId : null,
  };
};
