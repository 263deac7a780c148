// Tests web.yml's TLS over real connections: the server's certificate, TLS settings, and clients' certificates.

import { X509Certificate } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import { describe, expect, it, test } from 'vitest';
import { BODY } from './support.ts';
import { pem, request, startWebServer, TLS, type WebServer, withCertificate } from './web-config-support.ts';

const serialOf = (name: string): string => new X509Certificate(pem(name)).serialNumber;

const tlsServer = (settings: object = {}): Promise<WebServer> =>
  startWebServer({ tls_server_config: { ...TLS, ...settings } });

/** Whether /metrics was answered. */
const isServed = async ({ url }: WebServer, options: RequestOptions = {}): Promise<boolean> => {
  try {
    return (await request(`${url}/metrics`, options)).body === BODY;
  } catch {
    return false;
  }
};

describe('the server', () => {
  it('answers only over TLS', async () => {
    await using server = await tlsServer();
    expect(await request(`${server.url}/metrics`)).toMatchObject({
      status: 200,
      serial: serialOf('server.pem'),
    });
    await expect(request(server.url.replace('https', 'http'))).rejects.toThrow();
    expect(await isServed(server)).toBe(true);
  });

  it('presents a new certificate to later connections', async () => {
    await using server = await tlsServer();
    server.replaceFile('server.pem', 'renewed.pem');
    // The certificate is being replaced: the new one is there, with the old key.
    expect(await request(`${server.url}/metrics`)).toMatchObject({ serial: serialOf('server.pem') });
    expect(await request(`${server.url}/metrics`)).toMatchObject({ serial: serialOf('server.pem') });
    server.replaceFile('server.key', 'renewed.key');
    expect(await request(`${server.url}/metrics`)).toMatchObject({ serial: serialOf('renewed.pem') });
    const logged = server.lines.filter(({ level }) => level !== 'trace');
    expect(logged).toMatchObject([
      {
        level: 'error',
        mistakes: [
          expect.stringMatching(
            /web\.yml:1:\d+: tls_server_config\.key_file: the key does not belong to the certificate$/,
          ),
        ],
      },
      { level: 'info', message: 'proxywatch reloaded the web configuration' },
    ]);
  });

  it('turns TLS on or off only at a restart', async () => {
    await using server = await tlsServer();
    server.configure({});
    expect(await isServed(server)).toBe(true);
    expect(server.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { mistakes: [expect.stringContaining('turning TLS off takes effect after a restart')] },
    ]);
  });

  it.each([
    ['a version that is served', {}, { maxVersion: 'TLSv1.2' }, true],
    ['a version below the minimum', { min_version: 'TLS13' }, { maxVersion: 'TLSv1.2' }, false],
    ['a version above the maximum', { max_version: 'TLS12' }, { minVersion: 'TLSv1.3' }, false],
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
  ] as const)('serves or rejects %s', async (_, settings, client, isExpected) => {
    await using server = await tlsServer(settings);
    expect(await isServed(server, client)).toBe(isExpected);
  });
});

describe('client certificates', () => {
  /** Whether clients are served: without a certificate, with one of another authority, with a valid one. */
  test.each([
    ['NoClientCert', [true, true, true]],
    ['RequestClientCert', [true, true, true]],
    ['RequireAnyClientCert', [false, true, true]],
    ['VerifyClientCertIfGiven', [true, false, true]],
    ['RequireAndVerifyClientCert', [false, false, true]],
  ] as const)('%s', async (client_auth_type, expected) => {
    const ca = client_auth_type === 'NoClientCert' ? {} : { client_ca_file: 'ca.pem' };
    await using server = await tlsServer({ client_auth_type, ...ca });
    const clients = [{}, withCertificate('stranger'), withCertificate('client')];
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
    expect(await isServed(server, withCertificate('client'))).toBe(isExpected);
  });

  test('of an authority that is no longer trusted are rejected at once', async () => {
    await using server = await tlsServer(REQUIRED);
    expect(await isServed(server, withCertificate('client'))).toBe(true);
    server.replaceFile('ca.pem', 'other-ca.pem');
    expect(await isServed(server, withCertificate('client'))).toBe(false);
    expect(await isServed(server, withCertificate('stranger'))).toBe(true);
  });
});
