// Tests that quoted texts of the provider never repeat a secret of the request, in any form.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HIDDEN_MESSAGE, quotedText } from '../../src/lib/quoted-text.ts';

describe('quotedText', () => {
  it('returns one line of limited length', () => {
    expect(quotedText('a\u0000b\r\n\u001b[31m c', [])).toBe('a b [31m c');
    expect(quotedText('x'.repeat(1_000), [])).toHaveLength(301);
  });

  it('leaves out the user, password and query of other URLs', () => {
    const text = 'no such URL: http://bob:hunter2@shop.example/a?token=s3cret now';
    expect(quotedText(text, [])).toBe('no such URL: http://shop.example/a?… now');
    expect(quotedText('bad socks5://bob:p@ss/w0rd@192.0.2.1:80', [])).toBe('bad socks5://192.0.2.1:80');
  });

  it('takes linear time for a text of slashes', () => {
    const before = process.threadCpuUsage();
    quotedText('/'.repeat(20_000), []);
    // Linear time is a few milliseconds of the processor, and quadratic time more than half a second.
    expect(process.threadCpuUsage(before).user).toBeLessThan(200_000);
  });

  it('keeps a text that contains no secret', () => {
    const sent = ['key-4711', '192.0.2.1:8000:alice:hunter2', 'https://shop.example/?token=s3cret'];
    const text = 'The proxy at 192.0.2.1 is not reachable; shop.example neither.';
    expect(quotedText(text, sent)).toBe(text);
  });

  const socks = 'socks5://alice:p%40ss%2Fw0rd@192.0.2.1:1080';
  it.each([
    ['decoded', 'cannot use socks5://alice:p@ss/w0rd@192.0.2.1:1080'],
    ['decoded, as a pair', 'login alice:p@ss/w0rd failed'],
    ['as the password alone', 'wrong password p@ss/w0rd'],
    ['as it was sent', 'wrong password p%40ss%2Fw0rd'],
    ['with other letters of the encoding', 'wrong password p%40ss%2fw0rd'],
    ['encoded in part', 'wrong password p@ss%2fw0rd'],
    ['encoded twice', 'wrong password p%2540ss%252Fw0rd'],
    ['escaped as in JSON', String.raw`wrong password p@ss\/w\u0030rd`],
    ['in base64', `Basic ${Buffer.from('alice:p@ss/w0rd').toString('base64')}`],
    ['in another case', 'WRONG PASSWORD P@SS/W0RD'],
    ['as the user alone', 'alice is not known'],
  ])('hides a text that repeats a credential %s', (_, text) => {
    expect(quotedText(text, [socks])).toBe(HIDDEN_MESSAGE);
  });

  it('recognizes a short password only as a separate word, and never cuts it out', () => {
    const sent = ['192.0.2.1:8000:x9:a'];
    expect(quotedText('What came was bad.', sent)).toBe('What came was bad.');
    expect(quotedText('user x9 with password "a"', sent)).toBe(HIDDEN_MESSAGE);
    expect(quotedText('Basic eDk6YQ==', sent)).toBe(HIDDEN_MESSAGE);
  });

  const word = fc
    .string({ unit: 'grapheme-ascii', minLength: 4, maxLength: 20 })
    .filter((s) => /\S{4}/.test(s));
  const user = word.filter((name) => !name.includes(':'));
  /** Generates the secret with each character in one of the forms that the provider may use. */
  const written = (secret: string): fc.Arbitrary<string> =>
    fc
      .tuple(
        ...[...secret].map((character) => {
          const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
          const encoded = [`%${hex}`, `%${hex.toUpperCase()}`, `\\u00${hex}`];
          return fc.constantFrom(...(character === '%' || character === '\\' ? [] : [character]), ...encoded);
        }),
      )
      .map((characters) => characters.join(''));

  it('never shows a credential of any line, however it is written', () => {
    const lines = [
      (name: string, password: string) => `192.0.2.1:8000:${name}:${password}`,
      (name: string, password: string) =>
        `http://${encodeURIComponent(name)}:${encodeURIComponent(password)}@192.0.2.1:8000`,
      (name: string, password: string) =>
        `socks5://${encodeURIComponent(name)}:${encodeURIComponent(password)}@192.0.2.1:1080`,
    ];
    const property = fc.property(
      fc.tuple(user, word).chain(([name, password]) =>
        fc.tuple(
          fc.constantFrom(...lines).map((line) => line(name, password)),
          fc.oneof(written(name), written(password), written(`${name}:${password}`)),
        ),
      ),
      fc.stringMatching(/^[a-z ]{0,40}$/),
      fc.stringMatching(/^[a-z ]{0,400}$/),
      ([line, repeated], before, after) => {
        expect(quotedText(`${before} ${repeated} ${after}`, [line])).toBe(HIDDEN_MESSAGE);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it('never shows a line or a key as a whole, nor user and password in base64', () => {
    const property = fc.property(user, word, word, (name, password, key) => {
      const line = `192.0.2.1:8000:${name}:${password}`;
      const basic = Buffer.from(`${name}:${password}`).toString('base64');
      for (const text of [line, key, basic, encodeURIComponent(line)])
        expect(quotedText(`answered: ${text}.`, [key, line])).toBe(HIDDEN_MESSAGE);
    });
    fc.assert(property);
  });
});
