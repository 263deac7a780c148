// Tests that answers are read the same, however the network splits them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyReader } from '../../src/prober/http-body.ts';
import { HeadReader } from '../../src/prober/http-head.ts';
import { ProbeError } from '../../src/prober/probe.ts';
import type { Reader } from '../../src/prober/reader.ts';
import { choiceReader, loginReader, replyReader } from '../../src/prober/socks5.ts';
import { answersInParts, FakeProxy } from './fake-proxy.ts';
import { outcomeOf, proxyAt, run } from './run-probe.ts';

const HEAD = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n';
const CHUNKS = '4\r\nwiki\r\n10;x=y\r\n0123456789abcdef\r\n0\r\n';

const partsOf = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const ends = [...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

/** Returns what the reader makes of the parts, with the bytes that it left. */
const read = <T>(reader: Reader<T>, parts: readonly Buffer[]): unknown => {
  try {
    for (const [index, part] of parts.entries()) {
      const answer = reader.take(part);
      if (answer)
        return [answer.value, Buffer.concat([answer.rest, ...parts.slice(index + 1)]).toString('latin1')];
    }
    return null;
  } catch (error) {
    return error instanceof ProbeError ? error.message : error;
  }
};

const chunkedHead = { status: 200, headers: new Map([['transfer-encoding', 'chunked']]), text: '' };

const READERS: readonly [string, () => Reader<unknown>, Buffer][] = [
  ['a header', () => new HeadReader(1_024), Buffer.from(`${HEAD}rest`)],
  [
    'a header with bare line feeds',
    () => new HeadReader(1_024),
    Buffer.from('HTTP/1.1 200 OK\nA: b\n\nrest'),
  ],
  ['chunks', () => new BodyReader(chunkedHead, undefined, true), Buffer.from(CHUNKS)],
  ['a wrong chunk', () => new BodyReader(chunkedHead, undefined, true), Buffer.from('4\r\nwiki\r\nxyz\r\n')],
  ['the choice of a method', choiceReader, Buffer.from([5, 2, 7])],
  ['the status of a login', loginReader, Buffer.from([1, 0, 7])],
  ['a reply with a name', replyReader, Buffer.from([5, 0, 0, 3, 2, 65, 66, 0, 80, 7])],
  ['a reply with IPv6', replyReader, Buffer.from([5, 0, 0, 4, ...new Array<number>(18).fill(1), 7])],
];

test.each(READERS)('%s is the same in any parts', (_, create, bytes) => {
  const whole = read(create(), [bytes]);
  expect(whole).not.toBeNull();
  expect(
    read(
      create(),
      [...bytes].map((byte) => Buffer.from([byte])),
    ),
  ).toEqual(whole);
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 12 }), (cuts) => {
      expect(read(create(), partsOf(bytes, cuts))).toEqual(whole);
    }),
  );
});

test('any bytes end in an answer, in more to read, or in an error of the protocol', () => {
  const piece = fc.oneof(
    fc.constantFrom('HTTP/1.1 200 OK\r\n', '\r\n', '\n', ':', 'A: b\r\n', 'HTTP/1.1 ', '100', '\x05\x00'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.constantFrom(...READERS), (pieces, [, create]) => {
      const result = read(
        create(),
        pieces.map((text) => Buffer.from(text, 'latin1')),
      );
      expect(result instanceof Error).toBe(false);
    }),
  );
});

test('a connection that splits the answer of the proxy opens the same tunnel', async () => {
  const answer = Buffer.from('HTTP/1.1 429 No\r\nx-byteful-status-code: 4221\r\n\r\n');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 6 }), async (cuts) => {
      await using proxy = await FakeProxy.start(answersInParts(partsOf(answer, cuts)));
      const result = await run({ proxy: proxyAt(proxy.port), url: 'https://shop.example/' });
      expect([outcomeOf(result), result.proxyAnswer?.code]).toEqual(['tunnel_quota', '4221']);
    }),
    { numRuns: 30 },
  );
});
