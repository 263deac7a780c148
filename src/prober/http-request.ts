// Asks the target over HTTP/1.1, and compares the answer with what is expected.

import { type Attempt, proxyAuthorization } from './attempt.ts';
import { isOfProxyProgram, knownAnswerOf } from './causes.ts';
import { BodyReader } from './http-body.ts';
import { proxyAnswerOf, refuse } from './http-connect.ts';
import { HeadReader, type HttpHead, linesOf } from './http-head.ts';
import { type Expectation, ProbeError, type ProbeTarget } from './probe.ts';
import { NO_BYTES } from './reader.ts';

const MAX_HEAD_BYTES = 64 * 1_024;

/** `isForwarded` sends the request to the proxy, which forwards it, instead of through a tunnel. */
export const askTarget = async (attempt: Attempt, url: URL, isForwarded: boolean): Promise<void> => {
  const { connection, findings } = attempt;
  const { target } = attempt.request;
  const request = requestText(attempt, url, isForwarded);
  connection.write(request);
  attempt.trace('>', () => tracedRequest(request, url));
  const head = await connection.read(new HeadReader(MAX_HEAD_BYTES));
  attempt.trace('<', () => linesOf(head));
  if (isForwarded) checkForwarded(attempt, head);
  findings.status = head.status;
  checkHead(head, target.expect);
  if (needsBody(target)) await readBody(attempt, head);
};

const requestText = ({ proxy, request }: Attempt, url: URL, isForwarded: boolean): string => {
  const path = `${url.pathname}${url.search}`;
  const address = isForwarded ? `http://${url.host}${path}` : path;
  return [
    `GET ${address} HTTP/1.1\r\nHost: ${url.host}\r\nUser-Agent: proxywatch\r\nAccept: */*\r\n`,
    // A compressed body could not be compared.
    needsBody(request.target) ? 'Accept-Encoding: identity\r\n' : '',
    isForwarded && proxy ? proxyAuthorization(proxy) : '',
    loginHeader(url),
    'Connection: close\r\n\r\n',
  ].join('');
};

const loginHeader = ({ username, password }: URL): string => {
  if (username === '' && password === '') return '';
  const login = Buffer.from(`${decoded(username)}:${decoded(password)}`);
  return `Authorization: Basic ${login.toString('base64')}\r\n`;
};

/** A % that begins no two hexadecimal digits stands for itself. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The path can be a secret, so the trace shows only whether there is one. */
const tracedRequest = (request: string, url: URL): string[] => {
  const [, ...lines] = request.trimEnd().split('\r\n');
  const path = url.pathname === '/' && url.search === '' ? '/' : '/[masked]';
  return [`GET ${url.origin}${path} HTTP/1.1`, ...lines];
};

/**
 * A forwarded answer can come from the target or from the proxy. Only the provider's code, the status 407 and the answers
 * of common proxy programs show that the proxy refused.
 */
const checkForwarded = (attempt: Attempt, head: HttpHead): void => {
  const answer = proxyAnswerOf(head);
  const isFromProxy =
    head.status === 407 || (answer.code === null ? isOfProxyProgram(head) : answer.code !== '200');
  if (isFromProxy || answer.code !== null || answer.requestId !== null) attempt.findings.proxyAnswer = answer;
  if (isFromProxy) throw refuse(attempt, answer, knownAnswerOf(head));
};

const needsBody = ({ expect, returnsBody }: ProbeTarget): boolean =>
  expect?.body !== undefined || returnsBody === true;

const checkHead = ({ status, headers }: HttpHead, expect: Expectation | undefined): void => {
  const isExpected = expect?.status ? expect.status.includes(status) : status >= 200 && status <= 399;
  if (!isExpected) throw new ProbeError('status', `the target answered with the status ${status}`);
  for (const [name, pattern] of Object.entries(expect?.headers ?? {})) {
    const value = headers.get(name);
    if (value === undefined) throw new ProbeError('header', `the answer has no header ${name}`);
    if (!pattern.isIn(value)) throw new ProbeError('header', `the header ${name} is not as expected`);
  }
};

const readBody = async ({ connection, request, findings }: Attempt, head: HttpHead): Promise<void> => {
  const { expect, returnsBody = false } = request.target;
  const reader = new BodyReader(head, expect?.body, returnsBody);
  const empty = reader.take(NO_BYTES);
  const body = empty ? empty.value : await connection.read(reader);
  if (expect?.body && !expect.body.isIn(body)) {
    throw new ProbeError('body', 'the body of the answer is not as expected');
  }
  findings.body = returnsBody ? body : null;
};
