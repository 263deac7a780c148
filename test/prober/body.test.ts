// Tests what a probe reads of the target's answer, and how it compares the answer with the expectation.

import { describe, expect, it, vi } from 'vitest';
import { TextPattern } from '../../src/lib/text-pattern.ts';
import { BodyReader } from '../../src/prober/http-body.ts';
import type { Expectation } from '../../src/prober/probe.ts';
import { FakeProxy, type Handler } from './fake-proxy.ts';
import { outcomeOf, run } from './run-probe.ts';

/** Answers each request with this text; `isOpen` leaves the connection open after it. */
const serving =
  (text: string, isOpen = false): Handler =>
  (socket) => {
    socket.once('data', () => (isOpen ? socket.write(text) : socket.end(text)));
  };

const ask = async (handler: Handler, expect: Expectation | undefined, returnsBody = false) => {
  await using target = await FakeProxy.start(handler);
  return await run({ url: `http://127.0.0.1:${target.port}/`, depth: 'http', expect, returnsBody });
};

const OK = 'HTTP/1.1 200 OK\r\n';

describe('the body', () => {
  it.each([
    ['with a length, on an open connection', `${OK}Content-Length: 5\r\n\r\nhello`, true],
    ['with a length, and more bytes after it', `${OK}Content-Length: 5\r\n\r\nhelloHTTP/1.1 200`, true],
    [
      'in chunks',
      `${OK}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3 \r\nllo\r\n0\r\nT: x\r\n\r\n`,
      true,
    ],
    ['with the same length twice', `${OK}Content-Length: 5\r\ncontent-length: 5\r\n\r\nhello`, true],
    ['until the connection closes', `${OK}\r\nhello`, false],
  ])('%s is returned', async (_, text, isOpen) => {
    expect(await ask(serving(text, isOpen), { body: new TextPattern('^hello$') }, true)).toMatchObject({
      ...{ failure: null, body: 'hello' },
    });
  });

  it.each([
    ['of a status without a body', 'HTTP/1.1 204 No\r\n\r\n'],
    ['of no bytes', `${OK}Content-Length: 0\r\n\r\n`],
    ['of no chunks', `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ])('%s is empty, also on an open connection', async (_, text) => {
    const result = await ask(serving(text, true), { body: new TextPattern('^$') }, true);
    expect([outcomeOf(result), result.body]).toEqual(['ok', '']);
  });

  it.each([
    ['that ends too early', `${OK}Content-Length: 9\r\n\r\nhello`, 'response_closed'],
    ['in chunks that end too early', `${OK}Transfer-Encoding: chunked\r\n\r\n9\r\nhello`, 'response_closed'],
    ['with a wrong chunk', `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello`, 'response_protocol'],
    [
      'with an endless line',
      `${OK}Transfer-Encoding: chunked\r\n\r\n${'0'.repeat(2_000)}`,
      'response_protocol',
    ],
    ['with two lengths', `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, 'response_protocol'],
    ['with other words', `${OK}\r\ngoodbye`, 'response_body'],
  ])('%s fails', async (_, text, outcome) => {
    expect(outcomeOf(await ask(serving(text), { body: new TextPattern('^hello world') }))).toBe(outcome);
  });

  it('is read only to the first match, so a body without end is no timeout', async () => {
    const endless: Handler = (socket) => {
      socket.once('data', () => socket.write(`${OK}\r\nhello`));
    };
    expect(outcomeOf(await ask(endless, { body: new TextPattern('hel+o') }))).toBe('ok');
  });

  it('is read to its end for a pattern that says what follows', async () => {
    const halves: Handler = (socket) => {
      socket.setNoDelay(true);
      socket.once('data', () => {
        socket.write(`${OK}Content-Length: 6\r\n\r\nOK`);
        setImmediate(() => socket.write(' not'));
      });
    };
    expect(outcomeOf(await ask(halves, { body: new TextPattern('^OK$') }))).toBe('response_body');
    expect(outcomeOf(await ask(halves, { body: new TextPattern('^OK\\z') }))).toBe('response_body');
  });

  it('is cut after 64 kB', async () => {
    const text = `${OK}\r\n${'a'.repeat(65_536)}needle`;
    expect((await ask(serving(text), undefined, true)).body).toBe('a'.repeat(65_536));
    expect(outcomeOf(await ask(serving(text), { body: new TextPattern('needle') }))).toBe('response_body');
    expect(outcomeOf(await ask(serving(text), { body: new TextPattern('^a+$') }))).toBe('ok');
  });

  it('is not read without an expectation', async () => {
    const result = await ask(serving(`${OK}Content-Length: 100\r\n\r\nhello`), undefined);
    expect([outcomeOf(result), result.body]).toEqual(['ok', null]);
  });
});

describe('status and headers', () => {
  const text = 'HTTP/1.1 302 Found\r\nX-Cache: HIT\r\nx-cache: MISS\r\nContent-Length: 0\r\n\r\n';
  it.each([
    ['ok', {}],
    ['ok', { status: [302, 200] }],
    ['response_status', { status: [200] }],
    ['ok', { headers: { 'x-cache': new TextPattern('^HIT, MISS$') } }],
    ['response_header', { headers: { 'x-cache': new TextPattern('^MISS$') } }],
    ['response_header', { headers: { 'x-other': new TextPattern('.') } }],
  ] as const)('give %s with %j', async (outcome, expected) => {
    const result = await ask(serving(text), expected);
    expect([outcomeOf(result), result.status]).toEqual([outcome, 302]);
  });

  it('accepts up to 64 kB of headers', async () => {
    const long = (length: number) => `${OK}X: ${'x'.repeat(length)}\r\n\r\n`;
    expect(outcomeOf(await ask(serving(long(65_000)), undefined))).toBe('ok');
    expect(outcomeOf(await ask(serving(long(66_000)), undefined))).toBe('response_protocol');
  });
});

describe('a body that comes in pieces', () => {
  const reading = (pattern: string): BodyReader =>
    new BodyReader({ status: 200, headers: new Map(), text: '' }, new TextPattern(pattern), false);

  it('ends at the match in a small piece after a large one, because the server may send nothing more', () => {
    const reader = reading('ready');
    expect(reader.take(Buffer.alloc(1_000, 'x'))).toBeNull();
    expect(reader.take(Buffer.from('ready'))).not.toBeNull();
  });

  it('does not match a part of a character', () => {
    const reader = reading('[^é]');
    const bytes = Buffer.from('éé');
    expect(reader.take(bytes.subarray(0, 1))).toBeNull();
    expect(reader.take(bytes.subarray(1, 3))).toBeNull();
    expect(reader.close()?.value).toBe('é\ufffd');
  });

  it('is searched seldom if the pieces are tiny', () => {
    const pattern = new TextPattern('never');
    const search = vi.spyOn(pattern, 'isIn');
    const reader = new BodyReader({ status: 200, headers: new Map(), text: '' }, pattern, false);
    for (let n = 0; n < 60_000; n += 1) reader.take(Buffer.from('x'));
    expect(search.mock.calls.length).toBeLessThan(100);
  });
});
