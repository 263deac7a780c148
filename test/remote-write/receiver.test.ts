// Tests the requests to one receiver: credentials, headers, TLS, time limits, and what is quoted of the answers.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { Receiver } from '../../src/remote-write/receiver.ts';
import type { ReceiverOptions } from '../../src/remote-write/receiver-options.ts';
import { writeRequestBody } from '../../src/remote-write/write-request.ts';
import { RecordingReceiver, type Reply } from './recording-receiver.ts';
import { oneSample, USER_AGENT } from './support.ts';

const BODY = writeRequestBody(oneSample);
const certificate = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../fixtures/certificates', name), 'utf8');

const post = async (url: string, options: Partial<ReceiverOptions> = {}) => {
  await using receiver = new Receiver(
    { name: 'main', url: new Secret(url), timeoutMs: 10_000, ...options },
    { clock: systemClock, userAgent: USER_AGENT },
  );
  return await receiver.send(BODY, new AbortController().signal);
};

/** Returns the headers with which the request arrives. */
const headersSent = async (options: Partial<ReceiverOptions>) => {
  await using server = await RecordingReceiver.start();
  await post(server.url, options);
  return server.requests[0]?.headers ?? {};
};

const answerTo = async (reply: Reply | undefined, options: Partial<ReceiverOptions> = {}, end = '') => {
  await using server = await RecordingReceiver.start();
  server.respond = () => reply;
  return await post(server.url + end, options);
};

describe('a request', () => {
  it('has a user name and a password', async () => {
    const basicAuth = { username: 'metrics', password: new Secret('pass:wörd') };
    const { authorization = '' } = await headersSent({ basicAuth });
    expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()).toBe('metrics:pass:wörd');
  });

  it('has a token, which is read for each request', async () => {
    let token = 'old';
    const bearerToken = new Secret(() => token, '/run/token');
    expect((await headersSent({ bearerToken })).authorization).toBe('Bearer old');
    token = 'new';
    expect((await headersSent({ bearerToken })).authorization).toBe('Bearer new');
  });

  it("has the operator's headers, which cannot replace those of the protocol or the credentials", async () => {
    const headers = {
      ...{ 'X-Scope-OrgID': 'team-a', 'CONTENT-TYPE': 'text/plain', 'Content-Encoding': 'gzip' },
      ...{ 'X-Prometheus-Remote-Write-Version': '2', 'User-agent': 'other', Authorization: 'other' },
      ...{ 'content-length': '1', connection: 'upgrade', 'Transfer-Encoding': 'gzip', Expect: 'no' },
    };
    expect(await headersSent({ headers, bearerToken: new Secret('token') })).toMatchObject({
      'x-scope-orgid': 'team-a',
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
      'user-agent': USER_AGENT,
      authorization: 'Bearer token',
      'content-length': `${BODY.length}`,
    });
  });
});

describe('TLS', () => {
  const server = { key: certificate('server.key'), cert: certificate('server.pem') };
  const ca = new Secret(certificate('ca.pem'));
  const client = {
    cert: new Secret(certificate('client.pem')),
    key: new Secret(certificate('client.key')),
  };

  it('needs a certificate that the configured authority issued', async () => {
    await using receiver = await RecordingReceiver.start(server);
    const otherCa = new Secret(certificate('other-ca.pem'));
    expect(await post(receiver.url, { tls: { ca } })).toEqual({ kind: 'accepted' });
    for (const tls of [undefined, { ca: otherCa }])
      expect(await post(receiver.url, { tls })).toMatchObject({
        kind: 'retry',
        reason: expect.stringMatching(/^connection failed: [A-Z_]+$/),
      });
  });

  it('shows a client certificate', async () => {
    await using receiver = await RecordingReceiver.start({
      ...{ ...server, ca: certificate('ca.pem') },
      ...{ requestCert: true, rejectUnauthorized: true },
    });
    expect(await post(receiver.url, { tls: { ca, ...client } })).toEqual({ kind: 'accepted' });
    expect(await post(receiver.url, { tls: { ca } })).toMatchObject({ kind: 'retry' });
  });

  it('uses a new certificate as soon as its file has changed', async () => {
    let text = certificate('other-ca.pem');
    const options = {
      ...{ name: 'main', timeoutMs: 10_000 },
      tls: { ca: new Secret(() => text, '/run/ca.pem') },
    };
    await using recording = await RecordingReceiver.start(server);
    const context = { clock: systemClock, userAgent: USER_AGENT };
    await using receiver = new Receiver({ ...options, url: new Secret(recording.url) }, context);
    const { signal } = new AbortController();
    expect(await receiver.send(BODY, signal)).toMatchObject({ kind: 'retry' });
    text = certificate('ca.pem');
    expect(await receiver.send(BODY, signal)).toEqual({ kind: 'accepted' });
    text = certificate('other-ca.pem');
    expect(await receiver.send(BODY, signal)).toMatchObject({ kind: 'retry' });
  });
});

describe('an answer', () => {
  it.each([
    [200, '', 'accepted'],
    [204, '', 'accepted'],
    [200, '<!DOCTYPE html><title>Sign in</title>', 'misconfigured'],
    [400, '<html><h1>Request blocked</h1></html>', 'misconfigured'],
    [301, '', 'misconfigured'],
    [307, '', 'misconfigured'],
    [400, 'out of order sample', 'refused'],
    [400, 'unsupported path requested: "/api/v1/wirte"', 'misconfigured'],
    [400, 'unsupported compression: snappy. Only "gzip" or no compression supported', 'misconfigured'],
    [400, 'cannot decode OpenTelemetry protocol data: unknown wireType=7', 'misconfigured'],
    [401, 'no org id', 'misconfigured'],
    [403, '', 'misconfigured'],
    [404, 'remote write receiver needs to be enabled', 'misconfigured'],
    [408, '', 'retry'],
    [409, 'store locally for endpoint: conflict', 'refused'],
    [413, '', 'too large'],
    [400, 'Client sent an HTTP request to an HTTPS server.', 'misconfigured'],
    [400, '<center>The plain HTTP request was sent to HTTPS port</center>', 'misconfigured'],
    [415, '', 'misconfigured'],
    [422, '', 'refused'],
    [425, '', 'retry'],
    [429, 'the request has been rejected because the tenant exceeded the ingestion rate limit', 'retry'],
    [500, 'too old sample', 'refused'],
    [500, 'add 1 samples: out of bounds', 'refused'],
    [500, 'Out of order sample', 'refused'],
    [500, 'timestamp is too far in the future', 'refused'],
    [500, 'opening storage failed', 'retry'],
    [503, 'service unavailable', 'retry'],
  ])('%i "%s" means: %s', async (status, text, kind) => {
    const reason = kind === 'accepted' ? {} : { reason: `answered ${status}${text && `: ${text}`}` };
    expect(await answerTo({ status, text })).toMatchObject({ kind, ...reason });
  });

  it('is read no further than its first 4 kB, and shown as one short line', async () => {
    const answer = await answerTo({ status: 500, text: `no\n\x07leader\x1b[31m ${'x'.repeat(1_000_000)}` });
    expect(answer).toMatchObject({
      kind: 'retry',
      reason: expect.stringMatching(/^answered 500: no leader/),
    });
    expect(answer).toMatchObject({ reason: expect.not.stringMatching(/\p{Cc}|.{400}/u) });
    const late = await answerTo({ status: 500, text: `${'x'.repeat(4_096)} too old sample` });
    expect(late.kind).toBe('retry');
  });

  it.each([
    ['the password', 'wrong password hunter2secret'],
    ['the credentials in base64', Buffer.from('metrics:hunter2secret').toString('base64')],
    ['the token of the address', 'no such token: abcdef123456'],
    ['a token in the path', 'no such workspace: ws-6a1b2c'],
    ['an own header', 'unknown key zyxwvu'],
  ])('is not shown if it quotes %s', async (_, text) => {
    const basicAuth = { username: 'metrics', password: new Secret('hunter2secret') };
    const options = { basicAuth, headers: { 'X-Api-Key': 'zyxwvu' } };
    const answer = await answerTo({ status: 401, text }, options, '/ws-6a1b2c?token=abcdef123456');
    expect(answer).toEqual({
      kind: 'misconfigured',
      reason: 'answered 401: the answer is not shown because it quotes credentials',
    });
  });

  it('may quote the tenant', async () => {
    const headers = { 'X-Scope-OrgID': 'team-a' };
    const answer = await answerTo({ status: 400, text: 'user=team-a: limit exceeded' }, { headers });
    expect(answer).toMatchObject({ reason: 'answered 400: user=team-a: limit exceeded' });
  });

  it('that does not come within the time limit is waited for no longer', async () => {
    expect(await answerTo(undefined, { timeoutMs: 100 })).toEqual({
      kind: 'retry',
      reason: 'no answer within 0.1 s',
    });
  });

  it('does not come if nothing listens, and the failure does not show the address', async () => {
    expect(await post(`${await closedUrl()}?token=abcdef`)).toEqual({
      kind: 'retry',
      reason: 'connection failed: ECONNREFUSED',
    });
  });
});

const closedUrl = async (): Promise<string> => {
  await using server = await RecordingReceiver.start();
  return server.url;
};
