// Tests which TLS sessions a probe keeps, and when it resumes them.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { afterEach, expect, test, vi } from 'vitest';
import { TextPattern } from '../../src/lib/text-pattern.ts';
import type { TlsSessions } from '../../src/prober/probe.ts';
import { type CertificateName, certificate, OTHER_CA } from './certificates.ts';
import { greet, outcomeOf, run, startTarget } from './run-probe.ts';

class Sessions implements TlsSessions {
  readonly kept = new Map<string, Buffer>();

  get(key: string): Buffer | undefined {
    return this.kept.get(key);
  }

  set(key: string, session: Buffer): void {
    this.kept.set(key, session);
  }
}

const WHOLE_BODY = { body: new TextPattern('^hello$') };

afterEach(() => {
  vi.useRealTimers();
});

test('a session is resumed for its own key only, with fewer bytes and the certificate of its first handshake', async () => {
  await using target = await startTarget(greet);
  const cache = new Sessions();
  const probe = (key: string) =>
    run({
      url: `https://localhost:${target.port}/`,
      depth: 'http',
      expect: WHOLE_BODY,
      sessions: { cache, key },
    });
  const [first, second, other] = [await probe('a'), await probe('a'), await probe('b')];
  expect([first, second, other].map(outcomeOf)).toEqual(['ok', 'ok', 'ok']);
  expect([first, second, other].map(({ isResumed }) => isResumed)).toEqual([false, true, false]);
  expect(second.bytes.received).toBeLessThan(first.bytes.received);
  expect(second.certificate).toEqual(first.certificate);
});

test('a session is not resumed after its certificate has expired', async () => {
  await using target = await startTarget(greet);
  const sessions = { cache: new Sessions(), key: 'a' };
  const probe = () =>
    run({ url: `https://localhost:${target.port}/`, depth: 'http', expect: WHOLE_BODY, sessions });
  const { certificate: seen } = await probe();
  vi.useFakeTimers({ now: (seen?.notAfter ?? 0) + 1, toFake: ['Date'] });
  expect((await probe()).isResumed).toBe(false);
});

/** A target whose sessions come with the handshake, as with TLS 1.2. */
const startOldTarget = async (name: CertificateName) => {
  const server = createServer({ ...certificate(name), maxVersion: 'TLSv1.2' }, (socket) =>
    socket.on('error', () => {}),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
};

test.each([
  ['valid', undefined, 1],
  ['stranger', OTHER_CA, 0],
] as const)(
  'of the certificate %s, a session of TLS 1.2 is kept only if it is trusted',
  async (name, ca, kept) => {
    await using target = await startOldTarget(name);
    const cache = new Sessions();
    const sessions = { cache, key: 'a' };
    const url = `https://localhost:${target.port}/`;
    const probe = () => run({ url, depth: 'tls', sessions, ...(ca && { ca }) });
    const outcome = kept ? 'ok' : 'tls_certificate';
    expect(outcomeOf(await probe())).toBe(outcome);
    await nextTurn();
    expect(cache.kept.size).toBe(kept);
    const again = await probe();
    expect([outcomeOf(again), again.isResumed]).toEqual([outcome, kept === 1]);
  },
);
