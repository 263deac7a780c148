// Tests the parser of the lines of probed proxies.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProbeLine, parseProxyLine } from '../../../src/collectors/proxy-sources/proxy-line.ts';
import type { ProbeProxy } from '../../../src/prober/probe.ts';
import { anyText } from '../../support/fuzzed-text.ts';

const parsed = (text: string): ProbeProxy => {
  const line = parseProbeLine(text);
  if ('error' in line) throw new Error(line.error);
  return line;
};

const read = (text: string): unknown[] => {
  const { protocol, host, port, credentials } = parsed(text);
  return [protocol, host, port, credentials?.username, credentials?.password.reveal()];
};

describe('parseProbeLine', () => {
  it.each([
    ['192.0.2.7:8080:alice:p:a', ['http', '192.0.2.7', 8080, 'alice', 'p:a']],
    ['https://alice:pa55@Gate.example.com:443/', ['https', 'gate.example.com', 443, 'alice', 'pa55']],
    ['socks5://al%3Aice:p%40a@[2001:DB8::1]:1080', ['socks5', '2001:db8::1', 1080, 'al:ice', 'p@a']],
    ['192.0.2.7:8080', ['http', '192.0.2.7', 8080, undefined, undefined]],
    ['[2001:db8::1]:8080', ['http', '2001:db8::1', 8080, undefined, undefined]],
    ['http://gate.example.com:80', ['http', 'gate.example.com', 80, undefined, undefined]],
    ['https://[2001:db8::1]:443/', ['https', '2001:db8::1', 443, undefined, undefined]],
    ['socks5://192.0.2.7:1080', ['socks5', '192.0.2.7', 1080, undefined, undefined]],
  ])('reads %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ['', 'expected host:port, host:port:username:password or a URL'],
    ['192.0.2.7:8080:alice', 'expected host:port, host:port:username:password or a URL'],
    ['192.0.2.7:8080::s3cret', 'the user name is empty'],
    ['http://alice@192.0.2.7:80', 'expected host:port or username:password@host:port'],
    ['http://alice:@192.0.2.7:80', 'the password is empty'],
    ['http://alice:s3cret@192.0.2.7', 'expected a port'],
    ['socks4://192.0.2.7:80', 'expected the scheme http, https or socks5'],
  ])('refuses %j without repeating any of it', (text, message) => {
    const line = parseProbeLine(text);
    expect(line).toEqual({ error: expect.stringContaining(message) });
    expect(JSON.stringify(line)).not.toMatch(/s3|cret|alice|192/);
  });

  it('never shows the password by accident', () => {
    const line = parsed('https://alice:s3cret@192.0.2.7:8080');
    expect(`${inspect(line, { depth: 9 })}${JSON.stringify(line)}`).not.toContain('s3cret');
  });

  it('reads each line that proxy tests accept as the same endpoint and user', () => {
    const part = fc.oneof(
      fc.constantFrom(':', '@', 'http://', 'https://', '[::1]', '80', 'gate'),
      anyText(6),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const line = parseProxyLine(parts.join(''));
        if ('error' in line) return;
        const [protocol, ...rest] = read(parts.join(''));
        expect(protocol === 'https' ? 'http' : protocol).toBe(line.protocol);
        expect(rest).toEqual([line.host, line.port, line.username, line.password.reveal()]);
      }),
    );
  });
});
