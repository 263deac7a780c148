// Tests that a probe is cut off before it takes more bytes than the byte budget reserves for it.

import { expect, it } from 'vitest';
import { TextPattern } from '../../src/lib/text-pattern.ts';
import { BYTE_LIMITS, MAX_OVERRUN_BYTES } from '../../src/prober/byte-limits.ts';
import type { Depth, ProbeResult } from '../../src/prober/probe.ts';
import { FakeProxy } from './fake-proxy.ts';
import { outcomeOf, proxyAt, run, startTarget } from './run-probe.ts';
import { tinyRecords } from './tiny-records.ts';

const WHOLE_BODY = { body: new TextPattern('never$') };
const [KB, MB] = [1_024, 1_024 * 1_024];

const expectCutOff = (result: ProbeResult, depth: Depth, phase: string): void => {
  expect(outcomeOf(result)).toBe(`${phase}_protocol`);
  expect(result.failure?.message).toContain(`${BYTE_LIMITS[depth] / KB} kB`);
  const { sent, received } = result.bytes;
  expect(sent + received).toBeGreaterThan(BYTE_LIMITS[depth]);
  expect(sent + received).toBeLessThanOrEqual(BYTE_LIMITS[depth] + MAX_OVERRUN_BYTES);
};

it('in a body whose chunks are mostly extensions', async () => {
  const chunk = `1;${'x'.repeat(1_000)}\r\na\r\n`;
  await using target = await FakeProxy.start((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      socket.write(chunk.repeat((4 * MB) / chunk.length));
    });
  });
  const url = `http://127.0.0.1:${target.port}/`;
  expectCutOff(await run({ url, depth: 'http', expect: WHOLE_BODY, isMetered: true }), 'http', 'response');
});

it('in a body of TLS records with one byte each', async () => {
  await using target = await startTarget(({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    // Writes that wait for each other are not joined into one record.
    const writeNext = (error?: Error | null): void => void (error ?? socket.write('a', writeNext));
    writeNext();
  });
  const url = `https://localhost:${target.port}/`;
  expectCutOff(await run({ url, depth: 'http', expect: WHOLE_BODY, isMetered: true }), 'http', 'response');
});

it.each([
  ['tls', null, 'tls'],
  ['tunnel', 'https', 'connect'],
] as const)('in a handshake of tiny records at depth %s', async (depth, protocol, phase) => {
  await using server = await FakeProxy.start(tinyRecords);
  const proxy = protocol && proxyAt(server.port, { protocol });
  const url = `https://127.0.0.1:${server.port}/`;
  const result = await run({ proxy, url, depth, isMetered: true });
  expectCutOff(result, depth, phase);
});

it('before it sends a request that is too long', async () => {
  await using target = await FakeProxy.start(() => {});
  const url = `http://127.0.0.1:${target.port}/${'a'.repeat(BYTE_LIMITS.http)}`;
  const result = await run({ url, depth: 'http' });
  expect([outcomeOf(result), result.bytes]).toEqual(['response_local', { sent: 0, received: 0 }]);
});
