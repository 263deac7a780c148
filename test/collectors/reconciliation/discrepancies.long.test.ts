// Tests that each kind of discrepancy between the provider's answers is found, with the right pair and to the byte.

import { describe, expect, test } from 'vitest';
import { differs } from '../../../src/collectors/reconciliation/explain.ts';
import type { ScenarioInput } from '../../../src/simulator/scenario.ts';
import type { Harness } from '../../support/harness.ts';
import { advanceHours, buildReconciliation, comparisonsOn } from './support.ts';

const DAY = '2026-07-07';
const [FROM, UNTIL] = ['2026-07-07T00:00:00Z', '2026-07-08T00:00:00Z'];
/** The hours from 12:01 of the day before to the comparison of the day. */
const HOURS = 42;
const STEADY: ScenarioInput['traffic'] = { late: { ratio: 0 }, revised: { ratio: 0 } };

const harnessWith = async (discrepancies: ScenarioInput['discrepancies']): Promise<Harness> => {
  const harness = await buildReconciliation({ scenario: { traffic: STEADY, discrepancies } });
  await advanceHours(harness, HOURS);
  return harness;
};

const bytesOf = (harness: Harness, network: string | undefined, from: string, until: string): number =>
  harness.simulator.truth.traffic({ network }, Date.parse(from), Date.parse(until)).bytes;

const differingPairs = (comparisons: Awaited<ReturnType<typeof comparisonsOn>>): string[] =>
  Object.values(comparisons)
    .filter(differs)
    .map(({ pair }) => pair);

describe('answers that do not agree', { timeout: 60_000 }, () => {
  test('an hour that is missing from the minutes differs from the sums of the day, and is named', async () => {
    const [from, until] = ['2026-07-07T09:00:00Z', '2026-07-07T10:00:00Z'];
    await using harness = await harnessWith([{ kind: 'lost_minutes', from, until }]);
    const comparisons = await comparisonsOn(harness, DAY);
    expect(differingPairs(comparisons)).toEqual(['buckets_coarse', 'residential_buckets_coarse']);
    const lost = bytesOf(harness, undefined, from, until);
    expect(comparisons.buckets_coarse).toMatchObject({ unexplainedBytes: -lost, explained: [] });
    expect(comparisons.buckets_coarse?.hours).toEqual([
      { at: Date.parse(from), firstBytes: 0, secondBytes: lost },
    ]);
    const samples = await harness.samples();
    const shown = { pair: 'buckets_coarse' };
    expect(samples.value('proxywatch_reconcile_unexplained_bytes', shown)).toBe(-lost);
    expect(samples.value('proxywatch_reconcile_difference_bytes', shown)).toBe(-lost);
    expect(samples.value('proxywatch_reconcile_compared_bytes', shown)).toBe(
      bytesOf(harness, undefined, FROM, UNTIL),
    );
    expect(samples.value('proxywatch_reconcile_last_timestamp_seconds', shown)).toBe(
      Date.parse(FROM) / 1_000,
    );
  });

  test('minutes that are counted twice differ from the sums of the day', async () => {
    const [from, until] = ['2026-07-07T09:30:00Z', '2026-07-07T11:30:00Z'];
    await using harness = await harnessWith([{ kind: 'doubled_minutes', from, until }]);
    const comparisons = await comparisonsOn(harness, DAY);
    expect(comparisons.buckets_coarse?.unexplainedBytes).toBe(bytesOf(harness, undefined, from, until));
    expect(comparisons.buckets_coarse?.hours.map(({ at }) => new Date(at).getUTCHours())).toEqual([
      9, 10, 11,
    ]);
    expect(differingPairs(comparisons)).toContain('residential_buckets_ledger');
  });

  test('bytes that are not charged, beyond those that smartpath routed, differ from the ledger', async () => {
    await using harness = await harnessWith([{ kind: 'uncharged', from: FROM, until: UNTIL, ratio: 0.2 }]);
    const comparisons = await comparisonsOn(harness, DAY);
    expect(differingPairs(comparisons)).toEqual(['residential_buckets_ledger', 'users_ledger']);
    const { smartpathBytes, bytes } = harness.simulator.truth.traffic(
      { network: 'residential' },
      Date.parse(FROM),
      Date.parse(UNTIL),
    );
    expect(comparisons.residential_buckets_ledger).toMatchObject({
      explained: [{ cause: 'smartpath', bytes: smartpathBytes }],
      unexplainedBytes: Math.ceil((bytes - smartpathBytes) * 0.2),
    });
  });

  test('a row of the ledger that was corrected differs from traffic and from users', async () => {
    const bytes = 5_000_000_000;
    await using harness = await harnessWith([{ kind: 'ledger_correction', from: FROM, until: UNTIL, bytes }]);
    const comparisons = await comparisonsOn(harness, DAY);
    expect(differingPairs(comparisons)).toEqual(['residential_buckets_ledger', 'users_ledger']);
    const { smartpathBytes } = harness.simulator.truth.traffic(
      { network: 'residential' },
      Date.parse(FROM),
      Date.parse(UNTIL),
    );
    expect(comparisons.residential_buckets_ledger).toMatchObject({
      explained: [],
      unexplainedBytes: smartpathBytes - bytes,
    });
  });
});
