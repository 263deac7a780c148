import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readProxyFile } from '../../../src/collectors/proxy-sources/proxy-file.ts';
import {
  endpointKey,
  formatProxyLine,
  type ProxyLine,
  parseProxyLine,
} from '../../../src/collectors/proxy-sources/proxy-line.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { createFolder } from '../../config/support.ts';
import { cases } from '../../support/fuzz.ts';
import { anyText } from '../../support/fuzzed-text.ts';
import { yamlText } from '../../support/fuzzed-yaml.ts';
import { loadedOrReadable } from '../../support/readable-mistakes.ts';

const parsed = (text: string): ProxyLine => {
  const line = parseProxyLine(text);
  if ('error' in line) throw new Error(line.error);
  return line;
};

const read = (text: string): unknown[] => {
  const { protocol, host, port, username, password } = parsed(text);
  return [protocol, host, port, username, password.reveal()];
};

describe('parseProxyLine', () => {
  it.each([
    ['192.0.2.7:8080:alice:pa55', ['http', '192.0.2.7', 8080, 'alice', 'pa55']],
    ['Gate.Example.com:1:alice:pa55\n', ['http', 'gate.example.com', 1, 'alice', 'pa55']],
    ['192.0.2.7:8080:alice:p:a:55:', ['http', '192.0.2.7', 8080, 'alice', 'p:a:55:']],
    ['[2001:DB8::1]:8080:alice:p:a', ['http', '2001:db8::1', 8080, 'alice', 'p:a']],
    ['http://alice:pa55@192.0.2.7:80', ['http', '192.0.2.7', 80, 'alice', 'pa55']],
    ['HTTPS://alice:pa55@gate.example.com:443/', ['http', 'gate.example.com', 443, 'alice', 'pa55']],
    ['socks5://al%3Aice:p%40a%3a55@[2001:db8::1]:1080', ['socks5', '2001:db8::1', 1080, 'al:ice', 'p@a:55']],
    ['http://alice:p@a/5#5@192.0.2.7:80', ['http', '192.0.2.7', 80, 'alice', 'p@a/5#5']],
  ])('reads %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ['', 'expected host:port:username:password or a URL'],
    ['192.0.2.7:8080', 'expected host:port:username:password or a URL'],
    ['2001:db8::1:8080:alice:s3cret', 'expected a port'],
    ['[192.0.2.7]:8080:alice:s3cret', 'expected a host name'],
    ['ga te:8080:alice:s3cret', 'expected a host name'],
    ['192.0.2.7:0:alice:s3cret', 'expected a port from 1 to 65535'],
    ['192.0.2.7:65536:alice:s3cret', 'expected a port from 1 to 65535'],
    ['192.0.2.7:80a:alice:s3cret', 'expected a port from 1 to 65535'],
    ['192.0.2.7:8080::s3cret', 'the user name is empty'],
    ['192.0.2.7:8080:alice:', 'the password is empty'],
    ['192.0.2.7:8080:alice:s3cret ', 'a blank or a line break at its end'],
    [' 192.0.2.7:8080:alice:s3cret', 'a blank or a line break at its beginning'],
    ['192.0.2.7:8080:alice:s3\ncret', 'one line without control characters'],
    ['ftp://alice:s3cret@192.0.2.7:80', 'expected the scheme http, https or socks5'],
    ['http://192.0.2.7:80', 'expected username:password@host:port'],
    ['http://alice:s3cret@192.0.2.7', 'expected username:password@host:port'],
    ['http://alice:s3cret@192.0.2.7:80/path', 'expected username:password@host:port'],
    ['http://alice:s3cret%@192.0.2.7:80', 'must be percent-encoded'],
  ])('refuses %j without repeating any of it', (text, message) => {
    const line = parseProxyLine(text);
    expect(line).toEqual({ error: expect.stringContaining(message) });
    expect(JSON.stringify(line)).not.toMatch(/s3|cret|alice|192|2001/);
  });

  it('never shows the password by accident', () => {
    const line = parsed('192.0.2.7:8080:alice:s3cret');
    expect(`${inspect(line)}${JSON.stringify(line)}${formatProxyLine(line)}`).not.toContain('s3cret');
  });
});

describe('formatProxyLine', () => {
  it.each([
    ['192.0.2.7:8080:alice:p:a', '192.0.2.7:8080:alice:p:a'],
    ['http://alice:p%40a@192.0.2.7:8080', '192.0.2.7:8080:alice:p@a'],
    ['[2001:db8::1]:8080:alice:pa', '[2001:db8::1]:8080:alice:pa'],
    ['http://al%3Aice:pa@192.0.2.7:8080', 'http://al%3Aice:pa@192.0.2.7:8080'],
    ['socks5://al%3Aice:p%40a@192.0.2.7:1080', 'socks5://al%3Aice:p%40a@192.0.2.7:1080'],
  ])('writes %j for the provider', (text, expected) => {
    expect(formatProxyLine(parsed(text)).reveal()).toBe(expected);
  });

  it('writes a password that ends with a blank so that the blank stays', () => {
    const text = 'http://alice:pa55%20@192.0.2.7:80';
    expect(formatProxyLine(parsed(text)).reveal()).toBe(text);
  });

  it('writes what parseProxyLine reads as the same proxy', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !/\p{Cc}|\s/u.test(value));
    const line = fc.record({
      protocol: fc.constantFrom('http' as const, 'socks5' as const),
      host: fc.oneof(fc.domain(), fc.ipV4(), fc.constant('2001:db8::1')),
      port: fc.integer({ min: 1, max: 65_535 }),
      username: text,
      password: text,
    });
    fc.assert(
      fc.property(line, ({ protocol, host, port, username, password }) => {
        const written = formatProxyLine({ protocol, host, port, username, password: new Secret(password) });
        expect(read(written.reveal())).toEqual([protocol, host.toLowerCase(), port, username, password]);
      }),
    );
  });
});

test.each([true, false])('a file of text drops no character of a line, probed: %s', (isProbed) => {
  const lines = [
    '\ufeff192.0.2.1:80:a:canary',
    '192.0.2.2:80:a:canary ',
    '',
    '  # all',
    '192.0.2.3:80:a:canary',
  ];
  const file = join(createFolder({ 'proxies.txt': lines.join('\r\n') }), 'proxies.txt');
  const found = readProxyFile(file, isProbed).map((item) =>
    'entry' in item
      ? item.entry.proxy.reveal()
      : item.mistakes.map(({ line, message }) => `${line}: ${message}`),
  );
  expect(found).toEqual([
    ['1: the line is a text with a byte order mark at its beginning; remove the mark'],
    ['2: the line is a text with a blank or a line break at its end; remove it'],
    '192.0.2.3:80:a:canary',
  ]);
});

describe('any line', () => {
  const separators = fc.constantFrom(
    ':',
    '@',
    '//',
    '/',
    '[',
    ']',
    '%',
    '%zz',
    '#',
    'http://',
    'SOCKS5://',
    '::1',
  );
  const line = fc.array(
    fc.oneof(separators, anyText(8), fc.constantFrom('gate.example', '8080', 'alice', '65536')),
    {
      maxLength: 12,
    },
  );

  it('is a proxy that is written the same again, or has a reason without any of its text', () => {
    fc.assert(
      fc.property(line, (parts) => {
        const text = parts.join('');
        const result = parseProxyLine(text);
        if ('error' in result) {
          expect(result.error).toMatch(/^[\w ,:;./@%-]{10,120}$/);
          return;
        }
        expect(result.port).toBeGreaterThan(0);
        expect(result.port).toBeLessThan(65_536);
        expect(result.username).not.toBe('');
        expect(read(formatProxyLine(result).reveal())).toEqual(read(text));
      }),
      cases(3_000),
    );
  });

  it('of many characters is refused in a time that grows with its length', () => {
    for (const part of ['a', ':', '@', '[', 'a:', 'http://', '://', 'a-', '.', '%']) {
      const startedAt = performance.now();
      parseProxyLine(`${part.repeat(300_000)}\u00e9`);
      parseProxyLine(`http://${part.repeat(300_000)}`);
      expect([part, performance.now() - startedAt < 20_000]).toEqual([part, true]);
    }
  });

  it('of a file is an entry, or has a mistake in its place', () => {
    const folder = createFolder({});
    const separator = fc.constantFrom('\n', '\r\n', '\n\n', '\n# ', ' ', '\t');
    const lines = fc.array(
      fc.oneof(
        line.map((parts) => parts.join('')),
        separator,
        yamlText,
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(lines, fc.constantFrom('txt', 'yaml', 'json'), (texts, extension) => {
        const file = join(folder, `proxies.${extension}`);
        writeFileSync(file, texts.join('\n'));
        const items = loadedOrReadable(readProxyFile, file, 'not-in-the-file') ?? [];
        for (const item of items) {
          if ('entry' in item) continue;
          expect(item.mistakes.length).toBeGreaterThan(0);
          expect(item.mistakes.map(({ line: at, message }) => at > 0 && message.length > 8)).not.toContain(
            false,
          );
        }
      }),
      cases(300),
    );
  });
});

describe('endpointKey', () => {
  it('is equal for one endpoint, whatever the password and the case of the host', () => {
    const key = endpointKey(parsed('gate.example.com:8080:alice:one'));
    expect(endpointKey(parsed('http://alice:two@GATE.example.com:8080'))).toBe(key);
    expect(endpointKey(parsed('gate.example.com:8080:Alice:one'))).not.toBe(key);
    expect(endpointKey(parsed('gate.example.com:8081:alice:one'))).not.toBe(key);
  });
});
