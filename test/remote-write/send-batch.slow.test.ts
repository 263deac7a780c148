// Tests that every sample of a batch ends as accepted or refused, exactly once, whatever the receiver answers.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../src/remote-write/send-batch.ts';
import type { Batch } from '../../src/remote-write/series.ts';
import { type Received, type Reply, samplesIn } from './recording-receiver.ts';
import { oneSample, seriesOf, startSender } from './support.ts';

const OK: Reply = { status: 204 };
const TIMES = [1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000];

/** Answers as Prometheus does: one bad sample refuses the whole request. */
const refusing =
  (bad: ReadonlySet<string>, reply: Reply = { status: 400, text: 'out of order sample' }) =>
  ({ series }: Received): Reply =>
    samplesIn(series).some((sample) => bad.has(sample)) ? reply : OK;

const without = (batch: Batch, bad: ReadonlySet<string>): string[] =>
  samplesIn(batch)
    .filter((sample) => !bad.has(sample))
    .toSorted();

describe('a batch', () => {
  it('is one request if the receiver accepts it', async () => {
    await using sender = await startSender();
    const batch = [seriesOf('a', TIMES), seriesOf('b', TIMES)];
    expect(await sender.send(batch)).toEqual({ accepted: 16, refused: 0, reason: undefined });
    expect(sender.server.requests).toHaveLength(1);
    expect(sender.server.stored).toEqual(samplesIn(batch));
  });

  it('without samples is no request', async () => {
    await using sender = await startSender();
    expect(await sender.send([seriesOf('a', [])])).toMatchObject({ accepted: 0, refused: 0 });
    expect(sender.server.requests).toEqual([]);
  });

  it.each([
    [400, 'out of bounds'],
    [409, 'conflict'],
    [422, 'invalid'],
    [500, 'too old sample'],
  ])('loses only the refused sample after a %i', async (status, text) => {
    const batch = [seriesOf('a', TIMES), seriesOf('b', TIMES), seriesOf('c', TIMES)];
    const bad = new Set(samplesIn([seriesOf('b', [5_000])]));
    await using sender = await startSender(refusing(bad, { status, text }));
    const result = await sender.send(batch);
    expect(result).toEqual({ accepted: 23, refused: 1, reason: `answered ${status}: ${text}` });
    expect(sender.server.stored.toSorted()).toEqual(without(batch, bad));
    expect(sender.waits).toEqual([]);
  });

  it('is split until its parts are small enough, and loses nothing', async () => {
    const isLarge = ({ series }: Received) => samplesIn(series).length > 3;
    await using sender = await startSender((request) => (isLarge(request) ? { status: 413 } : OK));
    const batch = [seriesOf('a', TIMES), seriesOf('b', TIMES)];
    expect(await sender.send(batch)).toMatchObject({ accepted: 16, refused: 0 });
    expect(sender.server.stored.toSorted()).toEqual(samplesIn(batch).toSorted());
  });

  it('keeps a single sample that is too large, because then no request is small enough', async () => {
    let left = 3;
    await using sender = await startSender(() => (left-- > 0 ? { status: 413 } : OK));
    expect(await sender.send(oneSample)).toMatchObject({ accepted: 1, refused: 0 });
    expect(sender.waits).toEqual([30_000, 60_000, 120_000]);
    // Only a receiver that is misconfigured is logged and counted as failing.
    expect(sender.answers.map(({ kind }) => kind)).toEqual([...Array(3).fill('misconfigured'), 'accepted']);
  });

  it('needs few requests for a series that is too old as a whole', async () => {
    await using sender = await startSender(() => ({ status: 400, text: 'too old sample' }));
    const times = Array.from({ length: 1_000 }, (_, index) => index * 1_000);
    expect(await sender.send([seriesOf('a', times)])).toMatchObject({ accepted: 0, refused: 1_000 });
    // Ten halves down to a single sample, and the refusals that follow it.
    expect(sender.server.requests.length).toBeLessThanOrEqual(2 * 10 + 3);
  });

  it('needs few requests to find the time before which a series is too old', async () => {
    const times = Array.from({ length: 1_000 }, (_, index) => index * 1_000);
    const isOld = ({ series }: Received) =>
      series.some(({ samples }) => samples.some(({ at }) => at < 617_000));
    await using sender = await startSender((request) =>
      isOld(request) ? { status: 500, text: 'too old sample' } : OK,
    );
    expect(await sender.send([seriesOf('a', times)])).toMatchObject({ accepted: 383, refused: 617 });
    expect(sender.server.requests.length).toBeLessThanOrEqual(3 * 10 + 3);
  });
});

describe('for any refused samples', () => {
  /** Per series: the samples before a time, single samples that are not three in a row, or all. */
  const badTimes = fc.oneof(
    fc.nat({ max: TIMES.length }).map((count) => TIMES.slice(0, count)),
    fc.subarray(TIMES.filter((_, index) => index % 2 === 0)),
    fc.constant(TIMES),
  );

  it('the receiver has exactly the others, and the counts add up', async () => {
    await using sender = await startSender();
    await fc.assert(
      fc.asyncProperty(fc.array(badTimes, { minLength: 1, maxLength: 6 }), async (badOfSeries) => {
        const batch = badOfSeries.map((_, index) => seriesOf(`s${index}`, TIMES));
        const bad = new Set(badOfSeries.flatMap((times, index) => samplesIn([seriesOf(`s${index}`, times)])));
        sender.server.stored.length = 0;
        sender.server.respond = refusing(bad);
        const { accepted, refused } = await sender.send(batch);
        expect(sender.server.stored.toSorted()).toEqual(without(batch, bad));
        expect([accepted, refused]).toEqual([batch.length * TIMES.length - bad.size, bad.size]);
      }),
      { numRuns: 60 },
    );
    expect(sender.server.mostAtATime).toBe(1);
  });

  it('the counts add up to the truth even if the refused samples have no pattern', async () => {
    await using sender = await startSender();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.subarray(TIMES), { minLength: 1, maxLength: 4 }), async (badOfSeries) => {
        const batch = badOfSeries.map((_, index) => seriesOf(`s${index}`, TIMES));
        const bad = new Set(badOfSeries.flatMap((times, index) => samplesIn([seriesOf(`s${index}`, times)])));
        sender.server.stored.length = 0;
        sender.server.respond = refusing(bad);
        const { accepted, refused } = await sender.send(batch);
        expect(sender.server.stored).toHaveLength(accepted);
        expect(new Set(sender.server.stored).size).toBe(accepted);
        expect(accepted + refused).toBe(batch.length * TIMES.length);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a receiver in trouble', () => {
  it('gets the same request again after a storm of 500, at growing intervals', async () => {
    let left = 20;
    await using sender = await startSender(() => (left-- > 0 ? { status: 500, text: 'no leader' } : OK));
    expect(await sender.send(oneSample)).toMatchObject({ accepted: 1, refused: 0 });
    expect(new Set(sender.server.requests.map(({ body }) => body.toString('hex'))).size).toBe(1);
    expect(sender.waits.slice(0, 4)).toEqual([30, 60, 120, 240]);
    expect(sender.waits.slice(-3)).toEqual([300_000, 300_000, 300_000]);
    expect(sender.server.stored).toHaveLength(1);
  });

  it('gets a part of a batch again without the other parts', async () => {
    const batch = [seriesOf('a', [1_000]), seriesOf('b', [1_000])];
    const isSingle = ({ series }: Received) => series.length === 1;
    let left = 3;
    await using sender = await startSender((request) =>
      !isSingle(request) ? { status: 400 } : left-- > 0 ? { status: 503 } : OK,
    );
    expect(await sender.send(batch)).toMatchObject({ accepted: 2, refused: 0 });
    expect(sender.server.stored.toSorted()).toEqual(samplesIn(batch).toSorted());
  });

  it.each([
    ['2', 2_000],
    ['Sun, 01 Mar 2026 12:01:30 GMT', 90_000],
    ['999999', 3_600_000],
    ['0', 30],
    ['soon', 30],
  ])('is asked again after Retry-After: %s', async (retryAfter, expected) => {
    for (const status of [429, 503]) {
      const headers = { 'retry-after': retryAfter, date: 'Sun, 01 Mar 2026 12:00:00 GMT' };
      let left = 1;
      await using sender = await startSender(() => (left-- > 0 ? { status, headers } : OK));
      await sender.send(oneSample);
      expect([status, sender.waits]).toEqual([status, [expected]]);
    }
  });

  it.each([301, 401, 403, 404, 405, 415])(
    'that answers %i loses nothing and is asked slowly',
    async (status) => {
      let left = 5;
      await using sender = await startSender(() =>
        left-- > 0 ? { status, headers: { location: '/elsewhere' } } : OK,
      );
      expect(await sender.send(oneSample)).toMatchObject({ accepted: 1, refused: 0 });
      expect(sender.answers[0]).toEqual({ kind: 'misconfigured', reason: `answered ${status}` });
      expect(sender.waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000]);
      expect(new Set(sender.server.requests.map(({ path }) => path))).toEqual(new Set(['/api/v1/write']));
    },
  );

  it('waits up to a half less by chance, but never less than it was asked for', () => {
    const failed = { kind: 'retry', reason: 'answered 500' } as const;
    expect([0, 0.5, 1].map((random) => backoffMs(failed, 1, random))).toEqual([30, 22.5, 15]);
    expect(backoffMs({ ...failed, retryAfterMs: 2_000 }, 1, 1)).toBe(2_000);
  });
});

describe('an abort', () => {
  it('ends a request without an answer', async () => {
    const abort = new AbortController();
    await using sender = await startSender(() => {
      abort.abort(new Error('the daemon stops'));
      return undefined;
    });
    await expect(sender.send(oneSample, abort.signal)).rejects.toThrow('the daemon stops');
    expect(sender.server.requests).toHaveLength(1);
  });

  it('in the middle of the bisection sends nothing more, and the whole batch can be sent again', async () => {
    const abort = new AbortController();
    const batch = [seriesOf('a', TIMES), seriesOf('b', TIMES)];
    const bad = new Set(samplesIn([seriesOf('b', [5_000])]));
    await using sender = await startSender();
    sender.server.respond = (request) => {
      if (sender.server.requests.length === 3) abort.abort(new Error('the daemon stops'));
      return refusing(bad)(request);
    };
    await expect(sender.send(batch, abort.signal)).rejects.toThrow('the daemon stops');
    expect(sender.server.requests).toHaveLength(3);
    sender.server.respond = refusing(bad);
    expect(await sender.send(batch)).toMatchObject({ accepted: 15, refused: 1 });
    // The receiver takes a sample that it has for the same sample.
    expect([...new Set(sender.server.stored)].toSorted()).toEqual(without(batch, bad));
  });

  it('ends a wait', async () => {
    const abort = new AbortController();
    await using sender = await startSender(() => ({ status: 500 }));
    const sending = sender.send(oneSample, abort.signal);
    const waiting = expect(sending).rejects.toThrow('the daemon stops');
    sender.server.respond = () => {
      abort.abort(new Error('the daemon stops'));
      return { status: 500 };
    };
    await waiting;
  });
});
