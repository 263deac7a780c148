// Tests web.yml's TLS over real connections: the server's certificate, TLS settings, and clients' certificates.

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect } from 'node:tls';
import { describe, expect, it, test } from 'vitest';
import { loadWebConfig } from '../../src/http/web-config/load.ts';
import { BODY } from './support.ts';
import {
  createWebFolder,
  pem,
  request,
  startWebServer,
  TLS,
  type WebServer,
  withCertificate,
} from './web-config-support.ts';

const serialOf = (name: string): string => new X509Certificate(pem(name)).serialNumber;

const tlsServer = (settings: object = {}): Promise<WebServer> =>
  startWebServer({ tls_server_config: { ...TLS, ...settings }, http_server_config: { http2: false } });

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
    [
      'an obsolete version that is turned on',
      { min_version: 'TLS10' },
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
      true,
    ],
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
  const isEachServed = async (settings: object): Promise<boolean[]> => {
    await using server = await tlsServer(settings);
    const clients = [{}, withCertificate('stranger'), withCertificate('client')];
    const served = [];
    for (const client of clients) served.push(await isServed(server, client));
    return served;
  };

  /** Whether clients are served: without a certificate, with one of another authority, with a valid one. */
  test.each([
    ['RequestClientCert', [true, true, true]],
    ['RequireAnyClientCert', [false, true, true]],
    ['RequireClientCert', [false, true, true]],
    ['VerifyClientCertIfGiven', [true, false, true]],
    ['RequireAndVerifyClientCert', [false, false, true]],
  ] as const)('%s', async (client_auth_type, expected) => {
    const ca = { client_ca: pem('ca.pem') };
    expect(await isEachServed({ client_auth_type, client_ca_file: 'ca.pem' })).toEqual(expected);
    expect(await isEachServed({ client_auth_type, ...ca })).toEqual(expected);
  });

  /** The authority of the valid certificate is not one of the system's. */
  test.each([
    ['NoClientCert', [true, true, true]],
    ['', [true, true, true]],
    ['RequestClientCert', [true, true, true]],
    ['RequireAnyClientCert', [false, true, true]],
    ['VerifyClientCertIfGiven', [true, false, false]],
    ['RequireAndVerifyClientCert', [false, false, false]],
  ] as const)('%s without client_ca', async (client_auth_type, expected) => {
    expect(await isEachServed({ client_auth_type })).toEqual(expected);
  });

  test.each([
    ['RequireAndVerifyClientCert', {}, true],
    ['VerifyClientCertIfGiven', {}, true],
    ['RequireAndVerifyClientCert', { client_ca_file: 'ca.pem' }, false],
    ['RequireAndVerifyClientCert', { client_allowed_sans: ['prometheus.example'] }, false],
    ['RequireAnyClientCert', {}, false],
  ] as const)('%s with %j is warned about: %s', async (client_auth_type, keys, isExpected) => {
    await using server = await tlsServer({ client_auth_type, ...keys });
    expect(loadWebConfig(join(server.folder, 'web.yml')).warnings).toMatchObject(
      isExpected ? [{ message: expect.stringContaining('without client_ca_file') }] : [],
    );
  });

  const REQUIRED = { client_auth_type: 'RequireAndVerifyClientCert', client_ca_file: 'ca.pem' };

  test('of an authority that another one has signed need the root, which a warning says', async () => {
    const settings = { ...REQUIRED, client_ca_file: 'branch-ca.pem' };
    await using server = await tlsServer(settings);
    expect(await isServed(server, withCertificate('branch-client'))).toBe(false);
    expect(loadWebConfig(join(server.folder, 'web.yml')).warnings).toMatchObject([
      { path: 'tls_server_config.client_ca_file', message: expect.stringContaining('add the root') },
    ]);
    const client_ca = pem('branch-ca.pem') + pem('ca.pem');
    server.configure({ tls_server_config: { ...TLS, ...REQUIRED, client_ca_file: '', client_ca } });
    expect(await isServed(server, withCertificate('branch-client'))).toBe(true);
    expect(loadWebConfig(join(server.folder, 'web.yml')).warnings).toEqual([]);
  });

  test.each([
    [['prometheus.example'], true],
    [['spiffe://example.com/prometheus', 'other.example'], true],
    [['ops@example.com'], true],
    [['192.0.2.7'], true],
    [['2001:db8::7'], true],
    [['other.example'], false],
    [['prometheus'], false],
    [[], false],
  ])('with one of the names %j', async (client_allowed_sans, isExpected) => {
    await using server = await tlsServer({ ...REQUIRED, client_allowed_sans });
    expect(await isServed(server, withCertificate('client'))).toBe(isExpected);
  });

  test('of any authority, with an allowed name', async () => {
    const client_allowed_sans = ['192.0.2.7'];
    const settings = { client_auth_type: 'RequireAnyClientCert', client_allowed_sans };
    expect(await isEachServed(settings)).toEqual([false, false, true]);
  });

  test('of an authority that is no longer trusted are rejected at once, also in a resumed session', async () => {
    await using server = await tlsServer(REQUIRED);
    const session = await sessionOf(server, withCertificate('client'));
    expect(await request(`${server.url}/metrics`, resuming(session))).toMatchObject({ isResumed: true });
    server.replaceFile('ca.pem', 'other-ca.pem');
    expect(await isServed(server, resuming(session))).toBe(false);
    expect(await isServed(server, withCertificate('client'))).toBe(false);
    expect(await isServed(server, withCertificate('stranger'))).toBe(true);
  });
});

/** The types of https leave out the session. */
const resuming = (session: Buffer): RequestOptions =>
  ({ ...withCertificate('client'), session }) as RequestOptions;

/** Returns a TLS session that a client can resume. */
const sessionOf = async ({ url }: WebServer, options: RequestOptions): Promise<Buffer> => {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    ca: pem('ca.pem'),
    ...options,
  } as ConnectionOptions);
  const [session] = await once(socket, 'session');
  socket.destroy();
  return session;
};

describe('HTTP/2', () => {
  test.each([true, false])('falls back to HTTP/1.1 with http2: %s', async (http2) => {
    await using server = await startWebServer({ tls_server_config: TLS, http_server_config: { http2 } });
    const { hostname: host, port } = new URL(server.url);
    const options = { host, port: Number(port), ca: pem('ca.pem'), ALPNProtocols: ['h2', 'http/1.1'] };
    const socket = connect(options);
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe('http/1.1');
    socket.end('GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

describe('a file with a certificate', () => {
  test('takes precedence over an inline one, with a warning', () => {
    const config = { cert_file: 'server.pem', cert: 'none', key: pem('server.key') };
    const folder = createWebFolder(JSON.stringify({ tls_server_config: config }));
    const { tls, warnings } = loadWebConfig(join(folder, 'web.yml'));
    expect(tls?.context.cert).toBe(pem('server.pem'));
    expect(warnings).toMatchObject([
      { path: 'tls_server_config.cert', message: 'this has no effect, because cert_file is set' },
    ]);
  });

  test('that OpenSSL rejects is a mistake', () => {
    const folder = createWebFolder(JSON.stringify({ tls_server_config: TLS }), 'server-small');
    expect(() => loadWebConfig(join(folder, 'web.yml'))).toThrow(
      /cert_file: OpenSSL rejects .*key too small/,
    );
  });
});
