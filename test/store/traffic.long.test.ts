// Tests traffic counters against a model that knows every answer, over any revisions, restarts and crashes.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { shownCounter } from '../../src/store/counter.ts';
import {
  type Bucket,
  type Graph,
  TRAFFIC_COUNTERS,
  type TrafficCounter,
} from '../../src/store/traffic-store.ts';
import { bucketAt, HOLD_MS, START, TestStore } from './support.ts';

const FLOOR = START - 5 * MINUTE;
const IDENTITY = {
  account: 'main',
  name: '',
  slice: '{}',
  requestFormat: 'UTC',
  zone: 'UTC',
  bucketMs: MINUTE,
};

type Values = Partial<Record<TrafficCounter, number | null>>;

const bucket = (minute: number, values: Values): Bucket => bucketAt(START + minute * MINUTE, values);

/** Computes the expected counters from the list of all values that were ever answered. */
class TrafficModel {
  readonly #answers: { at: number; name: TrafficCounter; value: number; isBaseline: boolean }[] = [];
  baselinedAt: number | null = null;

  record(buckets: readonly Bucket[]): void {
    const isBaseline = this.baselinedAt === null;
    for (const { at, ...values } of buckets) {
      for (const name of TRAFFIC_COUNTERS) {
        const value = values[name];
        if (value !== null && at >= FLOOR) this.#answers.push({ at, name, value, isBaseline });
      }
    }
  }

  of(name: TrafficCounter): number {
    const rows = Map.groupBy(
      this.#answers.filter((given) => given.name === name),
      ({ at }) => at,
    );
    return [...rows].reduce((sum, [at, given]) => {
      const last = given.at(-1)?.value ?? 0;
      const baseline = given.findLast(({ isBaseline }) => isBaseline)?.value;
      const isNew = at + MINUTE > (this.baselinedAt ?? Number.POSITIVE_INFINITY);
      const start = baseline ?? (isNew ? 0 : (given[0]?.value ?? 0));
      return sum + last - start;
    }, 0);
  }
}

const value = fc.oneof({ weight: 4, arbitrary: fc.nat(1_000) }, { weight: 1, arbitrary: fc.constant(null) });
const answer = fc.array(
  fc.record({ minute: fc.integer({ min: -7, max: 6 }), bytes: value, requests: value, failed: value }),
  { maxLength: 6 },
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('window' as const), answer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('baseline' as const), answer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      ms: fc.integer({ min: -600_000, max: 600_000 }),
    }),
  },
);

const openGraph = (test: TestStore, now = START): Promise<Graph> =>
  test.store.traffic.openGraph(IDENTITY, FLOOR, now);

const toBuckets = (rows: readonly ({ minute: number } & Values)[]): Bucket[] =>
  rows.map(({ minute, ...values }) => bucket(minute, values));

describe('whatever the provider answers', () => {
  it('served minus withheld equals the model, and the shown value never falls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        using test = new TestStore();
        const model = new TrafficModel();
        const { id } = await openGraph(test);
        let now = START;
        let latest = START;
        const before: Partial<Record<TrafficCounter, number>> = {};
        for (const step of steps) {
          if (step.kind === 'restart') test.restart();
          else if (step.kind === 'crash') test.crash();
          else if (step.kind === 'clock') now += step.ms;
          else {
            const buckets = toBuckets(step.answer);
            model.record(buckets);
            const isBaseline = step.kind === 'baseline';
            if (isBaseline) model.baselinedAt ??= now;
            const baseline = isBaseline ? { baselinedAt: now } : {};
            await test.store.traffic.saveWindow(id, { buckets, watermark: now, now, ...baseline });
            latest = Math.max(latest, now);
          }
          const graph = await openGraph(test, now);
          const counters = await test.store.traffic.counters(id);
          for (const name of TRAFFIC_COUNTERS) {
            const { value, withheld } = shownCounter(counters[name], graph.readAt);
            expect(value - withheld).toBe(model.of(name));
            expect(counters[name].served).toBeGreaterThanOrEqual(Math.max(0, counters[name].net));
            expect(value).toBeGreaterThanOrEqual(before[name] ?? 0);
            expect(value).toBe(latest >= START + HOLD_MS ? counters[name].served : 0);
            before[name] = value;
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('windows in any split and order, read any number of times, give the same counters', async () => {
    const rows = fc.uniqueArray(fc.record({ minute: fc.integer({ min: 0, max: 9 }), bytes: fc.nat(1_000) }), {
      selector: ({ minute }) => minute,
    });
    await fc.assert(
      fc.asyncProperty(rows, fc.array(fc.nat(9)), fc.infiniteStream(fc.nat(3)), async (all, cuts, sizes) => {
        using test = new TestStore();
        const { id } = await openGraph(test);
        const save = (buckets: Bucket[], extra = {}) =>
          test.store.traffic.saveWindow(id, { buckets, watermark: START, now: START, ...extra });
        await save([], { baselinedAt: START });
        for (const cut of cuts) await save(toBuckets(all.slice(cut, cut + (sizes.next().value ?? 0))));
        await save(toBuckets(all.toReversed()));
        const { bytes } = await test.store.traffic.counters(id);
        const sum = all.reduce((total, row) => total + row.bytes, 0);
        expect([bytes.net, bytes.served]).toEqual([sum, sum]);
      }),
      { numRuns: 30 },
    );
  });

  it('a window is stored whole or not at all, whichever row fails', async () => {
    using test = new TestStore();
    const { id } = await openGraph(test);
    const save = (buckets: Bucket[], extra = {}) =>
      test.store.traffic.saveWindow(id, { buckets, watermark: START, now: START, ...extra });
    await save([bucket(0, { bytes: 10 })], { baselinedAt: START });
    const before = await test.store.traffic.counters(id);
    for (const broken of [0, 1, 2, 3]) {
      // A fraction of a byte does not fit the column.
      const values = [5, 6, 7, 8].map((bytes, index) => (index === broken ? 0.5 : bytes));
      const window = values.map((bytes, minute) => bucket(minute, { bytes }));
      await expect(save(window)).rejects.toMatchObject({ name: 'StoreError', kind: 'failed' });
      expect(await test.store.traffic.counters(id)).toEqual(before);
      expect(await test.store.traffic.buckets(id, 0, START + 9 * MINUTE)).toHaveLength(1);
    }
    await save([bucket(0, { bytes: 5 }), bucket(1, { bytes: 6 })]);
    const { bytes } = await test.store.traffic.counters(id);
    expect([bytes.net, bytes.served]).toEqual([1, 1]);
  });
});

describe('a graph', () => {
  it('keeps its rows and floor while it is the same, and starts its rows again when it is read differently', async () => {
    using test = new TestStore();
    const { traffic } = test.store;
    const { id } = await openGraph(test);
    await traffic.saveWindow(id, {
      buckets: [bucket(0, { bytes: 7 })],
      watermark: START,
      now: START,
      baselinedAt: START,
    });
    await traffic.saveWindow(id, {
      buckets: [bucket(0, { bytes: 9 })],
      watermark: START,
      now: START + HOLD_MS,
    });
    const same = await traffic.openGraph(IDENTITY, FLOOR + MINUTE, START);
    expect(same).toMatchObject({ id, floor: FLOOR, baselinedAt: START, watermark: START });

    const other = await traffic.openGraph(
      { ...IDENTITY, requestFormat: 'Asia/Tokyo' },
      FLOOR + MINUTE,
      START,
    );
    expect(other).toMatchObject({ id, floor: FLOOR + MINUTE, baselinedAt: null, watermark: null });
    expect(await traffic.buckets(id, 0, START + MINUTE)).toEqual([]);
    const { bytes } = await traffic.counters(id);
    expect(shownCounter(bytes, other.readAt)).toEqual({ value: 2, withheld: 0 });
  });

  it('moves its watermark forward only, and keeps its first baseline', async () => {
    using test = new TestStore();
    const { traffic } = test.store;
    const { id } = await openGraph(test);
    const save = (at: number, extra = {}) =>
      traffic.saveWindow(id, { buckets: [], watermark: at, now: at, ...extra });
    await save(START + 9, { baselinedAt: START + 8, deepReadAt: START + 8 });
    await save(START + 3, { baselinedAt: START + 2 });
    const at = { watermark: START + 9, readAt: START + 9, baselinedAt: START + 8, deepReadAt: START + 8 };
    expect(await traffic.graphs('main')).toEqual([expect.objectContaining(at)]);
    expect(await traffic.graphs('another')).toEqual([]);
  });

  it('returns its newest bucket that has ended, with values that were not given as unknown', async () => {
    using test = new TestStore();
    const { traffic } = test.store;
    const { id } = await openGraph(test);
    const buckets = [bucket(0, { bytes: 1, requests: 5 }), bucket(1, { bytes: 2, requests: 6 })];
    await traffic.saveWindow(id, { buckets, watermark: START, now: START });
    expect(await traffic.lastBucket(id, START + 2 * MINUTE - 1)).toEqual(buckets[0]);
    expect(await traffic.lastBucket(id, START + 2 * MINUTE)).toEqual(buckets[1]);
    await traffic.saveWindow(id, { buckets: [bucket(1, { requests: 8 })], watermark: START, now: START });
    const revised = await traffic.lastBucket(id, START + 2 * MINUTE);
    expect(revised).toMatchObject({ bytes: 2, requests: 8, failed: null });
  });
});
