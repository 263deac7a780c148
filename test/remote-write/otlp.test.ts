// Tests OTLP: the message, the answers that say how much was not taken, and the waits that they ask for.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { otlpRequestBody } from '../../src/remote-write/otlp.ts';
import type { Batch } from '../../src/remote-write/series.ts';
import { decodeOtlpRequest, type OtlpMetric, partialSuccess, status } from './decode-otlp.ts';
import { type Received, type Reply, samplesIn } from './recording-receiver.ts';
import { NOW, seriesOf, startSender } from './support.ts';

const helpOf = (name: string): string => `Help of ${name}.`;
const OPTIONS = { protocol: 'otlp' as const, helpOf };

const MESSAGE = { 'content-type': 'application/x-protobuf' };
const rejecting = (rejected: number, message: string): Reply => ({
  ...{ status: 200, headers: MESSAGE, text: partialSuccess(rejected, message) },
});

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
const attributes = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), text, { maxKeys: 5 });
const sample = fc.record({ at: fc.integer({ min: 1, max: 2 ** 43 }), value: fc.double() });
const samples = fc.uniqueArray(sample, { selector: ({ at }) => at, minLength: 1, maxLength: 20 });
const series = fc.record({ name: fc.constantFrom('x_bytes', 'y_total', 'z'), attributes, samples });

describe('a request', () => {
  it('has every series as points of the gauge of its name, without anything that changes names or labels', () => {
    fc.assert(
      fc.property(fc.array(series, { maxLength: 8 }), (all) => {
        const batch: Batch = all.map((each) => ({
          labels: Object.entries({ ...each.attributes, __name__: each.name }),
          samples: each.samples,
        }));
        const metrics = [...Map.groupBy(all, ({ name }) => name)].map(([name, same]): OtlpMetric => {
          const points = same.flatMap((each) =>
            each.samples
              .toSorted((a, b) => a.at - b.at)
              .map(({ at, value }) => ({
                time_unix_nano: `${BigInt(at) * 1_000_000n}`,
                as_double: value,
                ...attributesOf(each.attributes),
              })),
          );
          return { name, description: helpOf(name), gauge: { data_points: points } };
        });
        const expected = metrics.length > 0 ? { resource_metrics: [{ scope_metrics: [{ metrics }] }] } : {};
        expect(decodeOtlpRequest(otlpRequestBody(batch, helpOf))).toEqual(expected);
      }),
    );
  });

  it('is not made for a series with a repeated label', () => {
    const labels = ['region', '__name__', 'region'].map((name) => [name, 'x'] as const);
    expect(() => otlpRequestBody([{ labels, samples: [] }], helpOf)).toThrow('has the label region twice');
  });

  it('has the headers of OTLP, and is accepted once', async () => {
    await using sender = await startSender(() => ({ status: 200, headers: MESSAGE }), OPTIONS);
    const batch = [seriesOf('a', [1_000, 2_000]), seriesOf('b', [1_000])];
    expect(await sender.send(batch)).toEqual({ accepted: 3, refused: 0 });
    expect(sender.server.requests).toMatchObject([
      { method: 'POST', headers: { ...MESSAGE, 'content-encoding': 'gzip' } },
    ]);
    expect(sender.server.requests[0]?.headers).not.toHaveProperty('x-prometheus-remote-write-version');
    expect(sender.server.stored).toEqual(samplesIn(batch));
  });
});

const attributesOf = (pairs: Readonly<Record<string, string>>) => {
  const sorted = Object.entries(pairs).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (sorted.length === 0) return {};
  return { attributes: sorted.map(([key, value]) => ({ key, value: { string_value: value } })) };
};

describe('an answer that not all samples were taken', () => {
  const batch = [seriesOf('a', [1_000, 2_000]), seriesOf('b', [1_000, 2_000])];

  it.each([1, 3, 4])('counts %i of 4 as refused, and is not asked again', async (rejected) => {
    await using sender = await startSender(() => rejecting(rejected, 'label value too long'), OPTIONS);
    expect(await sender.send(batch)).toEqual({
      ...{ accepted: 4 - rejected, refused: rejected, reason: 'answered 200: label value too long' },
    });
    expect(sender.server.requests).toHaveLength(1);
  });

  it('never counts more than was sent', async () => {
    await using sender = await startSender(() => rejecting(300, ''), OPTIONS);
    expect(await sender.send(batch)).toEqual({ accepted: 0, refused: 4, reason: 'answered 200' });
  });

  it.each([
    ['with a message alone, which is a warning', rejecting(0, 'soon deprecated')],
    ['with a negative number', rejecting(-1, '')],
    ['that is cut off', { ...rejecting(0, ''), text: Buffer.from([0x0a, 0x80]) }],
    ['that is no message', { ...rejecting(0, ''), text: Buffer.from([0x0b, 0x08, 0x01]) }],
    ['that is not of OTLP', { status: 200, text: partialSuccess(2, '') }],
  ])('takes all samples %s', async (_, reply) => {
    await using sender = await startSender(() => reply, OPTIONS);
    expect(await sender.send(batch)).toEqual({ accepted: 4, refused: 0 });
  });

  it('keeps the samples that are too new', async () => {
    const now = Date.parse(NOW);
    const isEarly = (at: number): boolean => at > now;
    const respond = ({ series: sent }: Received): Reply => {
      const early = sent.filter(({ samples: [first] }) => isEarly(first?.at ?? 0));
      return rejecting(early.length, early.length > 0 ? 'timestamp too far in the future' : '');
    };
    await using sender = await startSender(respond, OPTIONS);
    const times = Array.from({ length: 20 }, (_, hour) => now + (hour - 16) * 3_600_000);
    const result = await sender.send([seriesOf('a', times), seriesOf('b', times)]);
    expect(result).toMatchObject({ accepted: 2 * 17, refused: 0 });
    expect(samplesIn(result.early?.batch ?? [])).toHaveLength(2 * 3);
  });
});

describe('an answer that a request was not taken', () => {
  it('is read as a message', async () => {
    await using sender = await startSender(
      () => ({ status: 400, headers: MESSAGE, text: status('too old sample') }),
      OPTIONS,
    );
    expect(await sender.send([seriesOf('a', [1_000, 2_000])])).toMatchObject({
      ...{ accepted: 0, refused: 2, reason: 'answered 400: too old sample' },
    });
    expect(sender.answers.at(-1)).toMatchObject({ limit: 'too old' });
  });

  it.each([429, 502, 503, 504])('with %i is asked again after the time that it names', async (code) => {
    let left = 1;
    await using sender = await startSender(
      () => (left-- > 0 ? { status: code, headers: { ...MESSAGE, 'retry-after': '7' } } : { status: 200 }),
      OPTIONS,
    );
    expect(await sender.send([seriesOf('a', [1_000])])).toEqual({ accepted: 1, refused: 0 });
    expect(sender.waits).toEqual([7_000]);
    expect(sender.server.requests[1]?.body).toEqual(sender.server.requests[0]?.body);
  });

  it.each([
    [400, 'unsupported compression: snappy. Only "gzip" or no compression supported'],
    [400, 'unsupported content type: text/plain'],
    [400, 'snappy: corrupt input'],
    [400, 'cannot decode OpenTelemetry protocol data: unknown wireType=7'],
    [415, 'gzip encoding (compression) is not accepted by this server'],
    [404, 'otlp write receiver needs to be enabled with --web.enable-otlp-receiver'],
  ])('with %i "%s" is about the address, so nothing is dropped', async (code, answer) => {
    let left = 1;
    await using sender = await startSender(
      () => (left-- > 0 ? { status: code, text: answer } : { status: 200 }),
      OPTIONS,
    );
    expect(await sender.send([seriesOf('a', [1_000, 2_000])])).toEqual({ accepted: 2, refused: 0 });
    expect(sender.answers).toMatchObject([
      { kind: 'misconfigured', reason: `answered ${code}: ${answer}` },
      { kind: 'accepted' },
    ]);
  });
});
