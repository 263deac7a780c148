// Tests raw and rolled-up history: sums are exact, and nothing counts twice.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Progress } from '../../src/lib/progress.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { MaintenancePlan } from '../../src/store/store.ts';
import type { Bucket, Graph, HistoryBucket } from '../../src/store/traffic-store.ts';
import { bucketAt, historyOf, observationOf, START, TestStore } from './support.ts';

const RETENTION = { rawMs: 2 * DAY, hourlyMs: 6 * DAY, dailyMs: 15 * DAY };
const IDENTITY = {
  account: 'main',
  name: '',
  slice: '{}',
  requestFormat: 'UTC',
  zone: 'UTC',
  bucketMs: MINUTE,
};
const NEVER = new AbortController().signal;

const planAt = (now: number, zone = 'UTC', signal = NEVER): MaintenancePlan => ({
  now,
  retention: RETENTION,
  accounts: [{ name: 'main', zone, graphs: [''], areUsersPolled: true }],
  signal,
});

const openGraph = (test: TestStore, identity = {}, floor = START - 3 * DAY): Promise<Graph> =>
  test.store.traffic.openGraph({ ...IDENTITY, ...identity }, floor, START);

const save = (test: TestStore, { id }: Graph, buckets: readonly Bucket[], now: number): Promise<void> =>
  test.store.traffic.saveWindow(id, { buckets, watermark: now, now, baselinedAt: START });

const sumOf = (rows: readonly { readonly bytes: number | null }[]): number =>
  rows.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);

/** A model of all stored buckets, and of what counts. */
class BucketModel {
  readonly #rows = new Map<number, { start: number; last: number }>();

  record(buckets: readonly Bucket[], isBaseline: boolean, floor: number): void {
    for (const { at, bytes } of buckets) {
      if (bytes === null || at < floor) continue;
      const start = isBaseline || at + MINUTE <= START ? bytes : 0;
      this.#rows.set(at, { start: isBaseline ? bytes : (this.#rows.get(at)?.start ?? start), last: bytes });
    }
  }

  get counted(): number {
    return [...this.#rows.values()].reduce((sum, { start, last }) => sum + last - start, 0);
  }

  storedSince(from: number): number {
    return [...this.#rows].reduce((sum, [at, { last }]) => (at >= from ? sum + last : sum), 0);
  }
}

const expectNoOverlaps = (history: readonly HistoryBucket[]): void => {
  for (const [index, { at, widthMs }] of history.entries()) {
    expect(widthMs).toBeGreaterThan(0);
    expect(at + widthMs).toBeLessThanOrEqual(history[index + 1]?.at ?? Number.POSITIVE_INFINITY);
  }
};

/** Checks that maintenance left no bucket older than its retention, measured from the time of the newest data. */
const expectRetention = (history: readonly HistoryBucket[], now: number): void => {
  const newest = history.at(-1);
  if (!newest) return;
  const time = Math.min(now, newest.at + newest.widthMs);
  for (const { at, widthMs } of history) {
    const kept = widthMs <= MINUTE ? RETENTION.rawMs + HOUR : RETENTION.hourlyMs + 2 * DAY;
    expect(at).toBeGreaterThan(time - (widthMs <= 2 * HOUR ? kept : RETENTION.dailyMs + 2 * DAY));
    if (widthMs > MINUTE) expect(at + widthMs).toBeLessThanOrEqual(time - RETENTION.rawMs);
  }
};

/** Answers of up to four whole days and some minutes ago: a bucket that is answered again may have any age. */
const answer = fc.array(
  fc.record({
    backMs: fc
      .tuple(fc.nat(4), fc.constantFrom(0, 1, 59, 60, 61, 600, 1_439))
      .map(([days, minutes]) => days * DAY + minutes * MINUTE),
    bytes: fc.option(fc.nat(1_000), { freq: 8 }),
  }),
  { maxLength: 8 },
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('window' as const), answer }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.nat(2 * DAY) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('maintain' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('crash' as const), turns: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('zone' as const) }) },
);
const ZONES = ['UTC', 'Asia/Kolkata', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns'];

describe('buckets', () => {
  it('are all in the history once, and count as if nothing was rolled up', async () => {
    const steps = fc.array(step, { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.nat(4), answer, steps, async (firstZone, baseline, steps) => {
        using test = new TestStore();
        let zone = firstZone;
        const identity = () => ({ zone: ZONES[zone % ZONES.length] });
        let graph = await openGraph(test, identity());
        const model = new BucketModel();
        // The steps cover times from weeks before summer time begins to after it.
        let now = START + 15 * DAY;
        const saveAnswer = async (
          rows: readonly { backMs: number; bytes: number | null }[],
          first = false,
        ) => {
          const minute = Math.floor(now / MINUTE) * MINUTE;
          const buckets = rows.map(({ backMs, bytes }) => bucketAt(minute - backMs, { bytes }));
          [graph = graph] = await test.store.traffic.graphs('main');
          model.record(buckets, first, graph.floor);
          await save(test, graph, buckets, now);
        };
        await saveAnswer(baseline, true);
        for (const step of steps) {
          if (step.kind === 'window') await saveAnswer(step.answer);
          else if (step.kind === 'time') now += step.ms;
          else if (step.kind === 'zone') {
            zone += 1;
            await openGraph(test, identity());
          } else if (step.kind === 'maintain') {
            await test.store.maintain(planAt(now));
            expectRetention(await historyOf(test.store, graph.id), now);
          } else {
            // The copy keeps the state of the interruption. What the original store does afterwards does not matter.
            const interrupted = test.store.maintain(planAt(now)).catch(() => {});
            for (let turn = 0; turn < step.turns; turn += 1) await new Promise(setImmediate);
            test.crash();
            await interrupted;
          }
          const history = await historyOf(test.store, graph.id);
          expectNoOverlaps(history);
          expect(sumOf(history)).toBe(model.storedSince(history[0]?.at ?? Number.POSITIVE_INFINITY));
          const { bytes } = await test.store.traffic.counters(graph.id);
          expect(bytes.net).toBe(model.counted);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('are rolled up with their known and their unknown values', async () => {
    using test = new TestStore();
    const graph = await openGraph(test);
    const first = {
      bytes: 1,
      requests: 10,
      smartpathMoneySaved: 0.5,
      concurrencyAverage: 2,
      concurrencyMax: 9,
    };
    const second = { bytes: 2, requests: null, concurrencyAverage: 4, concurrencyMax: 5 };
    const third = { bytes: 4, failed: 7 };
    const later = { bytes: 8, concurrencyAverage: 6, concurrencyMax: 7 };
    await save(
      test,
      graph,
      [first, second, third]
        .map((values, minute) => bucketAt(START + minute * MINUTE, values))
        .concat(bucketAt(START + HOUR, later), bucketAt(START + 3 * DAY, {})),
      START,
    );
    await test.store.maintain(planAt(START + 3 * DAY));
    const sums = { bytes: 7, requests: 10, successful: null, failed: 7, smartpathMoneySaved: 0.5 };
    const hours = [
      { at: START, widthMs: HOUR, ...sums, concurrencyAverage: 3, concurrencyMax: 9 },
      { at: START + HOUR, widthMs: HOUR, bytes: 8, requests: null, concurrencyAverage: 6, concurrencyMax: 7 },
    ];
    expect((await historyOf(test.store, graph.id)).slice(0, -1)).toMatchObject(hours);

    await save(test, graph, [bucketAt(START + 8 * DAY, {})], START);
    await test.store.maintain(planAt(START + 8 * DAY));
    const [day] = await historyOf(test.store, graph.id);
    // Three minutes have a concurrency: 2, 4 and 6.
    const concurrency = { concurrencyAverage: 4, concurrencyMax: 9 };
    expect(day).toMatchObject({ at: START - 12 * HOUR, widthMs: DAY, ...sums, bytes: 15, ...concurrency });
  });

  it.each([
    ['Asia/Kolkata', '2026-03-01T18:30:00Z', 24],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', 23],
    ['Europe/Berlin', '2026-10-24T22:00:00Z', 25],
  ])('become days of the provider: %s, %s', async (zone, start, hours) => {
    using test = new TestStore();
    const graph = await openGraph(test, { zone });
    const from = Date.parse(start);
    const minutes = Array.from({ length: hours * 4 }, (_, n) =>
      bucketAt(from + n * 15 * MINUTE, { bytes: 1 }),
    );
    const before = bucketAt(from - MINUTE, { bytes: 100 });
    const last = bucketAt(from + 9 * DAY, {});
    await save(test, graph, [before, ...minutes, last], START);
    await test.store.maintain(planAt(from + 9 * DAY));
    const days = await historyOf(test.store, graph.id);
    expect(days[1]).toMatchObject({ at: from, widthMs: hours * HOUR, bytes: hours * 4 });
    expect(days[0]).toMatchObject({ bytes: 100 });
  });

  it('are not counted twice when the provider answers them again after they were rolled up', async () => {
    using test = new TestStore();
    const graph = await openGraph(test);
    const old = bucketAt(START + MINUTE, { bytes: 5 });
    await save(test, graph, [], START);
    await save(test, graph, [old, bucketAt(START + 3 * DAY, { bytes: 1 })], START + 3 * DAY);
    await test.store.maintain(planAt(START + 3 * DAY));
    await save(test, graph, [old, { ...old, bytes: 50 }], START + 3 * DAY);
    expect((await test.store.traffic.counters(graph.id)).bytes).toMatchObject({ net: 6, served: 6 });
    expect(sumOf(await historyOf(test.store, graph.id))).toBe(6);
  });

  it('continue to count after the clock ran ahead for years', async () => {
    using test = new TestStore();
    const graph = await openGraph(test);
    await save(test, graph, [], START);
    await save(test, graph, [bucketAt(START + MINUTE, { bytes: 5 })], START + MINUTE);
    await save(test, graph, [], START + 1_000 * DAY);
    await test.store.maintain(planAt(START + 1_000 * DAY));
    const revised = [bucketAt(START + MINUTE, { bytes: 7 }), bucketAt(START + 2 * MINUTE, { bytes: 1 })];
    await save(test, graph, revised, START + 3 * MINUTE);
    expect((await test.store.traffic.counters(graph.id)).bytes.net).toBe(8);
  });

  it('are each read once while they are rolled up', async () => {
    using test = new TestStore();
    const graph = await openGraph(test);
    const days = 12;
    const buckets = Array.from({ length: days * 24 }, (_, hour) =>
      bucketAt(START + hour * HOUR, { bytes: 1 }),
    );
    await save(test, graph, buckets, START);
    const read: HistoryBucket[] = [];
    for await (const bucket of test.store.traffic.history(graph.id, 0, START + days * DAY)) {
      if (read.length === 30) await test.store.maintain(planAt(START + days * DAY));
      read.push(bucket);
    }
    expect(sumOf(read)).toBe(days * 24);
  });
});

it('stops between two slices when it is aborted, and continues from there', async () => {
  using test = new TestStore();
  const graph = await openGraph(test);
  const minutes = (5 * DAY) / MINUTE;
  const buckets = Array.from({ length: minutes }, (_, n) => bucketAt(START + n * MINUTE, { bytes: 1 }));
  await save(test, graph, buckets, START);
  const now = START + 5 * DAY;
  const stop = new AbortController();
  const maintenance = test.store.maintain(planAt(now, 'UTC', stop.signal));
  await new Promise(setImmediate);
  stop.abort();
  const { deletedRows } = await maintenance;
  expect(deletedRows).toBeGreaterThan(0);
  expect(deletedRows).toBeLessThan(2_000);
  expect(sumOf(await historyOf(test.store, graph.id))).toBe(minutes);
  await test.store.maintain(planAt(now));
  const history = await historyOf(test.store, graph.id);
  expect(sumOf(history)).toBe(minutes);
  expect(history).toHaveLength(3 * 24 + 2 * 1_440);
});

it('reports its progress by graphs, by accounts, and by the pages that it frees', async () => {
  using test = new TestStore();
  const graph = await openGraph(test);
  const days = 80;
  const minutes = (days * DAY) / MINUTE;
  const buckets = Array.from({ length: minutes }, (_, n) => bucketAt(START + n * MINUTE, { bytes: 1 }));
  await save(test, graph, buckets, START);
  const reported: Progress[] = [];
  const progress = (each: Progress): void => void reported.push(each);
  await test.store.maintain({ ...planAt(START + days * DAY), progress });
  const [first, second, third, ...pages] = reported;
  expect([first, second, third]).toEqual([
    { done: 0, total: 1, unit: 'graphs' },
    { done: 0, total: 1, unit: 'accounts' },
    { done: 0, total: 1, unit: 'tables' },
  ]);
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.every(({ unit, total }) => unit === 'pages' && total === pages[0]?.total)).toBe(true);
  const done = pages.map((page) => page.done);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(done.at(-1)).toBe(pages[0]?.total);
});

describe('usage of proxy users', () => {
  const quota = (usedBytes: number) => ({ limitBytes: null, usedBytes });
  const user = (usedBytes: number) => observationOf('a', { residential: quota(usedBytes), mobile: quota(0) });

  it('is merged into consecutive hours and days of the provider without changing its sum', async () => {
    const listings = fc.array(fc.record({ gapMs: fc.integer({ min: 1, max: DAY }), used: fc.nat(1_000) }), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ZONES), listings, async (zone, listings) => {
        using test = new TestStore();
        const { users } = test.store;
        const list = async (usedBytes: number, at: number): Promise<void> => {
          await users.savePage('main', [user(usedBytes)], at);
          await users.completeListing('main', new Set(['a']), at, at);
        };
        let now = START;
        await list(0, now);
        for (const { gapMs, used } of listings) {
          now += gapMs;
          await list(used, now);
        }
        const before = await users.usage('main', 0, now);
        await test.store.maintain(planAt(now, zone));
        const after = await users.usage('main', 0, now);
        const [first] = after;
        const kept = before.filter(({ since }) => since >= (first?.since ?? 0));
        expect(sumOf(after)).toBe(sumOf(kept));
        const ofResidential = after.filter(({ productType }) => productType === 'residential');
        for (const [index, { until }] of ofResidential.slice(0, -1).entries()) {
          expect(ofResidential[index + 1]?.since).toBe(until);
        }
        expect(after.every(({ until }) => until > now - RETENTION.dailyMs - 2 * DAY)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('is kept raw, then by hour, then by day, and is then deleted', async () => {
    using test = new TestStore();
    const { users } = test.store;
    const listings = (16 * DAY) / (30 * MINUTE);
    for (let n = 0; n <= listings; n += 1) {
      const at = START + n * 30 * MINUTE;
      await users.savePage('main', [user(n)], at);
      await users.completeListing('main', new Set(['a']), at, at);
    }
    const now = START + 16 * DAY;
    await test.store.maintain(planAt(now));
    const periods = (await users.usage('main', 0, now)).filter(
      ({ productType }) => productType === 'residential',
    );
    const widths = [30 * MINUTE, HOUR, DAY].map(
      (width) => periods.filter(({ since, until }) => until - since === width).length,
    );
    // Two days are raw, four are hourly, and the rest are daily; the first of those is half a day.
    expect(widths[0]).toBe(2 * 48);
    expect(widths[1]).toBe(4 * 24 + 12);
    expect(widths[2]).toBe(9);
  });
});
