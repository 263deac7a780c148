// Tests the body of remote write requests with decoders that share no code with the encoder.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Series } from '../../src/remote-write/series.ts';
import { encodeWriteRequest, writeRequestBody } from '../../src/remote-write/write-request.ts';
import { decodeBody, decodeMessage, uncompress } from './decode.ts';

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });
const sample = fc.record({
  at: fc.maxSafeInteger(),
  // The library returns an absent field as 0, so it cannot tell 0 and -0 apart.
  value: fc.double({ noNaN: true }).map((value) => value + 0),
});
const series: fc.Arbitrary<Series> = fc.record({
  labels: fc
    .dictionary(text, text, { maxKeys: 6 })
    .map((labels) => Object.entries({ ...labels, __name__: 'x' }).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  samples: fc.array(sample, { maxLength: 20 }).map((samples) => samples.toSorted((a, b) => a.at - b.at)),
});

describe('the body of a request', () => {
  it('holds every label and sample, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(series, { maxLength: 8 }), (batch) => {
        expect(decodeBody(writeRequestBody(batch))).toEqual(batch);
      }),
    );
  });

  it('keeps values that only a double can hold', () => {
    const values = [Number.NaN, -0, Number.POSITIVE_INFINITY, 5e-324, 2 ** 53 + 2, 0.1];
    const samples = values.map((value, at) => ({ at, value }));
    const [decoded] = decodeBody(writeRequestBody([{ labels: [['__name__', 'x']], samples }]));
    expect(decoded?.samples.map(({ value }) => value)).toEqual(values);
  });

  it('is smaller than the message, also when the message has several blocks of 64 kB', () => {
    const batch = Array.from({ length: 2_000 }, (_, index) => ({
      labels: [
        ['__name__', 'proxywatch_history_traffic_bytes'],
        ['account', 'main'],
        ['proxy_user_id', `${index * 7919}`],
      ] as const,
      samples: [{ at: 1_700_000_000_000 + index, value: index * 1_000.5 }],
    }));
    const [message, body] = [encodeWriteRequest(batch), writeRequestBody(batch)];
    expect(message.length).toBeGreaterThan(2 * 65_536);
    expect(body.length).toBeLessThan(message.length / 2);
    expect(uncompress(body).equals(message)).toBe(true);
    expect(decodeMessage(message)).toEqual(batch);
  });

  it('survives bytes that no compression makes smaller', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 70_000, maxLength: 90_000 }), (value) => {
        const batch = [{ labels: [['__name__', value]] as const, samples: [] }];
        expect(decodeBody(writeRequestBody(batch))).toEqual(batch);
      }),
      { numRuns: 5 },
    );
  });

  it('sorts labels by name and samples by time, and leaves out empty labels', () => {
    const [decoded] = decodeBody(
      writeRequestBody([
        {
          labels: [
            ['zone', 'z'],
            ['region', ''],
            ['__name__', 'x'],
            ['Account', 'a'],
          ],
          samples: [
            { at: 3, value: 30 },
            { at: 1, value: 10 },
          ],
        },
      ]),
    );
    expect(decoded?.labels).toEqual([
      ['Account', 'a'],
      ['__name__', 'x'],
      ['zone', 'z'],
    ]);
    expect(decoded?.samples.map(({ at }) => at)).toEqual([1, 3]);
  });

  it.each([
    ['a repeated label', ['region', '__name__', 'region'], 'a series has the label region twice'],
    ['no name', ['region'], 'a series has no label __name__'],
  ])('is not made for a series with %s, which Prometheus would drop without an error', (_, names, error) => {
    const labels = names.map((name, index) => [name, `value ${index}`] as const);
    expect(() => writeRequestBody([{ labels, samples: [{ at: 1, value: 1 }] }])).toThrow(error);
  });
});
