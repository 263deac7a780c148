// web.yml's TLS over real connections: the server's certificate, terms of TLS, and clients' certificates.

import { X509Certificate } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import { describe, expect, it, test } from 'vitest';
import { BODY } from './support.ts';
import { ask, pem, showing, startWebServer, TLS, type WebServer } from './web-config-support.ts';

const serialOf = (name: string): string => new X509Certificate(pem(name)).serialNumber;

const tlsServer = (settings: object = {}): Promise<WebServer> =>
  startWebServer({ tls_server_config: { ...TLS, ...settings } });

/** Whether /metrics was answered. */
const isServed = async ({ url }: WebServer, options: RequestOptions = {}): Promise<boolean> => {
  try {
    return (await ask(`${url}/metrics`, options)).body === BODY;
  } catch {
    return false;
  }
};

describe('the server', () => {
  it('answers over TLS alone', async () => {
    await using server = await tlsServer();
    expect(await ask(`${server.url}/metrics`)).toMatchObject({ status: 200, serial: serialOf('server.pem') });
    await expect(ask(server.url.replace('https', 'http'))).rejects.toThrow();
    expect(await isServed(server)).toBe(true);
  });

  it('shows a new certificate to who connects after it came', async () => {
    await using server = await tlsServer();
    server.put('server.pem', 'renewed.pem');
    // The new certificate with the old key: in the midst of being replaced.
    expect(await ask(`${server.url}/metrics`)).toMatchObject({ serial: serialOf('server.pem') });
    expect(await ask(`${server.url}/metrics`)).toMatchObject({ serial: serialOf('server.pem') });
    server.put('server.key', 'renewed.key');
    expect(await ask(`${server.url}/metrics`)).toMatchObject({ serial: serialOf('renewed.pem') });
    const told = server.lines.filter(({ level }) => level !== 'trace');
    expect(told).toMatchObject([
      {
        level: 'error',
        mistakes: [
          expect.stringMatching(
            /web\.yml:1:\d+: tls_server_config\.key_file: the key does not belong to the certificate$/,
          ),
        ],
      },
      { level: 'info', message: 'the web configuration was read again' },
    ]);
  });

  it('turns TLS on or off at a restart alone', async () => {
    await using server = await tlsServer();
    server.configure({});
    expect(await isServed(server)).toBe(true);
    expect(server.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { mistakes: [expect.stringContaining('turning TLS off waits for a restart')] },
    ]);
  });

  it.each([
    ['a version that is served', {}, { maxVersion: 'TLSv1.2' }, true],
    ['an older version than the least', { min_version: 'TLS13' }, { maxVersion: 'TLSv1.2' }, false],
    ['a newer version than the greatest', { max_version: 'TLS12' }, { minVersion: 'TLSv1.3' }, false],
    [
      'a suite that is named',
      { cipher_suites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'] },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' },
      true,
    ],
    [
      'a suite that is not',
      { cipher_suites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'] },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' },
      false,
    ],
    [
      'TLS 1.3, whatever the suites',
      { cipher_suites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'] },
      { minVersion: 'TLSv1.3' },
      true,
    ],
    ['a curve that is named', { curve_preferences: ['CurveP384'] }, { ecdhCurve: 'P-384' }, true],
    ['a curve that is not', { curve_preferences: ['CurveP384'] }, { ecdhCurve: 'X25519' }, false],
  ] as const)('is asked for %s', async (_, settings, client, isExpected) => {
    await using server = await tlsServer(settings);
    expect(await isServed(server, client)).toBe(isExpected);
  });
});

describe('client certificates', () => {
  /** Who is served: without a certificate, with one of another authority, with a good one. */
  test.each([
    ['NoClientCert', [true, true, true]],
    ['RequestClientCert', [true, true, true]],
    ['RequireAnyClientCert', [false, true, true]],
    ['VerifyClientCertIfGiven', [true, false, true]],
    ['RequireAndVerifyClientCert', [false, false, true]],
  ] as const)('%s', async (client_auth_type, expected) => {
    const ca = client_auth_type === 'NoClientCert' ? {} : { client_ca_file: 'ca.pem' };
    await using server = await tlsServer({ client_auth_type, ...ca });
    const clients = [{}, showing('stranger'), showing('client')];
    const served = [];
    for (const client of clients) served.push(await isServed(server, client));
    expect(served).toEqual(expected);
  });

  const REQUIRED = { client_auth_type: 'RequireAndVerifyClientCert', client_ca_file: 'ca.pem' };

  test.each([
    [['prometheus.example'], true],
    [['spiffe://example.com/prometheus', 'other.example'], true],
    [['other.example'], false],
    [['prometheus'], false],
  ])('with one of the names %j', async (client_allowed_sans, isExpected) => {
    await using server = await tlsServer({ ...REQUIRED, client_allowed_sans });
    expect(await isServed(server, showing('client'))).toBe(isExpected);
  });

  test('of an authority that is trusted no more are refused at once', async () => {
    await using server = await tlsServer(REQUIRED);
    expect(await isServed(server, showing('client'))).toBe(true);
    server.put('ca.pem', 'other-ca.pem');
    expect(await isServed(server, showing('client'))).toBe(false);
    expect(await isServed(server, showing('stranger'))).toBe(true);
  });
});
