// Tests the conversion of datetimes in UTC and over daylight saving, in both directions and by half an hour.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import {
  formatLocal,
  instantOf,
  parseLocal,
  resolveBucketStarts,
  windowsOf,
} from '../../src/provider/time.ts';

const PARIS = 'Europe/Paris';
const LORD_HOWE = 'Australia/Lord_Howe';
const utc = (text: string) => Date.parse(`${text}Z`);

/** In 2026 clocks go back in Paris on 25 October and in Lord Howe on 5 April; forward on 29 March and 4 October. */
const CHANGES = [
  { zone: PARIS, change: utc('2026-10-25T01:00'), repeatedMs: HOUR },
  { zone: PARIS, change: utc('2026-03-29T01:00'), repeatedMs: 0 },
  { zone: LORD_HOWE, change: utc('2026-04-04T15:00'), repeatedMs: HOUR / 2 },
  { zone: LORD_HOWE, change: utc('2026-10-03T15:30'), repeatedMs: 0 },
];

const every = (from: number, to: number, width: number) =>
  Array.from({ length: (to - from) / width }, (_, i) => from + i * width);

describe('parseLocal and formatLocal', () => {
  it.each([
    ['2026-03-01 12:34:56', utc('2026-03-01T12:34:56')],
    ['2026-03-01', utc('2026-03-01T00:00')],
    ['2024-02-29 00:00:00', utc('2024-02-29T00:00')],
    ['2026-02-29', undefined],
    ['9999-12-31 23:59:59', utc('9999-12-31T23:59:59')],
    ['2000-01-01', utc('2000-01-01T00:00')],
    ['1970-01-01 00:00:00', undefined],
    ['0001-01-01 00:00:00', undefined],
    ['0000-00-00', undefined],
    ['2026-03-01 24:00:00', undefined],
    ['2026-03-01 12:34', undefined],
    ['2026-13-01', undefined],
    ['', undefined],
  ])('reads %j', (text, expected) => {
    expect(parseLocal(text)).toBe(expected);
  });

  it('is the inverse of formatting, except in the skipped and the repeated hour', () => {
    const year = { min: utc('2026-01-01T00:00') / 1_000, max: utc('2027-01-01T00:00') / 1_000 };
    const zones = fc.constantFrom('UTC', PARIS, LORD_HOWE, 'America/Havana', 'Asia/Kathmandu');
    const property = fc.property(fc.integer(year), zones, (seconds, zone) => {
      const at = seconds * 1_000;
      const back = instantOf(parseLocal(formatLocal(at, zone)) ?? Number.NaN, zone);
      // The later of two instants with one local time is read as the earlier.
      if (back !== at) expect(formatLocal(back, zone)).toBe(formatLocal(at, zone));
      expect(back).toBeLessThanOrEqual(at);
    });
    fc.assert(property);
  });

  it('reads a time that daylight saving skips as the end of the gap', () => {
    expect(instantOf(utc('2026-03-29T02:00'), PARIS)).toBe(utc('2026-03-29T01:00'));
  });
});

describe('resolveBucketStarts', () => {
  it.each(CHANGES)(
    'finds every minute of the day around $change in $zone, either way round',
    ({ zone, change }) => {
      const range = { from: change - 12 * HOUR, to: change + 12 * HOUR, width: MINUTE };
      const starts = every(range.from, range.to, MINUTE);
      const labels = starts.map((at) => formatLocal(at, zone));
      expect(resolveBucketStarts(labels, zone, range)).toEqual(starts);
      expect(resolveBucketStarts(labels.toReversed(), zone, range)).toEqual(starts.toReversed());
    },
  );

  const october = { from: utc('2026-10-24T22:00'), to: utc('2026-10-25T23:00'), width: HOUR };

  it('distinguishes the two hours with the same local time', () => {
    const labels = ['01:00:00', '02:00:00', '02:00:00', '03:00:00'].map((time) => `2026-10-25 ${time}`);
    const expected = ['2026-10-24T23:00', '2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'];
    expect(resolveBucketStarts(labels, PARIS, october)).toEqual(expected.map(utc));
  });

  it.each([
    ['only one of the two was answered', ['01:00:00', '02:00:00', '03:00:00'], [1]],
    ['one came three times', ['01:00:00', '02:00:00', '02:00:00', '02:00:00', '03:00:00'], [1, 2, 3]],
    ['nothing else shows the order', ['02:00:00', '02:00:00'], [0, 1]],
    [
      'the other buckets are not in order',
      ['01:00:00', '04:00:00', '02:00:00', '02:00:00', '03:00:00'],
      [2, 3],
    ],
  ])('does not guess when %s', (_, times, undecided) => {
    const labels = times.map((time) => `2026-10-25 ${time}`);
    const starts = resolveBucketStarts(labels, PARIS, october);
    expect([...starts.keys()].filter((i) => starts[i] === null)).toEqual(undecided);
  });

  describe('in an answer of the night when clocks go back', () => {
    const night = { from: utc('2026-10-24T23:00'), to: utc('2026-10-25T02:00'), width: MINUTE };
    /** By when the provider publishes minutes, from which on it leaves them out or lists them as zeros. */
    const publications = {
      'on time': (now: number) => now,
      late: (now: number) => now - 3 * MINUTE,
      'with the future': () => night.to,
    };

    it.each(Object.entries(publications))(
      'knows every minute at any time, published %s',
      (_, publishedBy) => {
        for (let now = night.from + 5 * MINUTE; now <= night.to + 5 * MINUTE; now += 97_000) {
          const end = Math.min(night.to, Math.ceil(publishedBy(now) / MINUTE) * MINUTE);
          const starts = every(night.from, end, MINUTE);
          const labels = starts.map((at) => formatLocal(at, PARIS));
          const range = { ...night, answeredAt: now };
          expect(resolveBucketStarts(labels, PARIS, range)).toEqual(starts);
          expect(resolveBucketStarts(labels.toReversed(), PARIS, range)).toEqual(starts.toReversed());
        }
      },
    );

    it('guesses nothing that traffic in only some minutes leaves open', () => {
      const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 179 }), { minLength: 1, maxLength: 12 });
      const property = fc.property(minutes, fc.integer({ min: 0, max: 200 }), (chosen, elapsed) => {
        const now = night.from + elapsed * MINUTE;
        const starts = chosen
          .map((minute) => night.from + minute * MINUTE)
          .filter((at) => at <= now)
          .sort((a, b) => a - b);
        const labels = starts.map((at) => formatLocal(at, PARIS));
        const found = resolveBucketStarts(labels, PARIS, { ...night, answeredAt: now });
        for (const [i, at] of found.entries()) expect([starts[i], null]).toContain(at);
        const isDecided = now < utc('2026-10-25T00:58');
        if (isDecided) expect(found).toEqual(starts);
      });
      fc.assert(property, { numRuns: 300 });
    });
  });

  it('needs no order if the range holds only one of the two', () => {
    const range = { ...october, from: utc('2026-10-25T01:00') };
    expect(resolveBucketStarts(['2026-10-25 02:00:00'], PARIS, range)).toEqual([utc('2026-10-25T01:00')]);
  });

  it('leaves out times that are malformed, off a boundary, outside the range or in the gap', () => {
    const range = { from: utc('2026-03-29T00:00'), to: utc('2026-03-29T06:00'), width: HOUR };
    const labels = [
      'soon',
      '2026-03-29 04:30:00',
      '2026-03-29 08:00:00',
      '2026-03-29 00:00:00',
      '2026-03-29 02:00:00',
    ];
    expect(resolveBucketStarts(labels, PARIS, range)).toEqual(labels.map(() => null));
  });

  it('keeps days whole, also if midnight is skipped or comes twice', () => {
    // Cairo skips the midnight of 24 April 2026. Havana repeats that of 1 November 2026.
    const width = DAY;
    const april = { from: utc('2026-04-22T00:00'), to: utc('2026-04-27T00:00'), width };
    const cairo = resolveBucketStarts(['2026-04-23', '2026-04-24', '2026-04-25'], 'Africa/Cairo', april);
    expect(cairo).toEqual(['2026-04-22T22:00', '2026-04-23T22:00', '2026-04-24T21:00'].map(utc));
    const november = { from: utc('2026-10-31T00:00'), to: utc('2026-11-05T00:00'), width };
    const havana = resolveBucketStarts(['2026-11-01', '2026-11-02'], 'America/Havana', november);
    expect(havana).toEqual(['2026-11-01T04:00', '2026-11-02T05:00'].map(utc));
  });

  it('finds the hour that begins in a gap of half an hour', () => {
    const range = { from: utc('2026-10-03T12:00'), to: utc('2026-10-03T18:00'), width: HOUR };
    const labels = ['2026-10-04 01:00:00', '2026-10-04 02:00:00', '2026-10-04 03:00:00'];
    const expected = ['2026-10-03T14:30', '2026-10-03T15:30', '2026-10-03T16:00'];
    expect(resolveBucketStarts(labels, LORD_HOWE, range)).toEqual(expected.map(utc));
  });
});

describe('windowsOf', () => {
  it('splits on bucket boundaries, outwards', () => {
    const options = { zone: 'UTC', bucketMs: HOUR, spanMs: 24 * HOUR };
    expect(windowsOf(utc('2026-03-01T10:30'), utc('2026-03-03T09:30'), options)).toEqual([
      { from: utc('2026-03-01T10:00'), to: utc('2026-03-02T10:00') },
      { from: utc('2026-03-02T10:00'), to: utc('2026-03-03T10:00') },
    ]);
    expect(windowsOf(utc('2026-03-01T10:00'), utc('2026-03-01T10:00'), options)).toEqual([]);
  });

  it('never splits at a local time that comes twice', () => {
    const now = utc('2026-10-25T00:30');
    const options = { zone: PARIS, bucketMs: MINUTE, spanMs: 24 * HOUR };
    expect(windowsOf(now - MINUTE, now, options)).toEqual([
      { from: utc('2026-10-24T23:59'), to: utc('2026-10-25T02:00') },
    ]);
  });

  it('covers the range without gap or overlap, with unambiguous boundaries', () => {
    const changes = fc.constantFrom(...CHANGES);
    const offsets = fc.integer({ min: -3 * DAY, max: 3 * DAY });
    const widths = fc.constantFrom(MINUTE, HOUR, DAY);
    const spans = fc.constantFrom(HOUR, 5 * HOUR, 24 * HOUR, 2 * DAY);
    const property = fc.property(
      changes,
      offsets,
      offsets,
      widths,
      spans,
      (place, a, b, bucketMs, spanMs) => {
        const { zone, change, repeatedMs } = place;
        const [from, to] = [change + Math.min(a, b), change + Math.max(a, b)];
        const windows = windowsOf(from, to, { zone, bucketMs, spanMs });
        for (const [i, window] of windows.entries()) {
          expect(window.to).toBeGreaterThan(window.from);
          expect(window.from).toBe(windows[i - 1]?.to ?? window.from);
          // A window of one bucket may hold two, or the repeated hours, because no boundary lies between them.
          expect(window.to - window.from).toBeLessThanOrEqual(
            Math.max(spanMs, 2 * bucketMs + 3 * repeatedMs),
          );
          for (const at of [window.from, window.to]) {
            const local = parseLocal(formatLocal(at, zone)) ?? Number.NaN;
            expect(local % bucketMs).toBe(0);
            expect(at < change - repeatedMs || at >= change + repeatedMs).toBe(true);
          }
        }
        if (from === to) return;
        expect(windows[0]?.from).toBeLessThanOrEqual(from);
        expect(windows.at(-1)?.to).toBeGreaterThanOrEqual(to);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
