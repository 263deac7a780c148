// Tests that a correction does not change the samples that were exported or sent before it.

import { expect, it } from 'vitest';
import type { ReadContext } from '../../src/collectors/context.ts';
import type { HistorySource } from '../../src/collectors/history-source.ts';
import { exportedHistory, type HistorySample } from '../../src/collectors/published-history.ts';
import { trafficHistory } from '../../src/collectors/traffic/expose.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { Store } from '../../src/store/store.ts';
import { type Bucket, publishedSubject } from '../../src/store/traffic-store.ts';
import { bucketAt, makeFolder, openStore, START } from '../store/support.ts';

const IDENTITY = {
  ...{ account: 'main', name: '', slice: '{}' },
  ...{ requestFormat: 'UTC', zone: 'UTC', bucketMs: MINUTE },
};

const SOURCE = trafficHistory[0] as HistorySource;
const KEY = { account: 'main', source: 'traffic', subject: publishedSubject(IDENTITY) } as const;

const contextOf = (store: Store): ReadContext<unknown> => ({
  account: { name: 'main', time_zone: 'UTC' } as ReadContext<unknown>['account'],
  ...{ options: {}, store, clock: { ...systemClock, now: () => START } },
});

/** All samples of a family before `START`. */
const samplesOf = async (store: Store, family: string): Promise<HistorySample[]> => {
  const index = SOURCE.families.findIndex((each) => each.family.name.endsWith(family));
  const range = { from: START - 3 * DAY, to: START };
  const samples: HistorySample[] = [];
  for await (const sample of exportedHistory(SOURCE, index, contextOf(store), range)) samples.push(sample);
  return samples;
};

const save = async (store: Store, bucket: Bucket, now = START): Promise<void> => {
  const { id } = await store.traffic.openGraph(IDENTITY, START - DAY, START);
  await store.traffic.saveWindow(id, { buckets: [bucket], now });
};

it('money with many decimals is the same sample before and after its first correction', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const at = START - HOUR;
  await save(store, bucketAt(at, { smartpathMoneySaved: 0.123_456_78 }));
  await store.publications.publish(KEY, START);
  const [first, ...none] = await samplesOf(store, 'money_saved');
  await save(store, bucketAt(at, { smartpathMoneySaved: 0.2 }));
  const [same, correction] = await samplesOf(store, 'money_saved');
  expect([none, same]).toEqual([[], first]);
  expect((same?.value ?? 0) + (correction?.value ?? 0)).toBeCloseTo(0.2, 6);
});

it('a row of a day keeps its first value while the retention ends within its day', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const [at, { signal }] = [START - DAY, new AbortController()];
  const retention = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
  const accounts = [{ name: 'main', zone: 'UTC', graphs: [''], areUsersPolled: true }];
  const maintainAt = async (now: number): Promise<void> => {
    await save(store, bucketAt(now - HOUR, {}), now);
    await store.maintain({ now, retention, accounts, signal });
  };
  await save(store, bucketAt(at, { bytes: 100 }));
  await store.publications.publish(KEY, START);
  await save(store, bucketAt(at, { bytes: 130 }));
  await maintainAt(at + 100 * DAY);
  const before = await samplesOf(store, 'traffic_bytes');
  expect(before.map(({ value }) => value)).toEqual([100, 30]);
  await maintainAt(at + retention.dailyMs + HOUR);
  expect(await samplesOf(store, 'traffic_bytes')).toEqual(before);
});
