// Tests that first values and corrections add up to the stored history for every receiver, whenever it reads.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HistoryRow } from '../../src/collectors/history-source.ts';
import { firstRows, LONGEST_ROW_MS } from '../../src/collectors/published-history.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { RowValues, StreamKey } from '../../src/store/publication-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Bucket, publishedSubject, TRAFFIC_COUNTERS } from '../../src/store/traffic-store.ts';
import { bucketAt, makeFolder, openStore, START } from './support.ts';

const IDENTITY = {
  account: 'main',
  name: '',
  slice: '{}',
  requestFormat: 'UTC',
  zone: 'UTC',
  bucketMs: MINUTE,
};
const KEY: StreamKey = { account: 'main', source: 'traffic', subject: publishedSubject(IDENTITY) };
const BEGIN = START - 4 * HOUR;
const RETENTION = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };

const ACCOUNTS = [{ name: 'main', zone: 'UTC', graphs: [''], areUsersPolled: true }];

/** What a receiver has: the sum of all samples of each value. */
class ModelReceiver {
  readonly name: string;
  readonly samples = new Map<string, number>();
  #cursor = BEGIN;
  #correction = 0;

  constructor(name: string) {
    this.name = name;
  }

  async sync(store: Store, graph: number): Promise<void> {
    const stream = (await store.publications.streams())[0];
    if (!stream) return;
    const corrections = await store.publications.correctionsOf(stream.id, {
      from: this.#cursor,
      to: stream.until + LONGEST_ROW_MS,
    });
    for await (const row of firstRows(rowsOf(store, graph, this.#cursor, stream.until), corrections))
      this.#addAll(row.at, 0, row.values);
    this.#cursor = Math.max(this.#cursor, stream.until);
    for (const { sequence, at, revision, differences } of await store.publications.correctionsAfter(
      this.#correction,
      1e6,
    )) {
      this.#correction = sequence;
      this.#addAll(at, revision, differences);
    }
  }

  /** Each sample is sent once. */
  #addAll(at: number, revision: number, values: RowValues): void {
    for (const [index, value] of values.entries()) {
      if (value === null) continue;
      const key = `${at} ${index} ${revision}`;
      expect(this.samples.has(key)).toBe(false);
      this.samples.set(key, value);
    }
  }

  sumOf(index: number): number {
    return [...this.samples].reduce(
      (sum, [key, value]) => sum + (key.split(' ')[1] === String(index) ? value : 0),
      0,
    );
  }
}

async function* rowsOf(store: Store, graph: number, from: number, to: number): AsyncGenerator<HistoryRow> {
  for await (const bucket of store.traffic.history(graph, from, to)) {
    const { at, widthMs } = bucket;
    yield { at, end: at + widthMs, values: TRAFFIC_COUNTERS.map((name) => bucket[name]) };
  }
}

const value = fc.oneof(
  { weight: 4, arbitrary: fc.nat(1_000) },
  { weight: 1, arbitrary: fc.constantFrom(null, 0) },
);
const bucket = fc
  .record({ minute: fc.nat(239), bytes: value, requests: value })
  .map(({ minute, ...values }): Bucket => bucketAt(BEGIN + minute * MINUTE, values));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ save: fc.array(bucket, { minLength: 1, maxLength: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ publish: fc.nat(250) }) },
  { weight: 2, arbitrary: fc.record({ sync: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ rollUpHours: fc.nat(5) }) },
);

it('every receiver gets the history to the byte, with saves, corrections and roll-ups between its reads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      using store = openStore(`${makeFolder()}/store.db`);
      const { id } = await store.traffic.openGraph(IDENTITY, BEGIN, START);
      const receivers = [new ModelReceiver('a'), new ModelReceiver('b')];
      const syncAll = () => Promise.all(receivers.map((receiver) => receiver.sync(store, id)));
      for (const each of steps) {
        if ('save' in each) await store.traffic.saveWindow(id, { buckets: unique(each.save), now: START });
        if ('publish' in each) await store.publications.publish(KEY, BEGIN + each.publish * MINUTE);
        if ('sync' in each) await receivers[each.sync]?.sync(store, id);
        if ('rollUpHours' in each) {
          // All receivers are up to date: what expires otherwise has a test of its own.
          await store.publications.publish(KEY, BEGIN + each.rollUpHours * HOUR);
          await syncAll();
          const now = BEGIN + each.rollUpHours * HOUR + RETENTION.rawMs;
          const { signal } = new AbortController();
          // Ages count from the newest data.
          await store.traffic.saveWindow(id, { buckets: [bucketAt(now, {})], now });
          await store.maintain({ now, retention: RETENTION, accounts: ACCOUNTS, signal });
        }
      }
      await store.publications.publish(KEY, BEGIN + 4 * HOUR);
      await syncAll();
      for (const [index, name] of TRAFFIC_COUNTERS.entries()) {
        const stored = await totalOf(store, id, name);
        for (const receiver of receivers)
          expect(receiver.sumOf(index), `${receiver.name} ${name}`).toBe(stored);
      }
    }),
    { numRuns: 100 },
  );
});

const unique = (buckets: readonly Bucket[]): Bucket[] => [
  ...new Map(buckets.map((each) => [each.at, each])).values(),
];

const totalOf = async (
  store: Store,
  graph: number,
  name: (typeof TRAFFIC_COUNTERS)[number],
): Promise<number> => {
  let sum = 0;
  for await (const row of store.traffic.history(graph, 0, Number.MAX_SAFE_INTEGER)) sum += row[name] ?? 0;
  return sum;
};
