// Tests the primitives: what they accept, what they return, and what they reject.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { httpUrl as targetUrl } from '../../src/collectors/url-label.ts';
import { formatDuration } from '../../src/config/duration.ts';
import {
  baseUrl,
  cronExpression,
  currency,
  duration,
  hostName,
  httpUrl,
  labelText,
  listenAddress,
  ratio,
  size,
  timeZone,
} from '../../src/config/primitives.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';

const isInvalid = (schema: z.ZodType, value: unknown): boolean => !schema.safeParse(value).success;

test('a value of a label has at most 4 KiB, however many bytes a character has', () => {
  expect(labelText().parse('𝕏'.repeat(512))).toHaveLength(1_024);
  for (const text of ['', 'x'.repeat(1_025)]) expect(isInvalid(labelText(), text)).toBe(true);
});

test('the path of a target without a name is short enough for a label', () => {
  const address = `https://example.com/${'x'.repeat(1_004)}`;
  expect(
    targetUrl()
      .parse(`${address}?token=${'y'.repeat(2_000)}`)
      .reveal(),
  ).toContain(address);
  const { error } = targetUrl().safeParse(`${address}x?token=secret`);
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'a URL with more than 1024 characters before its query, which is too long for a label',
  ]);
});

describe('duration', () => {
  test.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 5 * MINUTE],
    ['1h30m', 90 * MINUTE],
    ['7d', 7 * DAY],
    ['2w', 14 * DAY],
    ['0s', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(duration().parse(text)).toBe(ms);
  });

  test.each(['', '5', 'm', '-5m', '1.5h', '5 m', '30m1h', '5m5m', '5M', '5m\n', '99999999999999w'])(
    '%j is none',
    (text) => {
      expect(isInvalid(duration(), text)).toBe(true);
    },
  );

  test('a formatted number of milliseconds is parsed to the same number', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (ms) => {
        expect(duration().parse(formatDuration(ms))).toBe(ms);
      }),
    );
  });

  test('limits are inclusive', () => {
    const limited = duration({ min: MINUTE, max: HOUR });
    expect(limited.parse('1m')).toBe(MINUTE);
    expect(limited.parse('60m')).toBe(HOUR);
    expect(isInvalid(limited, '59s')).toBe(true);
    expect(isInvalid(limited, '61m')).toBe(true);
  });
});

describe('host name', () => {
  test.each([
    ['proxywatch.example', 'proxywatch.example'],
    ['Proxy.Example.', 'proxy.example'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['192.0.2.1', '192.0.2.1'],
    ['*', '*'],
  ])('%s is sent as %s', (text, name) => {
    expect(hostName().parse(text)).toBe(name);
  });

  test.each(['', '.', '.example', 'a.example:80', 'https://a.example', '*.example', 'a b', 'a/b', '[::1]'])(
    '%j is none',
    (text) => {
      expect(isInvalid(hostName(), text)).toBe(true);
    },
  );
});

describe('size', () => {
  test('a whole number of any unit is converted to bytes', () => {
    const units = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
    fc.assert(
      fc.property(fc.nat(999_999), fc.constantFrom(...Object.entries(units)), (count, [unit, bytes]) => {
        expect(size().parse(`${count}${unit}`)).toBe(count * bytes);
        expect(size().parse(`${count} ${unit}`)).toBe(count * bytes);
        expect(size().parse(count * bytes)).toBe(count * bytes);
      }),
    );
  });

  test('fractions are rounded to bytes', () => {
    expect(size().parse('1.5GiB')).toBe(1.5 * 1024 ** 3);
    expect(size().parse('0.3KiB')).toBe(307);
  });

  test.each(['', '10', 'GB', '10 gigs', '-1GB', '10Gib', '99999999TiB', -1, 1.5, null])(
    '%j is none',
    (written) => {
      expect(isInvalid(size(), written)).toBe(true);
    },
  );
});

test.each(['* * * * *', '*/10 8-20 * * mon-fri', '*/15 * * * * *', '35 4 * * *', '0 0 29 2 mon', '@daily'])(
  '%s is a schedule',
  (text) => {
    expect(cronExpression().parse(text)).toBe(text);
  },
);

test.each(['', '* * * *', '60 * * * *', '* * * * * * *', '0 0 30 2 *', '0 0 30 * 1#1', 5])(
  '%j is not a schedule',
  (written) => {
    expect(isInvalid(cronExpression(), written)).toBe(true);
  },
);

test.each(['UTC', 'Europe/Paris', 'America/Argentina/Buenos_Aires'])('%s is a time zone', (name) => {
  expect(timeZone().parse(name)).toBe(name);
});

test.each(['', 'Europe', 'Paris', '+02:00', 1])('%j is not a time zone', (written) => {
  expect(isInvalid(timeZone(), written)).toBe(true);
});

test.each(['http://provider.example', 'https://192.0.2.1:8443/1.0?a=b'])('%s is an address', (text) => {
  expect(httpUrl().parse(text)).toBe(text);
});

test.each([
  ['https://Provider.example/1.0', 'https://provider.example/1.0'],
  ['https://provider.example', 'https://provider.example'],
  ['http://[2001:db8::1]:9093/prefix//', 'http://[2001:db8::1]:9093/prefix'],
  [' http://provider.example:80/ ', 'http://provider.example'],
])('paths follow %j without its slashes', (text, base) => {
  expect(baseUrl().parse(text)).toBe(base);
});

test.each([
  'https://provider.example/1.0?',
  'https://provider.example/?key=canary',
  'https://provider.example/#/alerts',
  'https://a@provider.example/',
  'provider.example',
])('no path can follow %j', (text) => {
  expect(isInvalid(baseUrl(), text)).toBe(true);
});

test.each([
  '',
  'provider.example',
  'ftp://provider.example',
  'https://a@provider.example',
  'https://:b@x.example',
  'http://',
])('%j is not an address', (text) => {
  expect(isInvalid(httpUrl(), text)).toBe(true);
});

test.each([
  ['127.0.0.1:9876', '127.0.0.1', 9876],
  ['[::1]:80', '::1', 80],
  ['localhost:0', 'localhost', 0],
  [':9876', '0.0.0.0', 9876],
])('%s is an address to listen on', (text, host, port) => {
  expect(listenAddress().parse(text)).toEqual({ host, port });
});

test.each(['', ':', '127.0.0.1', '::1:80', '127.0.0.1:65536', 'a b:1', 9876])(
  '%j is not an address to listen on',
  (written) => {
    expect(isInvalid(listenAddress(), written)).toBe(true);
  },
);

test.each(['USD', 'EUR', 'HUF', 'IDR'])('%s is a currency with cents', (code) => {
  expect(currency().parse(code)).toBe(code);
});

test.each([
  ['usd', 'expected an ISO 4217 code of three capital letters such as USD or EUR'],
  ['$', 'expected an ISO 4217 code of three capital letters such as USD or EUR'],
  ['EURO', 'expected an ISO 4217 code of three capital letters such as USD or EUR'],
  ['ZZZ', 'expected an ISO 4217 code of three capital letters such as USD or EUR'],
  [840, 'expected an ISO 4217 code of three capital letters such as USD or EUR'],
  ['JPY', 'expected a currency with cents, because the provider documents all amounts in cents'],
  ['KWD', 'expected a currency with cents, because the provider documents all amounts in cents'],
])('%j is no currency with cents', (value, message) => {
  expect(
    currency()
      .safeParse(value)
      .error?.issues.map((issue) => issue.message),
  ).toEqual([message]);
});

test('a ratio is a number from 0 to 1', () => {
  expect([0, 0.1, 1].map((number) => ratio().parse(number))).toEqual([0, 0.1, 1]);
  expect([-0.1, 1.1, '10%', Number.NaN].filter((number) => !isInvalid(ratio(), number))).toEqual([]);
});
