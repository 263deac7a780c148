// Tests the mobile ledger against the truth of the simulator, and that both ledgers of an account treat the same rows alike and
// apart.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { Harness } from '../support/harness.ts';
import { asMobile, ledgerRow, poll, type Row, START, StubAccount } from './stub-account.ts';

const HOURLY = { schedule: '0 * * * *' };
const OTHERS_OFF = { traffic: false, proxy_users: false, reconciliation: false };

it('counters and balance are true to the byte over three days with late and corrected rows, faults and a restart', async () => {
  await using harness = await Harness.build({
    now: START,
    scenario: {
      start: '2026-07-03T00:00:00Z',
      ledger: { top_up_every_days: 2, adjustment_every_days: 2, per_service: true },
      traffic: { late: { ratio: 0.05 }, revised: { ratio: 0.05 } },
    },
    account: { ...OTHERS_OFF, residential_ledger: false, mobile_ledger: HOURLY },
    firstStepHold: '0s',
  });
  const used = (at?: number): number =>
    harness.simulator.truth
      .mobileLedger(at)
      .filter(({ mobile_ledger_reason: reason }) => reason === 'usage')
      .reduce((sum, { mobile_ledger_bytes: bytes }) => sum - bytes, 0);
  const balance = (): number =>
    harness.simulator.truth.mobileLedger().reduce((sum, { mobile_ledger_bytes: bytes }) => sum + bytes, 0);
  for (const day of [1, 2, 3]) {
    harness.simulator.faults.add({ kind: 'status', status: 500, endpoint: 'mobile_ledger' });
    await harness.advance(DAY / 2);
    harness.simulator.faults.clear();
    if (day === 2) await harness.restart();
    await harness.advance(DAY / 2);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_mobile_balance_bytes')).toBe(balance());
    const withheld = samples
      .all('proxywatch_mobile_ledger_withheld_bytes')
      .find(({ labels }) => labels.reason === 'usage' && labels.direction === 'used');
    const counted = samples.by('reason', 'proxywatch_mobile_ledger_used_bytes_total').usage ?? Number.NaN;
    expect(counted - (withheld?.value ?? Number.NaN)).toBe(used() - used(Date.parse(START)));
  }
  const services = (await harness.samples()).all('proxywatch_mobile_service_balance_bytes');
  expect(services.reduce((sum, { value }) => sum + value, 0)).toBe(balance());
});

/** What a provider does to the rows of one ledger between two polls. */
const change = fc.record({
  row: fc.nat(5),
  reason: fc.constantFrom('usage', 'top_up', 'adjustment'),
  bytes: fc.integer({ min: -1_000, max: 1_000 }),
  date: fc.constantFrom('2026-07-01', '2026-07-05', '2026-07-06'),
  service: fc.constantFrom(null, 'API-1', 'API-2'),
});
const polls = fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 5 });

const apply = (
  rows: Map<number, Row>,
  changes: readonly (typeof change extends fc.Arbitrary<infer C> ? C : never)[],
) => {
  for (const { row, reason, bytes, date, service } of changes)
    rows.set(row, {
      ...ledgerRow(reason, bytes, { residential_ledger_period_date: date, service_id: service }),
      // Both ledgers have the same ids.
      residential_ledger_id: `row-${row}`,
    });
};

/** The samples of the ledger of a product type, without the type in their names. */
const samplesOf = (text: string, type: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`proxywatch_${type}_`))
    .map((line) => line.replace(type, 'any'));

it('a ledger shows the same for the same rows, whichever it is and whatever is in the other one', async () => {
  await fc.assert(
    fc.asyncProperty(polls, polls, async (own, others) => {
      const texts: string[][] = [];
      for (const type of ['residential', 'mobile'] as const) {
        await using account = await StubAccount.start();
        const [ownRows, otherRows] = [new Map<number, Row>(), new Map<number, Row>()];
        const load = (index: number): void => {
          apply(ownRows, own[index] ?? []);
          apply(otherRows, others[index] ?? []);
          const isMobile = type === 'mobile';
          account.ledger = [...(isMobile ? otherRows : ownRows).values()];
          account.mobileLedger = [...(isMobile ? ownRows : otherRows).values()].map(asMobile);
        };
        load(0);
        await using harness = await account.buildHarness(
          'residential_ledger',
          {},
          {},
          { mobile_ledger: HOURLY },
        );
        for (const index of own.keys()) {
          if (index > 0) load(index);
          await poll(harness);
        }
        texts.push(samplesOf(await harness.metricsText(), type));
      }
      expect(texts[1]).toEqual(texts[0]);
      expect(texts[0]).not.toEqual([]);
    }),
    { numRuns: 8 },
  );
});

it('an account without mobile services fails alone, and says what to turn off', async () => {
  await using harness = await Harness.build({
    now: START,
    account: { ...OTHERS_OFF, residential_ledger: HOURLY, mobile_ledger: HOURLY },
  });
  for (const status of [403, 404, 422]) {
    harness.simulator.faults.add({ kind: 'status', status, endpoint: 'mobile_ledger' });
    await harness.advance(HOUR);
    const samples = await harness.samples();
    expect(samples.by('collector', 'proxywatch_collector_success')).toEqual({
      residential_ledger: 1,
      mobile_ledger: 0,
    });
    const runs = await harness.app.store.runs.states('main');
    const { errorMessage } = runs.find(({ collector }) => collector === 'mobile_ledger') ?? {};
    expect(errorMessage).toContain('if this account has no mobile services, turn off mobile_ledger');
    harness.simulator.faults.clear();
  }
});
