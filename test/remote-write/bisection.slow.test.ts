// Tests how many requests find the refused samples of a large batch, and that no other sample is lost.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sample } from '../../src/remote-write/series.ts';
import { type Received, type Reply, samplesIn } from './recording-receiver.ts';
import { seriesOf, startSender } from './support.ts';

const TOO_OLD: Reply = { status: 500, text: 'too old sample' };
const INVALID: Reply = { status: 400, text: 'invalid sample' };
const SERIES = Array.from({ length: 500 }, (_, index) => `s${index}`);
const HOURS = Array.from({ length: 10 }, (_, index) => index);
/** 5,000 samples, which is the largest batch. */
const BATCH = SERIES.map((name) => seriesOf(name, HOURS));

type RuleOf = (name: string, sample: Sample) => Reply | undefined;

/** Answers as Prometheus does: with the first error, which refuses the whole request. */
const answering =
  (ruleOf: RuleOf) =>
  ({ series }: Received): Reply => {
    for (const { labels, samples } of series)
      for (const sample of samples) {
        const reply = ruleOf(new Map(labels).get('__name__') ?? '', sample);
        if (reply) return reply;
      }
    return { status: 204 };
  };

describe('a batch of 5,000 samples of 500 series', () => {
  it.each<[string, number, number, RuleOf]>([
    ['that is too old as a whole', 5_000, 20, () => TOO_OLD],
    ['of which the older half is too old', 2_500, 20, (_, { at }) => (at < 5 ? TOO_OLD : undefined)],
    ['with a refused series', 10, 25, (name) => (name === 's123' ? INVALID : undefined)],
    ['with a series that is too old', 10, 70, (name) => (name === 's123' ? TOO_OLD : undefined)],
    [
      'with three series that are too old',
      30,
      200,
      (name) => (/^s[124]23$/.test(name) ? TOO_OLD : undefined),
    ],
    ['with a refused sample', 1, 30, (name, { at }) => (name === 's123' && at === 7 ? INVALID : undefined)],
  ])('%s loses %i samples after at most %i requests', async (_, refused, most, ruleOf) => {
    await using sender = await startSender(answering(ruleOf));
    const result = await sender.send(BATCH);
    expect(result).toMatchObject({ accepted: 5_000 - refused, refused });
    expect(sender.server.stored).toHaveLength(5_000 - refused);
    expect(sender.server.requests.length).toBeLessThanOrEqual(most);
  });
});

describe('for any time before which a receiver refuses all samples', () => {
  const times = fc.uniqueArray(fc.nat({ max: 30 }), { minLength: 1, maxLength: 10 });
  const cases = fc.record({
    series: fc.array(times, { minLength: 1, maxLength: 12 }),
    cutoff: fc.nat({ max: 31 }),
    /** Series that are refused for another reason, also where their samples are not too old. */
    invalid: fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 4 }),
    /** Series with their own time, as without a window for samples out of order. Fewer than three. */
    older: fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 2 }),
  });

  it('the receiver has exactly the others, and the counts add up', async () => {
    await using sender = await startSender();
    await fc.assert(
      fc.asyncProperty(cases, async ({ series, cutoff, invalid, older }) => {
        const batch = series.map((at, index) => seriesOf(`s${index}`, at));
        const ruleOf: RuleOf = (name, { at }) => {
          const index = Number(name.slice(1));
          if (invalid.includes(index)) return INVALID;
          return at < cutoff || older.includes(index) ? TOO_OLD : undefined;
        };
        const taken = batch.map((one) => ({
          ...one,
          samples: one.samples.filter((sample) => !ruleOf(one.labels[0]?.[1] ?? '', sample)),
        }));
        sender.server.stored.length = 0;
        sender.server.respond = answering(ruleOf);
        const { accepted, refused } = await sender.send(batch);
        expect(sender.server.stored.toSorted()).toEqual(samplesIn(taken).toSorted());
        expect([accepted, refused]).toEqual([
          samplesIn(taken).length,
          samplesIn(batch).length - samplesIn(taken).length,
        ]);
      }),
      { numRuns: 200 },
    );
  });
});
