// Tests that a certificate that is not trusted fails the probe in words, and is reported all the same.

import { expect, it, test } from 'vitest';
import { CA, OTHER_CA } from './certificates.ts';
import { FakeProxy, httpTunnel } from './fake-proxy.ts';
import { greet, outcomeOf, proxyAt, run, startTarget } from './run-probe.ts';

it.each([
  ['expired', CA, /certificate of the target has expired/],
  ['self-signed', CA, /certificate of the target is self-signed/],
  ['stranger', CA, /comes from an authority that is not trusted here/],
  ['stranger', OTHER_CA, /certificate of the target is for another name/],
  ['valid', undefined, /comes from an authority that is not trusted here/],
] as const)('the certificate %s fails', async (name, ca, message) => {
  await using target = await startTarget(greet, name);
  const url = `https://localhost:${target.port}/`;
  const result = await run({ url, depth: 'http', ...(ca ? { ca } : { ca: OTHER_CA }) });
  expect(outcomeOf(result)).toBe('tls_certificate');
  expect(result.failure?.message).toMatch(message);
  expect(result.certificate).toMatchObject({ isTrusted: false, notAfter: expect.any(Number) });
  if (name === 'expired') expect(result.certificate?.notAfter).toBeLessThan(Date.now());
});

test('a certificate with the address of the target is trusted', async () => {
  await using target = await startTarget(greet);
  const result = await run({ url: `https://127.0.0.1:${target.port}/`, depth: 'tls' });
  expect([outcomeOf(result), result.certificate?.isTrusted]).toEqual(['ok', true]);
});

test('a certificate of the proxy that is not trusted fails the connection to it', async () => {
  await using proxy = await FakeProxy.start(httpTunnel(1), { hasTls: true });
  const settings = { protocol: 'https', ca: OTHER_CA } as const;
  const result = await run({ proxy: proxyAt(proxy.port, settings), url: 'https://localhost/', depth: 'tls' });
  expect(outcomeOf(result)).toBe('connect_certificate');
  expect(result.failure?.message).toMatch(/^the certificate of the proxy comes from an authority/);
  expect([result.certificate, proxy.received[0] ?? '']).toEqual([null, '']);
});

test.each(['', 'nonsense', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
  'trusted certificates that are no PEM are a mistake of this machine: %j',
  async (ca) => {
    await using target = await startTarget(greet);
    const result = await run({ url: `https://localhost:${target.port}/`, depth: 'tls', ca });
    expect(outcomeOf(result)).toBe('tls_local');
  },
);
