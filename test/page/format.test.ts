// Tests how amounts and times are formatted for people.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { bytes, compactCount, duration, local, money, percent, seconds, utc } from '../../src/page/format.ts';

describe('duration', () => {
  it.each([
    [-5, '0 s'],
    [999, '0 s'],
    [2 * MINUTE - 1, '119 s'],
    [2 * MINUTE, '2 min'],
    [2 * HOUR - 1, '119 min'],
    [48 * HOUR - 1, '47 h'],
    [48 * HOUR, '2 d'],
  ])('formats %i ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('bytes', () => {
  it.each([
    [0, '0 B'],
    [1, '1 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [1500, '1.50 kB'],
    [1e7 - 1, '10.0 MB'],
    [100.4e6, '100 MB'],
    [1e6 - 1, '1.00 MB'],
    [1.25e9, '1.25 GB'],
    [-3e9, '-3 GB'],
    [1e24, '1000000 EB'],
    [0.25, '0.25 B'],
  ])('formats %d as %s', (amount, text) => {
    expect(bytes(amount)).toBe(text);
  });
});

describe('percent', () => {
  it.each([
    [0, '0%'],
    [0.0001, '< 0.1%'],
    [0.029, '2.9%'],
    [0.99999, '99.9%'],
    [1, '100%'],
    [1.2584, '125.8%'],
  ])('formats %d as %s', (ratio, text) => {
    expect(percent(ratio)).toBe(text);
  });
});

describe('times', () => {
  const AT = Date.parse('2026-07-01T12:34:56Z');

  it('are in UTC, or in the time zone of the machine', () => {
    expect(utc(AT)).toBe('2026-07-01 12:34:56 UTC');
    // Without a zone, a text is parsed as local time.
    expect(Date.parse(local(AT).replace(' ', 'T'))).toBe(AT);
  });
});

it.each([
  [0, 'USD', 'USD 0.00'],
  [12_45, 'USD', 'USD 12.45'],
  [1_234_50, 'EUR', 'EUR 1,234.50'],
  [-199, 'EUR', 'EUR -1.99'],
])('formats %i cents of %s as the amount of money %s', (cents, currency, text) => {
  expect(money(cents, currency)).toBe(text);
});

it('formats large numbers with three digits, and short times in milliseconds', () => {
  expect([compactCount(1_254_321), compactCount(999), seconds(0.0674), seconds(31.5)]).toEqual([
    '1.25M',
    '999',
    '67 ms',
    '31.5 s',
  ]);
});
