// Tests that servers with the files of exporter-toolkit's own tests accept and reject the clients of those tests.

import { writeFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { BODY } from '../support.ts';
import { request, startWebServer, type WebServer, withCertificate } from '../web-config-support.ts';
import { SUITE_FILES, type SuiteFileName } from './files.ts';

const start = (name: SuiteFileName): Promise<WebServer> =>
  startWebServer(SUITE_FILES[name].text, 'server-rsa');

const SERVED = { status: 200, body: BODY };

/** Returns the answer, or the error's message. */
const get = async ({ url }: { readonly url: string }, options: RequestOptions = {}) => {
  try {
    return await request(`${url}/metrics`, options);
  } catch (error) {
    return (error as Error).message;
  }
};

const tls12 = (...suites: string[]): RequestOptions => ({ maxVersion: 'TLSv1.2', ciphers: suites.join(':') });
const AES_128 = 'ECDHE-RSA-AES128-GCM-SHA256';
const AES_256 = 'ECDHE-RSA-AES256-GCM-SHA384';
const NO_COMMON = /alert handshake failure/;
const CLOSED = /socket hang up|ECONNRESET/;

test.each<[string, SuiteFileName, RequestOptions, object]>([
  ['any client', 'web_config_noAuth.good.yml', {}, {}],
  ['inline certificate', 'web_config_noAuth_tlsInline.good.yml', {}, {}],
  ['all suites', 'web_config_noAuth_allCiphers.good.yml', {}, {}],
  [
    'an RSA suite',
    'web_config_noAuth_allCiphers.good.yml',
    tls12('AES256-GCM-SHA384'),
    { suite: 'TLS_RSA_WITH_AES_256_GCM_SHA384' },
  ],
  ['a common suite', 'web_config_noAuth_someCiphers.good.yml', tls12(AES_128), {}],
  [
    'two common suites',
    'web_config_noAuth_someCiphers.good.yml',
    tls12(AES_256, AES_128),
    { suite: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', version: 'TLSv1.2' },
  ],
  [
    'the order of the client',
    'web_config_noAuth_someCiphers_noOrder.good.yml',
    tls12(AES_128, AES_256),
    { suite: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256' },
  ],
  ['all curves', 'web_config_noAuth_allCurves.good.yml', {}, {}],
  ['a common curve', 'web_config_noAuth_someCurves.good.yml', { ecdhCurve: 'P-521' }, { version: 'TLSv1.3' }],
  ['no suite of HTTP/2', 'web_config_noAuth_noHTTP2.good.yml', {}, { version: 'TLSv1.2' }],
  [
    'any client certificate',
    'tls_config_noAuth.requireanyclientcert.good.yml',
    withCertificate('client'),
    {},
  ],
  [
    'any client certificate, key inline',
    'tls_config_noAuth.requireanyclientcertkeyinline.good.yml',
    withCertificate('stranger'),
    {},
  ],
  [
    'a verified client certificate',
    'tls_config_noAuth.requireandverifyclientcert.good.yml',
    withCertificate('client'),
    {},
  ],
  ['an allowed name', 'web_config_auth_client_san.good.yaml', withCertificate('client'), {}],
  ['plain HTTP', 'web_config_empty.yml', {}, { version: undefined }],
  ['carol', 'web_config_users.good.yml', { auth: 'carol:carol' }, {}],
  ['dave', 'web_config_users.good.yml', { auth: 'dave:dave' }, {}],
  ['dave over plain HTTP', 'web_config_users_noTLS.good.yml', { auth: 'dave:dave' }, {}],
])('is served: %s (%s)', async (_, name, options, expected) => {
  await using server = await start(name);
  expect(await get(server, options)).toMatchObject({ ...SERVED, ...expected });
});

test.each<[string, SuiteFileName, RequestOptions, RegExp]>([
  [
    'TLS 1.1',
    'web_config_noAuth.good.yml',
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
    /alert protocol version/,
  ],
  ['no common suite', 'web_config_noAuth_someCiphers.good.yml', tls12('ECDHE-RSA-AES256-SHA'), NO_COMMON],
  ['no common curve', 'web_config_noAuth_someCurves.good.yml', { ecdhCurve: 'P-384' }, NO_COMMON],
  ['no client certificate', 'web_config_noAuth.good.blocking.yml', {}, CLOSED],
  ['no allowed name', 'web_config_auth_client_san.bad.yaml', withCertificate('client'), CLOSED],
])('is rejected by the handshake: %s (%s)', async (_, name, options, code) => {
  await using server = await start(name);
  expect(await get(server, options)).toMatch(code);
});

test('a client of the other scheme is rejected', async () => {
  await using secure = await start('web_config_noAuth.good.yml');
  await using plain = await start('web_config_empty.yml');
  expect(await get({ url: secure.url.replace('https', 'http') })).toMatch(CLOSED);
  expect(await get({ url: plain.url.replace('http', 'https') })).toMatch(/wrong version number/);
});

test.each<[string, SuiteFileName, RequestOptions]>([
  ['no credentials', 'web_config_users.good.yml', {}],
  ['no credentials over plain HTTP', 'web_config_users_noTLS.good.yml', {}],
  ['a wrong password', 'web_config_users.good.yml', { auth: 'dave:bad' }],
  ['an unknown user', 'web_config_users_noTLS.good.yml', { auth: 'nobody:nobody' }],
])('is unauthorized: %s (%s)', async (_, name, options) => {
  await using server = await start(name);
  expect(await get(server, options)).toMatchObject({ status: 401 });
});

it('sets the headers', async () => {
  await using server = await start('web_config_headers.good.yml');
  expect(await get(server)).toMatchObject({
    ...SERVED,
    headers: {
      'x-xss-protection': '1',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'deny',
      'content-security-policy': "default-src 'self' *.example.com",
      'strict-transport-security': 'max-age=86400; includeSubDomains',
    },
  });
});

it('applies another type of client certificates without a restart', async () => {
  await using server = await start('web_config_noAuth.good.blocking.yml');
  expect(await get(server)).toMatch(CLOSED);
  writeFileSync(join(server.folder, 'web.yml'), SUITE_FILES['web_config_noAuth.good.yml'].text);
  expect(await get(server)).toMatchObject(SERVED);
});

it('limits the rate of requests', async () => {
  const statusesOf = async (name: SuiteFileName, count: number) => {
    await using server = await start(name);
    const answers = [];
    for (let i = 0; i < count; i += 1) answers.push(await request(`${server.url}/metrics`));
    return answers.map(({ status, headers }) => [status, headers['x-frame-options']]);
  };
  expect(await statusesOf('web_config_rate_limiter_nonblocking.yaml', 11)).toEqual(
    Array(11).fill([200, undefined]),
  );
  expect(await statusesOf('web_config_rate_limiter_one_second.yaml', 2)).toEqual(
    Array(2).fill([429, undefined]),
  );
  expect(await statusesOf('web_config_rate_limiter_headers.yaml', 2)).toEqual([
    [200, 'deny'],
    [429, 'deny'],
  ]);
});
