// Tests that the published history of the ledger adds up to its rows, whatever changes in them afterwards.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AccountSettings, ReadContext } from '../../src/collectors/context.ts';
import type { HistorySource } from '../../src/collectors/history-source.ts';
import { mobileLedger, residentialLedger } from '../../src/collectors/ledger/ledger.ts';
import {
  correctionsFor,
  type PublishedHistory,
  publishedHistories,
  publishedRows,
} from '../../src/collectors/published-history.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { METERED_TYPES } from '../../src/lib/product-types.ts';
import { DAY } from '../../src/lib/time.ts';
import {
  LEDGER_COUNTERS,
  type LedgerRow,
  type LedgerRule,
  type LedgerStore,
} from '../../src/store/ledger-store.ts';
import type { RowValues } from '../../src/store/publication-store.ts';
import { makeFolder, openStore, START } from '../store/support.ts';

const FIRST_DATE = Date.parse('2026-03-01');
const dateAfter = (days: number): string => new Date(FIRST_DATE + days * DAY).toISOString().slice(0, 10);

/** Under the second rule, what was added is used. */
const RULES = ['added', 'used'].map(
  (key): LedgerRule => ({
    key,
    usageReasons: ['a'],
    balanceOf: (_, bytes) =>
      key === 'added' ? { addedBytes: bytes, usedBytes: 0 } : { addedBytes: 0, usedBytes: bytes },
  }),
);

const ACCOUNT: AccountSettings = {
  ...{
    name: 'main',
    time_zone: 'UTC',
    schedule_time_zone: 'UTC',
    response_time_unit: 'milliseconds',
    currency: 'USD',
  },
  ...{ collectors: [], parameters: { product_type: '', concurrency: '' }, thresholds: {} },
};

const SOURCES = {
  residential: (residentialLedger.history ?? [])[0] as HistorySource,
  mobile: (mobileLedger.history ?? [])[0] as HistorySource,
};

/** What a receiver of remote write has, by reason, date, value and revision. */
class ModelReceiver {
  readonly samples = new Map<string, number>();
  readonly #cursors = new Map<number, number>();
  readonly #source: HistorySource;
  #correction = 0;

  constructor(source: HistorySource) {
    this.#source = source;
  }

  async sync(context: ReadContext<unknown>): Promise<void> {
    const subjects = new Map<number, string>();
    for (const history of await publishedHistories(this.#source, context))
      await this.#readRows(history, subjects);
    const { publications } = context.store;
    for (const each of await publications.correctionsAfter(this.#correction, 1_000_000)) {
      this.#correction = each.sequence;
      this.#add(subjects.get(each.stream), each.at, each.revision, each.differences);
    }
  }

  async #readRows(history: PublishedHistory, subjects: Map<number, string>): Promise<void> {
    const { stream, published } = history;
    if (!published) return;
    subjects.set(published.id, stream.subject);
    const range = { from: this.#cursors.get(published.id) ?? 0, to: published.until };
    const corrections = await correctionsFor(history, range);
    for await (const { at, values } of publishedRows(history, range, corrections))
      this.#add(stream.subject, at, 0, values);
    this.#cursors.set(published.id, Math.max(range.from, range.to));
  }

  #add(subject = 'none', at: number, revision: number, values: RowValues): void {
    for (const [index, value] of values.entries()) {
      const key = `${subject} ${dateAfter((at - FIRST_DATE) / DAY)} ${LEDGER_COUNTERS[index]} ${revision}`;
      expect(this.samples.has(key), key).toBe(false);
      // A day gets a 0 from its first row in whatever order the rows come, so it may be missing.
      if (value) this.samples.set(key, value);
    }
  }

  sums(): Record<string, number> {
    const sums: Record<string, number> = {};
    for (const [key, value] of this.samples) {
      const bucket = key.replace(/ \d+$/, '');
      sums[bucket] = (sums[bucket] ?? 0) + value;
    }
    return withoutZeros(sums);
  }
}

const withoutZeros = (sums: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));

const storedSums = async (ledger: LedgerStore): Promise<Record<string, number>> => {
  const sums: Record<string, number> = {};
  for (const day of await ledger.days('main', dateAfter(0), dateAfter(99))) {
    for (const name of LEDGER_COUNTERS) {
      const bucket = `${day.reason} ${day.periodDate} ${name}`;
      sums[bucket] = (sums[bucket] ?? 0) + (day[name] ?? 0);
    }
  }
  return withoutZeros(sums);
};

const row = fc.record({
  id: fc.constantFrom('1', '2', '3', '4'),
  reason: fc.constantFrom('a', 'b'),
  day: fc.nat(3),
  bytes: fc.nat(9),
  requests: fc.constantFrom(null, 0, 3, 8),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ save: fc.array(row, { minLength: 1, maxLength: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ publish: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ sync: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.record({ rule: fc.nat(1) }) },
);

it('early and late receivers get the same samples, which add up to the days', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...METERED_TYPES),
      fc.array(step, { maxLength: 14 }),
      async (type, steps) => {
        using store = openStore(`${makeFolder()}/store.db`);
        const context = { account: ACCOUNT, options: {}, store, clock: systemClock };
        const publishUntil = async (days: number): Promise<void> => {
          for (const { stream } of await publishedHistories(SOURCES[type], context))
            await store.publications.publish(
              { account: 'main', source: SOURCES[type].source, subject: stream.subject },
              FIRST_DATE + days * DAY,
            );
        };
        const early = new ModelReceiver(SOURCES[type]);
        let [rule] = RULES as [LedgerRule];
        await store.ledgers[type].applyRule('main', rule);
        for (const each of steps) {
          if ('save' in each)
            await store.ledgers[type].savePage(
              'main',
              each.save.map((of) => ledgerRow(of, rule)),
              START,
            );
          if ('publish' in each) await publishUntil(each.publish);
          if ('sync' in each) await early.sync(context);
          if ('rule' in each) {
            rule = RULES[each.rule] ?? rule;
            await store.ledgers[type].applyRule('main', rule);
          }
        }
        await publishUntil(9);
        await early.sync(context);
        const late = new ModelReceiver(SOURCES[type]);
        await late.sync(context);
        expect(early.sums()).toEqual(await storedSums(store.ledgers[type]));
        expect(late.samples).toEqual(early.samples);
      },
    ),
    { numRuns: 100 },
  );
});

const ledgerRow = (
  { day, ...row }: { id: string; reason: string; day: number; bytes: number; requests: number | null },
  { balanceOf }: LedgerRule,
): LedgerRow => ({
  ...row,
  ...{ serviceId: null, adjustmentId: null, createdAt: null, updatedAt: null },
  periodDate: dateAfter(day),
  periodEnd: FIRST_DATE + (day + 1) * DAY,
  ...balanceOf(row.reason, row.bytes),
});
