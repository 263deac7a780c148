// Tests local time in named zones, mainly around changes of the clocks.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketStart, DAY, HOUR, instantsOf, MINUTE, zoneOffset } from '../../src/lib/time.ts';

const at = (iso: string): number => Date.parse(iso);
const local = (time: string): number => Date.parse(`${time}Z`);
const iso = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

const PARIS = 'Europe/Paris';
const NEW_YORK = 'America/New_York';
const LORD_HOWE = 'Australia/Lord_Howe';
const HAVANA = 'America/Havana';

describe('zoneOffset', () => {
  it.each([
    ['UTC', '2026-07-01T00:00:00Z', 0],
    [PARIS, '2026-01-15T12:00:00Z', HOUR],
    [PARIS, '2026-07-15T12:00:00Z', 2 * HOUR],
    [PARIS, '2026-03-29T00:59:59.999Z', HOUR],
    [PARIS, '2026-03-29T01:00:00Z', 2 * HOUR],
    [PARIS, '2026-10-25T00:59:59.999Z', 2 * HOUR],
    [PARIS, '2026-10-25T01:00:00Z', HOUR],
    [NEW_YORK, '2026-03-08T06:59:59Z', -5 * HOUR],
    [NEW_YORK, '2026-03-08T07:00:00Z', -4 * HOUR],
    [LORD_HOWE, '2026-07-01T00:00:00Z', 10.5 * HOUR],
    [LORD_HOWE, '2026-01-01T00:00:00Z', 11 * HOUR],
    ['Asia/Kathmandu', '2026-01-01T00:00:00Z', 5.75 * HOUR],
    ['America/St_Johns', '1969-12-31T23:59:59.001Z', -3.5 * HOUR],
    [PARIS, '0001-01-01T00:00:00Z', 561 * 1_000],
  ])('of %s at %s is %i ms', (zone, time, offset) => {
    expect(zoneOffset(zone, at(time))).toBe(offset);
  });

  it('of an unknown zone is a RangeError', () => {
    expect(() => zoneOffset('Europe/Atlantis', 0)).toThrow(RangeError);
  });
});

describe('instantsOf', () => {
  it.each([
    ['an ordinary time', PARIS, '2026-07-01T12:00:00', ['2026-07-01T10:00:00Z']],
    ['an ordinary time', 'UTC', '2026-07-01T12:00:00', ['2026-07-01T12:00:00Z']],
    ['a skipped hour', PARIS, '2026-03-29T02:30:00', []],
    ['the end of a skipped hour', PARIS, '2026-03-29T03:00:00', ['2026-03-29T01:00:00Z']],
    ['a repeated hour', PARIS, '2026-10-25T02:30:00', ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']],
    ['the end of a repeated hour', PARIS, '2026-10-25T03:00:00', ['2026-10-25T02:00:00Z']],
    ['a skipped hour', NEW_YORK, '2026-03-08T02:00:00', []],
    ['a repeated hour', NEW_YORK, '2026-11-01T01:00:00', ['2026-11-01T05:00:00Z', '2026-11-01T06:00:00Z']],
    ['a skipped half hour', LORD_HOWE, '2026-10-04T02:15:00', []],
    ['the end of a skipped half hour', LORD_HOWE, '2026-10-04T02:30:00', ['2026-10-03T15:30:00Z']],
    [
      'a repeated half hour',
      LORD_HOWE,
      '2026-04-05T01:45:00',
      ['2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z'],
    ],
    ['before a repeated half hour', LORD_HOWE, '2026-04-05T01:29:00', ['2026-04-04T14:29:00Z']],
    ['a skipped day', 'Pacific/Apia', '2011-12-30T12:00:00', []],
    ['the day after a skipped one', 'Pacific/Apia', '2011-12-31T00:30:00', ['2011-12-30T10:30:00Z']],
  ])('finds those of %s (%s %s)', (_, zone, time, instants) => {
    expect(instantsOf(zone, local(time)).map(iso)).toEqual(instants);
  });

  it('contains every instant in the result for its own local time', () => {
    const zone = fc.constantFrom(
      'UTC',
      PARIS,
      NEW_YORK,
      LORD_HOWE,
      HAVANA,
      'Pacific/Apia',
      'Africa/Casablanca',
    );
    const time = fc.integer({ min: at('2010-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
    fc.assert(
      fc.property(zone, time, (name, instant) => {
        expect(instantsOf(name, instant + zoneOffset(name, instant))).toContain(instant);
      }),
    );
  });
});

describe('bucketStart', () => {
  it.each([
    ['a minute', PARIS, '2026-07-01T10:07:59.999Z', MINUTE, '2026-07-01T10:07:00Z'],
    ['an hour', PARIS, '2026-07-01T10:07:00Z', HOUR, '2026-07-01T10:00:00Z'],
    ['an hour off the full hour', 'Asia/Kathmandu', '2026-07-01T10:07:00Z', HOUR, '2026-07-01T09:15:00Z'],
    ['a boundary', PARIS, '2026-07-01T10:00:00Z', HOUR, '2026-07-01T10:00:00Z'],
    ['a day', PARIS, '2026-07-01T22:30:00Z', DAY, '2026-07-01T22:00:00Z'],
    ['the first of a repeated hour', PARIS, '2026-10-25T00:30:00Z', HOUR, '2026-10-25T00:00:00Z'],
    ['the second of a repeated hour', PARIS, '2026-10-25T01:30:00Z', HOUR, '2026-10-25T01:00:00Z'],
    ['the hour after a skipped one', NEW_YORK, '2026-03-08T07:10:00Z', HOUR, '2026-03-08T07:00:00Z'],
    ['a day of 23 hours', PARIS, '2026-03-29T12:00:00Z', DAY, '2026-03-28T23:00:00Z'],
    ['a day of 25 hours', NEW_YORK, '2026-11-01T12:00:00Z', DAY, '2026-11-01T04:00:00Z'],
    ['an hour of 90 minutes', LORD_HOWE, '2026-04-04T15:10:00Z', HOUR, '2026-04-04T14:00:00Z'],
    ['an hour of 30 minutes', LORD_HOWE, '2026-10-03T15:40:00Z', HOUR, '2026-10-03T15:30:00Z'],
    ['a day that begins with a skipped hour', HAVANA, '2026-03-08T12:00:00Z', DAY, '2026-03-08T05:00:00Z'],
    ['a day that begins with a repeated hour', HAVANA, '2026-11-01T12:00:00Z', DAY, '2026-11-01T04:00:00Z'],
  ])('finds that of %s (%s %s)', (_, zone, time, width, start) => {
    expect(iso(bucketStart(zone, at(time), width))).toBe(start);
  });

  it('is not after its instant, and is the start of its own bucket', () => {
    const zone = fc.constantFrom('UTC', PARIS, NEW_YORK, LORD_HOWE, HAVANA);
    const time = fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
    fc.assert(
      fc.property(zone, time, fc.constantFrom(MINUTE, HOUR, DAY), (name, instant, width) => {
        const start = bucketStart(name, instant, width);
        expect(start).toBeLessThanOrEqual(instant);
        expect(instant - start).toBeLessThan(width + HOUR);
        expect(bucketStart(name, start, width)).toBe(start);
      }),
    );
  });
});
