// Tests samples that are too new for the clock of a receiver, with the answers of real receivers.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { Batch, Sample } from '../../src/remote-write/series.ts';
import { type Reply, type Responder, samplesIn } from './recording-receiver.ts';
import { NOW, seriesOf, startSender } from './support.ts';

/** The clock of the receiver. That of the sender is right. */
const CLOCK = Date.parse(NOW) - 3 * HOUR;
const date = new Date(CLOCK).toUTCString();
const AHEAD_MS = 10 * MINUTE;

const PROMETHEUS_3: Reply = {
  ...{ status: 400, headers: { date } },
  text: 'out of bounds: timestamp is too far in the future',
};
const REPLIES: readonly (readonly [string, Reply])[] = [
  ['Prometheus 3', PROMETHEUS_3],
  ['Prometheus 3 without a date', { ...PROMETHEUS_3, headers: {} }],
  [
    'Mimir',
    {
      ...{ status: 400, headers: { date } },
      text: 'received a sample whose timestamp is too far in the future (err-mimir-too-far-in-future)',
    },
  ],
  ['Thanos', { status: 409, headers: { date }, text: 'add 1 samples: out of bounds' }],
  ['a receiver that answers 500', { status: 500, headers: { date }, text: 'add 1 samples: out of bounds' }],
];

const isTooNew = ({ at }: Sample): boolean => at > CLOCK + AHEAD_MS;

const refusing =
  (reply: Reply, matches: (sample: Sample) => boolean): Responder =>
  ({ series }) =>
    series.some(({ samples }) => samples.some(matches)) ? reply : { status: 204 };

/** Hourly samples of 20 series up to these hours after the receiver's clock. */
const history = (hoursAhead: number): Batch =>
  Array.from({ length: 20 }, (_, index) =>
    seriesOf(
      `s${index}`,
      Array.from({ length: 168 + hoursAhead }, (__, hour) => CLOCK + (hour - 167) * HOUR),
    ),
  );

const matching = (batch: Batch, matches: (sample: Sample) => boolean): string[] =>
  samplesIn(batch.map(({ labels, samples }) => ({ labels, samples: samples.filter(matches) }))).toSorted();

describe('samples that are too new for the clock of the receiver', () => {
  it.each(REPLIES)('are neither accepted nor refused, and %s gets all others', async (_, reply) => {
    await using sender = await startSender(refusing(reply, isTooNew));
    const batch = history(3);
    const result = await sender.send(batch);
    expect(result).toMatchObject({ accepted: 20 * 168, refused: 0, reason: undefined });
    expect(sender.server.stored.toSorted()).toEqual(matching(batch, (sample) => !isTooNew(sample)));
    expect(samplesIn(result.early?.batch ?? []).toSorted()).toEqual(matching(batch, isTooNew));
    expect(result.early?.reason).toContain(`answered ${reply.status}: ${reply.text}`);
    expect(result.early?.behindMs).toBe(reply.headers?.date ? 3 * HOUR : undefined);
    expect(sender.waits).toEqual([]);
    expect(sender.server.requests.length).toBeLessThan(40);
  });

  it('show how far the clock is behind, whenever the delivery ends', async () => {
    await using sender = await startSender();
    let failures = 30;
    sender.server.respond = (request) => {
      const date = new Date(sender.clock.now() - 3 * HOUR).toUTCString();
      if (request.series.some(({ samples }) => samples.some(isTooNew)))
        return { ...PROMETHEUS_3, headers: { date } };
      failures -= 1;
      return { status: failures > 0 ? 503 : 204 };
    };
    const { early: kept } = await sender.send(history(3));
    expect(sender.clock.now() - Date.parse(NOW)).toBeGreaterThan(HOUR);
    // The time of an answer has no fractions of a second.
    expect(Math.round((kept?.behindMs ?? 0) / MINUTE)).toBe(180);
  });

  it('keep all samples if the clock of the receiver is years behind, after few requests', async () => {
    await using sender = await startSender(() => PROMETHEUS_3);
    const batch = history(3);
    const { accepted, refused, early } = await sender.send(batch);
    expect([accepted, refused, samplesIn(early?.batch ?? []).length]).toEqual([0, 0, 20 * 171]);
    expect(sender.server.requests.length).toBeLessThan(20);
  });

  it('are found beside samples that are too old, in any order', async () => {
    const HOURS = Array.from({ length: 12 }, (_, hour) => CLOCK + (hour - 8) * HOUR);
    await using sender = await startSender();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.subarray(HOURS, { minLength: 1 }), { minLength: 1, maxLength: 6 }),
        fc.nat({ max: 14 }),
        fc.constantFrom(...REPLIES.filter(([name]) => !name.includes('without a date'))),
        async (timesOfSeries, oldHours, [, tooNew]) => {
          const isTooOld = ({ at }: Sample): boolean => at < CLOCK + (oldHours - 12) * HOUR;
          const batch = timesOfSeries.map((times, index) => seriesOf(`s${index}`, times));
          sender.server.stored.length = 0;
          sender.server.respond = ({ series }) => {
            const first = series
              .flatMap(({ samples }) => samples)
              .find((sample) => isTooOld(sample) || isTooNew(sample));
            if (!first) return { status: 204 };
            return isTooOld(first) ? { status: 400, text: 'too old sample' } : tooNew;
          };
          const isTaken = (sample: Sample): boolean => !isTooOld(sample) && !isTooNew(sample);
          const { accepted, refused, early } = await sender.send(batch);
          expect(sender.server.stored.toSorted()).toEqual(matching(batch, isTaken));
          const kept = samplesIn(early?.batch ?? []);
          expect([accepted, accepted + refused + kept.length]).toEqual([
            matching(batch, isTaken).length,
            samplesIn(batch).length,
          ]);
          expect(kept.filter((sample) => !matching(batch, isTooNew).includes(sample))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
