// Tests how the header of an answer is read: 1xx answers before it, and lines that continue others.

import { describe, expect, it } from 'vitest';
import { HeadReader } from '../../src/prober/http-head.ts';

const LIMIT = 64 * 1_024;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

const read = (...chunks: readonly string[]) => {
  const reader = new HeadReader(LIMIT);
  for (const chunk of chunks) {
    const answer = reader.take(Buffer.from(chunk, 'latin1'));
    if (answer) return { ...answer.value, rest: answer.rest.toString('latin1') };
  }
  return null;
};

describe('an answer', () => {
  it.each([
    ['in one piece', (text: string) => [text]],
    ['byte by byte', (text: string) => [...text]],
  ])('after others with 1xx is read %s', (_, split) => {
    const answer = read(...split(`${CONTINUE}${CONTINUE}HTTP/1.1 204 No\r\nA: b\r\n\r\n`));
    expect(answer).toMatchObject({ status: 204, rest: '' });
    expect(answer?.headers.get('a')).toBe('b');
  });

  it('after thousands of others with 1xx in one piece is read', () => {
    const short = 'HTTP/1.1 100\r\n\r\n';
    const count = Math.floor(LIMIT / short.length) - 10;
    expect(read(`${short.repeat(count)}HTTP/1.1 200 OK\r\n\r\nbody`)).toMatchObject({
      ...{ status: 200, rest: 'body' },
    });
  });

  it('is refused if the answers with 1xx before it are too long', () => {
    expect(() => read(CONTINUE.repeat(LIMIT))).toThrow('longer than');
  });

  it('can have header lines that continue others', () => {
    const answer = read('HTTP/1.1 200 OK\r\nA: one,\r\n two\r\n\tthree\r\nB: c\r\n\r\n');
    expect(Object.fromEntries(answer?.headers ?? [])).toEqual({ a: 'one, two three', b: 'c' });
  });

  it('cannot begin with a line that continues another', () => {
    expect(() => read('HTTP/1.1 200 OK\r\n one\r\n\r\n')).toThrow('not HTTP/1.1');
  });
});

it('a long row of spaces in a header takes no time', () => {
  const spaces = ' '.repeat(60_000);
  const reader = new HeadReader(64 * 1_024);
  const text = `HTTP/1.1 200 OK\r\nX-Spaces: a${spaces}b\r\n\r\n`;
  const startedAt = process.cpuUsage();
  expect(reader.take(Buffer.from(text))?.value.headers.get('x-spaces')).toBe(`a${spaces}b`);
  // The time would grow with the square of the length: some seconds instead of less than one millisecond.
  expect(process.cpuUsage(startedAt).user).toBeLessThan(500_000);
});
