// Tests how amounts and times are formatted for people.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { bytes, compactCount, duration, percent, seconds } from '../../src/page/format.ts';

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
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1536, '1.50 KiB'],
    [10 * 2 ** 20 - 1, '10.0 MiB'],
    [100.4 * 2 ** 20, '100 MiB'],
    [2 ** 20 - 1, '1.00 MiB'],
    [-3 * 2 ** 30, '-3 GiB'],
    [2 ** 80, '1048576 EiB'],
    [0.25, '0.25 B'],
  ])('formats %d as %s', (amount, text) => {
    expect(bytes(amount)).toBe(text);
  });
});

describe('percent', () => {
  it.each([
    [0, '0 %'],
    [0.0001, '< 0.1 %'],
    [0.029, '2.9 %'],
    [0.99999, '99.9 %'],
    [1, '100 %'],
    [1.2584, '125.8 %'],
  ])('formats %d as %s', (ratio, text) => {
    expect(percent(ratio)).toBe(text);
  });
});

it('formats large numbers with three digits, and short times in milliseconds', () => {
  expect([compactCount(1_254_321), compactCount(999), seconds(0.0674), seconds(31.5)]).toEqual([
    '1.25M',
    '999',
    '67 ms',
    '31.5 s',
  ]);
});
