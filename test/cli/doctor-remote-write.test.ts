// Tests what doctor says about receivers of remote write that answer, that answer with an error, or that cannot be reached.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RecordingReceiver, type Reply } from '../remote-write/recording-receiver.ts';
import { lineAbout } from './remote-write-line.ts';

const SECRET = 'canary-secret';

const lineAfter = async (reply: Reply, settings: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  await using receiver = await RecordingReceiver.start();
  receiver.respond = () => reply;
  return await lineAbout({ url: `${receiver.url}?token=${SECRET}`, ...settings });
};

it('a receiver that accepts requests gets one without samples, with its credentials', async () => {
  await using receiver = await RecordingReceiver.start();
  const line = await lineAbout({
    ...{ url: receiver.url, headers: { 'X-Scope-OrgID': 'team-a' } },
    basic_auth: { username: 'u', password: SECRET },
  });
  expect(line).toBe(
    'ok      remote write engine: accepts requests; doctor sent no samples, so it did not check how old samples may be',
  );
  expect(receiver.requests).toMatchObject([
    {
      series: [],
      headers: {
        authorization: `Basic ${btoa(`u:${SECRET}`)}`,
        ...{ 'x-scope-orgid': 'team-a', 'x-prometheus-remote-write-version': '0.1.0' },
        'user-agent': 'proxywatch/1.2.3',
      },
    },
  ]);
});

it('a receiver of OTLP gets an empty request of OTLP', async () => {
  await using receiver = await RecordingReceiver.start();
  receiver.respond = () => ({ status: 200, headers: { 'content-type': 'application/x-protobuf' } });
  const url = receiver.url.replace('write', 'otlp/v1/metrics');
  expect(await lineAbout({ url, type: 'otlp' })).toMatch(/^ok {6}remote write engine: accepts requests/);
  expect(receiver.requests).toMatchObject([{ series: [], headers: { 'content-encoding': 'gzip' } }]);
});

describe('an answer says what to do, without secrets', () => {
  it.each([
    [
      { status: 200, text: '\n<html lang="en"><form action="/login">' },
      /^failed .*: answered 200: .* An HTML page, such as a login page, is not the answer/,
    ],
    [{ status: 401 }, /^failed {2}remote write engine: answered 401\. Correct basic_auth or bearer_token/],
    [{ status: 403, text: 'no' }, /: answered 403: no\. Correct basic_auth .* tenant in its headers\.$/],
    [
      { status: 404, text: 'not found' },
      /: answered 404: not found\. Correct the path in url: \/api\/v1\/write/,
    ],
    [
      { status: 404, text: 'otlp write receiver needs to be enabled with --web.enable-otlp-receiver' },
      /\. Start Prometheus with --web\.enable-otlp-receiver, or up to version 2 with/,
    ],
    [{ status: 405 }, /: answered 405\. Correct the path .* For OTLP: \/api\/v1\/otlp\/v1\/metrics for/],
    [
      { status: 400, text: 'Client sent an HTTP request to an HTTPS server.' },
      /^failed .* The server uses TLS\. Write https:\/\/ in url\.$/,
    ],
    [{ status: 400, text: 'unsupported path' }, /: answered 400: unsupported path\. Correct the path/],
    [
      { status: 301, headers: { location: 'https://example.com/' } },
      /: answered 301\. .* follows no redirects/,
    ],
    [{ status: 429 }, /^failed .*: answered 429\. The receiver accepts fewer requests/],
    [{ status: 500 }, /^failed .*: answered 500\. The server runs, but reports an error/],
    [
      { status: 400, text: 'empty' },
      /^unknown .*: answered 400: empty\. This answer is to a request without/,
    ],
    [
      { status: 402, text: SECRET },
      /^failed .*: answered 402: the answer is not shown .*\. Check that url is/,
    ],
  ] as const)('%j', async (reply, expected) => {
    const line = await lineAfter(reply);
    expect(line).toMatch(expected);
    expect(line).not.toContain(SECRET);
  });
});

describe('a receiver that cannot be reached', () => {
  const pem = (name: string): string => readFileSync(`test/fixtures/certificates/${name}`, 'utf8');
  const server = { key: pem('server.key'), cert: pem('server.pem') };

  it('has no server', async () => {
    const url = await (async () => {
      await using receiver = await RecordingReceiver.start();
      return receiver.url;
    })();
    expect(await lineAbout({ url })).toMatch(
      /^failed {2}remote write engine: connection failed: ECONNREFUSED\. Check that the receiver runs/,
    );
  });

  it('gives no answer in time', async () => {
    await using receiver = await RecordingReceiver.start();
    receiver.respond = () => undefined;
    expect(await lineAbout({ url: receiver.url, request_timeout: '1s' })).toMatch(
      /: no answer within 1 s\. Check that the receiver runs/,
    );
  });

  it('uses no TLS', async () => {
    await using receiver = await RecordingReceiver.start();
    expect(await lineAbout({ url: receiver.url.replace('http', 'https') })).toMatch(
      /: ERR_SSL_\w+\. The server at this address does not use TLS/,
    );
  });

  it('uses TLS, although the url says otherwise', async () => {
    await using receiver = await RecordingReceiver.start(server);
    expect(await lineAbout({ url: receiver.url.replace('https', 'http') })).toMatch(
      /: UND_ERR_SOCKET\. .* whether url must begin with https:\/\//,
    );
  });

  it.each([
    ['an unknown authority', {}, /trust the certificate of the receiver\. Set tls\.ca_file/],
    [
      'another authority',
      { ca: pem('other-ca.pem') },
      /trust the certificate of the receiver\. Set tls\.ca_file/,
    ],
    ['a key of another certificate', { cert: pem('client.pem'), key: pem('stranger.key') }, /Correct tls\./],
    ['no PEM', { ca: pem('ca.pem'), cert: 'x', key: 'y' }, /Correct tls\./],
  ])('has %s', async (_, tls, expected) => {
    await using receiver = await RecordingReceiver.start(server);
    expect(await lineAbout({ url: receiver.url, tls })).toMatch(expected);
  });

  it('has a certificate for another host name', async () => {
    await using receiver = await RecordingReceiver.start({ key: pem('client.key'), cert: pem('client.pem') });
    expect(await lineAbout({ url: receiver.url, tls: { ca: pem('ca.pem') } })).toMatch(
      /: ERR_TLS_CERT_ALTNAME_INVALID\. .* correct the host in url\.$/,
    );
  });

  it('demands a client certificate', async () => {
    await using receiver = await RecordingReceiver.start({
      ...{ ...server, ca: pem('ca.pem'), requestCert: true, rejectUnauthorized: true },
    });
    expect(await lineAbout({ url: receiver.url, tls: { ca: pem('ca.pem') } })).toMatch(/client certificate/);
    expect(
      await lineAbout({
        url: receiver.url,
        tls: { ca: pem('ca.pem'), cert: pem('stranger.pem'), key: pem('stranger.key') },
      }),
    ).toMatch(/client certificate/);
  });
});
