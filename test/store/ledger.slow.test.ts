// Tests the ledger's counters against a model that knows every answer, and its sums.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { METERED_TYPES } from '../../src/lib/product-types.ts';
import { DAY } from '../../src/lib/time.ts';
import { shownCounter } from '../../src/store/counter.ts';
import { LEDGER_COUNTERS, type LedgerCounter, type LedgerRow } from '../../src/store/ledger-store.ts';
import { HOLD_MS, START, TestStore } from './support.ts';

const ledgerRow = (id: string, values: Partial<LedgerRow>): LedgerRow => ({
  id,
  reason: 'usage',
  serviceId: null,
  periodDate: '2026-03-01',
  periodEnd: START + DAY / 2,
  bytes: 0,
  addedBytes: 0,
  usedBytes: 0,
  requests: 0,
  adjustmentId: null,
  createdAt: null,
  updatedAt: null,
  ...values,
});

/** Computes the expected counters from the list of all rows that were ever answered. */
class LedgerModel {
  readonly #answers: { row: LedgerRow; isBaseline: boolean }[] = [];
  baselinedAt: number | null = null;

  record(rows: readonly LedgerRow[]): void {
    for (const row of rows) this.#answers.push({ row, isBaseline: this.baselinedAt === null });
  }

  of(reason: string, name: LedgerCounter): number {
    const rows = Map.groupBy(
      this.#answers.filter(({ row }) => row.reason === reason),
      ({ row }) => row.id,
    );
    return [...rows.values()].reduce((sum, given) => {
      const last = given.at(-1)?.row;
      const baseline = given.findLast(({ isBaseline }) => isBaseline)?.row;
      const isNew = (given[0]?.row.periodEnd ?? 0) > (this.baselinedAt ?? Number.POSITIVE_INFINITY);
      const start = baseline?.[name] ?? (isNew ? 0 : (given[0]?.row[name] ?? 0));
      return sum + (last?.[name] ?? 0) - start;
    }, 0);
  }
}

// A row keeps its reason and its day, but its values may change in any way, any number of times.
const page = fc.array(
  fc.record({ number: fc.nat(9), addedBytes: fc.nat(1_000), usedBytes: fc.nat(1_000), requests: fc.nat(9) }),
  { maxLength: 8 },
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('page' as const), page }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('clock' as const), ms: fc.integer({ min: -DAY, max: DAY }) }),
  },
);
const REASONS = ['usage', 'top_up', 'a/b%_ c'];
const toRows = (rows: readonly ({ number: number } & Partial<LedgerRow>)[]): LedgerRow[] =>
  rows.map(({ number, ...values }) => {
    const day = Math.floor(number / 3) - 1;
    const reason = REASONS[number % 3] ?? '';
    return ledgerRow(`row-${number}`, { ...values, reason, periodEnd: START + day * DAY + DAY / 2 });
  });

describe.each(METERED_TYPES)('of the %s ledger', (type) => {
  describe('whatever the provider answers', () => {
    it('served minus withheld equals the model for every reason, and the shown value never falls', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
          using test = new TestStore();
          const model = new LedgerModel();
          await test.store.ledgers[type].open('main', ['usage'], START);
          let now = START;
          const before = new Map<string, number>();
          for (const step of steps) {
            if (step.kind === 'restart') test.restart();
            else if (step.kind === 'crash') test.crash();
            else if (step.kind === 'clock') now += step.ms;
            else if (step.kind === 'complete') {
              model.baselinedAt ??= now;
              await test.store.ledgers[type].completeListing('main', ['usage'], now, now);
            } else {
              model.record(toRows(step.page));
              await test.store.ledgers[type].savePage('main', toRows(step.page), now);
            }
            const { listing, reasons } = await test.store.ledgers[type].summary('main');
            for (const { reason, counters } of reasons) {
              for (const name of LEDGER_COUNTERS) {
                const counter = counters[name];
                if (!counter) throw new Error(`${reason} has no counter of ${name}`);
                const { value, withheld } = shownCounter(counter, listing.storedAt);
                expect(value - withheld).toBe(model.of(reason, name));
                expect(counter.served).toBeGreaterThanOrEqual(Math.max(0, counter.net));
                expect(value).toBeGreaterThanOrEqual(before.get(`${reason} ${name}`) ?? 0);
                before.set(`${reason} ${name}`, value);
              }
            }
          }
        }),
        { numRuns: 40 },
      );
    });

    it('the order of the rows in a page does not matter, even if some fall while others rise', async () => {
      await fc.assert(
        fc.asyncProperty(page, page, async (first, second) => {
          const counters = async (order: (rows: LedgerRow[]) => LedgerRow[]) => {
            using test = new TestStore();
            const unique = (rows: typeof page extends fc.Arbitrary<infer R> ? R : never) =>
              toRows([...new Map(rows.map((row) => [row.number, row])).values()]);
            await test.store.ledgers[type].completeListing('main', ['usage'], START - DAY * 3, START);
            for (const rows of [first, second])
              await test.store.ledgers[type].savePage('main', order(unique(rows)), START);
            return (await test.store.ledgers[type].summary('main')).reasons;
          };
          expect(await counters((rows) => rows.toReversed())).toEqual(await counters((rows) => rows));
        }),
        { numRuns: 15 },
      );
    });
  });

  describe('a reason', () => {
    const usedOf = async (test: TestStore, reason: string) => {
      const { listing, reasons } = await test.store.ledgers[type].summary('main');
      const found = reasons.find((each) => each.reason === reason);
      return found && shownCounter(found.counters.usedBytes, listing.storedAt);
    };

    it('that is opened has counters at 0 before it has any row', async () => {
      using test = new TestStore();
      await test.store.ledgers[type].open('main', ['usage'], START);
      expect(await usedOf(test, 'usage')).toEqual({ value: 0, withheld: 0 });
      expect((await test.store.ledgers[type].summary('main')).balance).toBeUndefined();
    });

    it('that appears shows its first step only after the hold, even if the clock is set back', async () => {
      using test = new TestStore();
      const ledger = test.store.ledgers[type];
      await ledger.completeListing('main', ['usage'], START, START);
      const earlier = START - 10 * HOLD_MS;
      await ledger.savePage('main', [ledgerRow('a', { usedBytes: 70 })], earlier);
      expect(await usedOf(test, 'usage')).toEqual({ value: 0, withheld: -70 });
      await ledger.savePage('main', [], START + HOLD_MS - 1);
      expect(await usedOf(test, 'usage')).toEqual({ value: 0, withheld: -70 });
      await ledger.savePage('main', [], START + HOLD_MS);
      expect(await usedOf(test, 'usage')).toEqual({ value: 70, withheld: 0 });
      await ledger.savePage('main', [], earlier);
      expect(await usedOf(test, 'usage')).toEqual({ value: 70, withheld: 0 });
    });
  });

  it('sums balances over all rows including history, and moves a row whose service changes', async () => {
    using test = new TestStore();
    const ledger = test.store.ledgers[type];
    const topUp = ledgerRow('a', { reason: 'top_up', addedBytes: 100, serviceId: 'API-1' });
    await ledger.savePage('main', [topUp, ledgerRow('b', { usedBytes: 30 })], START);
    await ledger.savePage('another', [ledgerRow('a', { usedBytes: 5 })], START);
    const before = await ledger.summary('main');
    expect(before.balance).toEqual({ addedBytes: 100, usedBytes: 30, rates: null });
    expect(before.services).toEqual(new Map([['API-1', { addedBytes: 100, usedBytes: 0, rates: null }]]));
    expect(before.reasons.map(({ reason, entries }) => [reason, entries])).toEqual([
      ['top_up', 1],
      ['usage', 1],
    ]);
    await ledger.savePage('main', [{ ...topUp, serviceId: 'API-2' }], START);
    expect([...(await ledger.summary('main')).services.keys()]).toEqual(['API-2']);
  });

  it('sums rows by day, reason and service', async () => {
    using test = new TestStore();
    const ledger = test.store.ledgers[type];
    const topUp = { reason: 'top_up', addedBytes: 100, periodDate: '2026-03-02' };
    await ledger.savePage(
      'main',
      [
        ledgerRow('a', { usedBytes: 30, requests: 1 }),
        ledgerRow('b', { usedBytes: 5, requests: 2 }),
        ledgerRow('c', { usedBytes: 7, serviceId: 'API-1' }),
        ledgerRow('d', topUp),
        ledgerRow('e', { periodDate: '2026-03-03', usedBytes: 1 }),
      ],
      START,
    );
    const day = (values: object) => ({
      periodDate: '2026-03-01',
      reason: 'usage',
      serviceId: null,
      addedBytes: 0,
      usedBytes: 0,
      requests: 0,
      correctedAt: null,
      ...values,
    });
    expect(await ledger.days('main', '2026-03-01', '2026-03-03')).toEqual([
      day({ usedBytes: 35, requests: 3 }),
      day({ usedBytes: 7, serviceId: 'API-1' }),
      day(topUp),
    ]);
    expect(await ledger.days('main', '2026-03-02', '2026-03-02')).toEqual([]);
    expect(await ledger.days('another', '2026-03-01', '2026-03-03')).toEqual([]);
  });

  it('stores a whole page or nothing of it', async () => {
    using test = new TestStore();
    const ledger = test.store.ledgers[type];
    await ledger.completeListing('main', ['usage'], START, START);
    const before = await ledger.summary('main');
    const page = [ledgerRow('a', { usedBytes: 5 }), ledgerRow('b', { usedBytes: 0.5 })];
    await expect(ledger.savePage('main', page, START + HOLD_MS)).rejects.toMatchObject({ kind: 'failed' });
    expect(await ledger.summary('main')).toEqual(before);
  });

  test('rows are paged by date and id, and values that are no longer given are kept', async () => {
    using test = new TestStore();
    const ledger = test.store.ledgers[type];
    const noted = { adjustmentId: 7, createdAt: START, updatedAt: START };
    const rows = [
      ...['c', 'a'].map((id) => ledgerRow(id, { periodDate: '2026-03-01' })),
      ledgerRow('b', { periodDate: '2026-02-28', ...noted }),
      ledgerRow('d', { periodDate: '2026-03-02' }),
    ];
    await ledger.savePage('main', rows, START);
    await ledger.savePage(
      'main',
      [ledgerRow('b', { periodDate: '2026-02-28', updatedAt: START + 1 })],
      START,
    );
    const idsOf = async (...asked: Parameters<typeof ledger.rows>) =>
      (await ledger.rows(...asked)).map(({ id }) => id);
    expect(await idsOf('main', '2026-02-01', '2026-03-02', null, 9)).toEqual(['b', 'a', 'c']);
    expect(await idsOf('main', '2026-02-01', '2026-03-09', { periodDate: '2026-02-28', id: 'b' }, 2)).toEqual(
      ['a', 'c'],
    );
    expect(await idsOf('main', '2026-03-01', '2026-03-09', { periodDate: '2026-02-28', id: 'b' }, 9)).toEqual(
      ['a', 'c', 'd'],
    );
    expect(await ledger.rows('main', '2026-02-28', '2026-03-01', null, 9)).toMatchObject([
      { ...noted, updatedAt: START + 1 },
    ]);
  });
});
