// Tests remote write 2.0: the message, the answers that say how much was written, and receivers that do not take it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeRequest2Body } from '../../src/remote-write/write-request-2.ts';
import { decodeBody2 } from './decode.ts';
import { type Received, type Reply, samplesIn } from './recording-receiver.ts';
import { seriesOf, startSender } from './support.ts';

const written = (count: number): Reply => ({
  ...{ status: 204, headers: { 'x-prometheus-remote-write-samples-written': `${count}` } },
});

const isVersion2 = ({ headers }: Received): boolean =>
  headers['x-prometheus-remote-write-version'] === '2.0.0';

const OPTIONS = { protocol: '2.0' as const, helpOf: (name: string) => `Help of ${name}.` };

describe('a request in version 2.0', () => {
  it('has every series with its samples, type and description', () => {
    const label = fc.tuple(fc.stringMatching(/^[a-y]{1,4}$/), fc.string({ unit: 'grapheme', minLength: 1 }));
    const labels = fc.uniqueArray(label, { selector: ([name]) => name, maxLength: 5 });
    const sample = fc.record({
      at: fc.integer({ min: -10, max: 2 ** 45 }),
      value: fc.double({ noNaN: true }),
    });
    const samples = fc.uniqueArray(sample, { selector: ({ at }) => at, minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.record({ labels, samples }), { maxLength: 5 }), (all) => {
        const batch = all.map(({ labels: own, samples: ofSeries }, index) => ({
          labels: [...own, ['__name__', `x${index % 2}`] as const].toSorted(([a], [b]) => (a < b ? -1 : 1)),
          samples: ofSeries.toSorted((a, b) => a.at - b.at),
        }));
        const expected = batch.map((series, index) => ({
          ...series,
          type: 2,
          help: OPTIONS.helpOf(`x${index % 2}`),
        }));
        expect(decodeBody2(writeRequest2Body(batch, OPTIONS.helpOf))).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('has the headers of its version, and is accepted once', async () => {
    await using sender = await startSender(({ series }) => written(samplesIn(series).length), OPTIONS);
    const batch = [seriesOf('a', [1_000, 2_000]), seriesOf('b', [1_000])];
    expect(await sender.send(batch)).toMatchObject({ accepted: 3, refused: 0 });
    expect(sender.server.requests).toMatchObject([
      {
        headers: {
          'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
          'x-prometheus-remote-write-version': '2.0.0',
          'content-encoding': 'snappy',
        },
      },
    ]);
    expect(sender.server.stored).toEqual(samplesIn(batch));
  });

  it('of which less was written than was sent loses only what was not written', async () => {
    const isLost = (sample: string): boolean => sample.includes('"b"') && sample.endsWith('@2000');
    await using sender = await startSender(
      ({ series }) => written(samplesIn(series).filter((sample) => !isLost(sample)).length),
      OPTIONS,
    );
    const batch = [seriesOf('a', [1_000, 2_000]), seriesOf('b', [1_000, 2_000])];
    expect(await sender.send(batch)).toMatchObject({
      ...{ accepted: 3, refused: 1, reason: 'wrote only 0 of 1 samples' },
    });
  });
});

it('the login page of a gateway is no answer of a receiver, so the version stays', async () => {
  let left = 1;
  await using sender = await startSender(
    ({ series }) => (left-- > 0 ? { status: 200, text: '<html></html>' } : written(samplesIn(series).length)),
    OPTIONS,
  );
  expect(await sender.send([seriesOf('a', [1_000])])).toMatchObject({ accepted: 1, refused: 0 });
  expect(sender.server.requests.map(isVersion2)).toEqual([true, true]);
});

describe('a receiver that does not take version 2.0', () => {
  it.each<[string, Reply]>([
    ['answers 415', { status: 415 }],
    ['accepts what it does not read', { status: 204 }],
    ['accepts what it does not read, with a body', { status: 200, text: 'ok' }],
  ])('and %s gets everything in version 1.0, from the second request on', async (_, reply) => {
    await using sender = await startSender(
      (request) => (isVersion2(request) ? reply : { status: 204 }),
      OPTIONS,
    );
    for (const name of ['a', 'b'])
      expect(await sender.send([seriesOf(name, [1_000, 2_000])])).toMatchObject({ accepted: 2, refused: 0 });
    expect(sender.server.requests.map(isVersion2)).toEqual([true, false, false]);
    expect(sender.answers).toMatchObject([
      { kind: 'retry', isFallback: true, reason: `answered ${reply.status} to remote write 2.0` },
      ...[{ kind: 'accepted' }, { kind: 'accepted' }],
    ]);
  });
});
