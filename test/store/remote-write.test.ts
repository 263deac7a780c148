// Tests how far receivers of remote write are: batches, rewinds, and rows that were rolled up before they were sent.

import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { KeptSamples, PublishedStream, StoredBatch } from '../../src/store/publication-store.ts';
import type { Store } from '../../src/store/store.ts';
import { publishedSubject } from '../../src/store/traffic-store.ts';
import { bucketAt, makeFolder, openStore, START, TestStore } from './support.ts';
import { poll, user } from './user-support.ts';

const IDENTITY = {
  account: 'main',
  name: '',
  slice: '{}',
  requestFormat: 'UTC',
  zone: 'UTC',
  bucketMs: MINUTE,
};
const RETENTION = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
const ACCOUNTS = [{ name: 'main', zone: 'UTC', graphs: [''], areUsersPolled: true }];

const publish = (store: Store, until: number): Promise<PublishedStream> =>
  store.publications.publish(
    { account: 'main', source: 'traffic', subject: publishedSubject(IDENTITY) },
    until,
  );

const batchTo = (stream: number, at: number, correction = 0): StoredBatch => ({
  ...{ body: new Uint8Array([1, 2]), samples: 2, at: START },
  next: { streams: new Map([[stream, at]]), correction },
});

it('a batch survives a restart unchanged, and moves the position only when it is complete', async () => {
  using test = new TestStore();
  const { id } = await publish(test.store, START);
  expect(await test.store.remoteWrite.open('a', START - HOUR)).toEqual({
    ...{ name: 'a', start: START - HOUR, starts: new Map(), batch: null },
    position: { streams: new Map(), correction: 0 },
    kept: { samples: 0, early: 0, earlySince: null, earlyFrom: null },
    counts: { accepted: 0, refused: 0, expired: 0, bytes: 0 },
    refusingSince: null,
  });
  const batch = batchTo(id, START - MINUTE, 7);
  await test.store.remoteWrite.saveBatch('a', batch);
  test.crash();
  const stored = await test.store.remoteWrite.open('a', START);
  expect({ ...stored.batch, body: new Uint8Array(stored.batch?.body ?? []) }).toEqual(batch);
  expect(stored).toMatchObject({ start: START - HOUR, position: { streams: new Map(), correction: 0 } });
  await test.store.remoteWrite.completeBatch('a', { accepted: 1, refused: 1, bytes: 90 });
  expect(await test.store.remoteWrite.open('a', START)).toMatchObject({
    position: { streams: new Map([[id, START - MINUTE]]), correction: 7 },
    batch: null,
    counts: { accepted: 1, refused: 1, expired: 0, bytes: 90 },
  });
});

it('a receiver has one batch at a time', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const { id } = await publish(store, START);
  await store.remoteWrite.open('a', START);
  await store.remoteWrite.saveBatch('a', batchTo(id, START));
  await expect(store.remoteWrite.saveBatch('a', batchTo(id, START))).rejects.toThrow();
});

const kept = (firstAt: number, waitMs: number): KeptSamples => ({
  ...{ body: new Uint8Array([3]), samples: 1, firstAt, at: START, waitMs, isRepeat: false },
});

it('kept samples survive a restart and a rewind, and are due in order, until they are complete or their receiver is removed', async () => {
  using test = new TestStore();
  const { id } = await publish(test.store, START);
  await test.store.remoteWrite.open('a', START - HOUR);
  await test.store.remoteWrite.saveBatch('a', batchTo(id, START));
  const counts = { accepted: 1, refused: 0, bytes: 9 };
  await test.store.remoteWrite.completeBatch('a', counts, [
    kept(START + HOUR, HOUR),
    kept(START + MINUTE, HOUR / 2),
  ]);
  test.crash();
  const { remoteWrite } = test.store;
  await remoteWrite.rewind('a', START - HOUR);
  const keptOf = async (name: string) => (await remoteWrite.open(name, START)).kept;
  expect(await keptOf('a')).toEqual({
    ...{ samples: 2, early: 2 },
    ...{ earlySince: START, earlyFrom: START + MINUTE },
  });
  expect(await remoteWrite.dueSamples('a', false, START + HOUR / 2 - 1)).toBeUndefined();
  expect(await remoteWrite.dueSamples('b', false, START + DAY)).toBeUndefined();
  const due = await remoteWrite.dueSamples('a', false, START + DAY);
  expect(due).toMatchObject({ samples: 1, firstAt: START + MINUTE, at: START, waitMs: HOUR / 2 });
  await remoteWrite.completeKept('a', { id: due?.id ?? 0, at: START }, counts, [
    kept(START + MINUTE, 3 * HOUR),
  ]);
  expect(await remoteWrite.dueSamples('a', false, START + DAY)).toMatchObject({ firstAt: START + HOUR });
  expect((await remoteWrite.open('a', START)).counts).toMatchObject({ accepted: 2, bytes: 18 });
  await remoteWrite.keepOnly([]);
  expect(await keptOf('a')).toEqual({ samples: 0, early: 0, earlySince: null, earlyFrom: null });
});

it('kept samples that are due in more than an hour are due at once, because the clock went back', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const { id } = await publish(store, START);
  await store.remoteWrite.open('a', START - HOUR);
  await store.remoteWrite.saveBatch('a', batchTo(id, START));
  const counts = { accepted: 0, refused: 0, bytes: 0 };
  await store.remoteWrite.completeBatch('a', counts, [kept(START, HOUR)]);
  const isDue = async (now: number) => (await store.remoteWrite.dueSamples('a', false, now)) !== undefined;
  expect(await Promise.all([START - 5 * HOUR, START - 1, START, START + HOUR].map(isDue))).toEqual(
    // The clock goes back five hours, one millisecond, and not at all.
    [true, true, false, true],
  );
});

describe('a receiver that has accepted samples refuses everything', () => {
  const LATER = START + DAY;
  const counts = (accepted: number, refused: number) => ({ accepted, refused, bytes: 0 });
  type Sent = (store: Store, id: number) => Promise<void>;

  const batch =
    (accepted: number, refused: number, early: readonly KeptSamples[] = []): Sent =>
    async (store, id) => {
      await store.remoteWrite.saveBatch('a', batchTo(id, START));
      await store.remoteWrite.completeBatch('a', counts(accepted, refused), early);
    };
  const keptBatch =
    (accepted: number, refused: number, early: readonly KeptSamples[] = []): Sent =>
    async ({ remoteWrite }) => {
      const due = await remoteWrite.dueSamples('a', false, LATER);
      await remoteWrite.completeKept(
        'a',
        { id: due?.id ?? 0, at: START + MINUTE },
        counts(accepted, refused),
        early,
      );
    };

  const early = [kept(START, MINUTE)];
  it.each<[string, readonly Sent[], number | null]>([
    ['since the first batch of which all were refused', [batch(0, 2)], START],
    ['still if all samples of the next batch wait', [batch(0, 2), batch(0, 0, early)], START],
    ['still if these wait longer', [batch(0, 2), batch(0, 0, early), keptBatch(0, 0, early)], START],
    ['perhaps if the others of the batch wait', [batch(0, 1, early)], null],
    [
      'no more when it has accepted some that waited',
      [batch(0, 2), batch(0, 0, early), keptBatch(1, 0)],
      null,
    ],
    ['if it also refused those that waited', [batch(0, 1, early), keptBatch(0, 1)], START + MINUTE],
    ['no more when it accepts a batch', [batch(0, 2), batch(1, 1)], null],
  ])('%s', async (_, steps, refusingSince) => {
    using store = openStore(`${makeFolder()}/store.db`);
    const { id } = await publish(store, START);
    await store.remoteWrite.open('a', START - HOUR);
    for (const step of [batch(1, 0), ...steps]) await step(store, id);
    expect(await store.remoteWrite.open('a', START)).toMatchObject({ refusingSince });
  });
});

it('a rewind sends all streams since its time and all corrections again', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const { id } = await publish(store, START);
  await store.remoteWrite.open('a', START - HOUR);
  await store.remoteWrite.saveBatch('a', batchTo(id, START, 7));
  await store.remoteWrite.completeBatch('a', { accepted: 2, refused: 0, bytes: 0 });
  await store.remoteWrite.saveBatch('a', batchTo(id, START + 1, 8));
  await store.remoteWrite.rewind('a', START - MINUTE);
  expect(await store.remoteWrite.open('a', START)).toMatchObject({
    start: START - HOUR,
    position: { streams: new Map([[id, START - MINUTE]]), correction: 0 },
    batch: null,
  });
  await store.remoteWrite.rewind('a', START - DAY);
  expect(await store.remoteWrite.open('a', START)).toMatchObject({ start: START - DAY });
  await expect(store.remoteWrite.rewind('b', START)).rejects.toThrow(
    'no receiver of remote write has the name "b"',
  );
});

it('a rewind to a time that a receiver did not reach yet skips nothing', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const { id } = await publish(store, START);
  const unsent = await store.publications.publish(
    { account: 'main', source: 'ledger', subject: 'usage' },
    START,
  );
  await store.remoteWrite.open('a', START - DAY);
  await store.remoteWrite.saveBatch('a', batchTo(id, START - 2 * HOUR));
  await store.remoteWrite.completeBatch('a', { accepted: 2, refused: 0, bytes: 0 });
  await store.remoteWrite.rewind('a', START - HOUR);
  const { start, position } = await store.remoteWrite.open('a', START);
  expect({ start, sent: position.streams.get(id), unsent: position.streams.get(unsent.id) }).toEqual({
    ...{ start: START - DAY, sent: START - 2 * HOUR, unsent: undefined },
  });
});

it('a removed receiver begins again when it is added again', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const { id } = await publish(store, START);
  for (const name of ['a', 'b']) {
    await store.remoteWrite.open(name, START - HOUR);
    await store.remoteWrite.saveBatch(name, batchTo(id, START));
    await store.remoteWrite.completeBatch(name, { accepted: 2, refused: 0, bytes: 0 });
  }
  await store.remoteWrite.keepOnly(['b']);
  expect(await store.remoteWrite.open('a', START)).toMatchObject({
    start: START,
    position: { streams: new Map() },
  });
  expect((await store.remoteWrite.open('b', START)).position.streams).toEqual(new Map([[id, START]]));
});

it('a roll-up counts what a receiver did not get of its period, and moves it behind the period', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const begin = START - HOUR;
  const graph = await store.traffic.openGraph(IDENTITY, begin, START);
  const now = START + RETENTION.rawMs;
  const minutes = [0, 20, 40].map((minute) => bucketAt(begin + minute * MINUTE, { bytes: 5, requests: 1 }));
  await store.traffic.saveWindow(graph.id, { buckets: [...minutes, bucketAt(now, {})], now });
  const { id } = await publish(store, START);
  const positions = { late: begin + 20 * MINUTE, before: begin, behind: START };
  for (const [name, at] of Object.entries(positions)) {
    await store.remoteWrite.open(name, 0);
    await store.remoteWrite.saveBatch(name, batchTo(id, at));
    await store.remoteWrite.completeBatch(name, { accepted: 0, refused: 0, bytes: 0 });
  }
  // The first row is in the batch that is on its way, and so are all rows of another receiver.
  for (const [name, at] of Object.entries({ sending: begin + 20 * MINUTE, whole: START })) {
    await store.remoteWrite.open(name, 0);
    await store.remoteWrite.saveBatch(name, batchTo(id, at));
  }
  const { signal } = new AbortController();
  await store.maintain({ now, retention: RETENTION, accounts: ACCOUNTS, signal });
  for (const name of ['sending', 'whole'])
    await store.remoteWrite.completeBatch(name, { accepted: 0, refused: 0, bytes: 0 });
  const stateOf = async (name: string) => {
    const { position, counts } = await store.remoteWrite.open(name, 0);
    return [position.streams.get(id), counts.expired];
  };
  expect(await stateOf('late')).toEqual([START, 4]);
  expect(await stateOf('before')).toEqual([begin, 0]);
  expect(await stateOf('behind')).toEqual([START, 0]);
  expect(await stateOf('sending')).toEqual([START, 4]);
  expect(await stateOf('whole')).toEqual([START, 0]);
});

describe('a receiver that got nothing yet of a stream', () => {
  const hour = START - HOUR;

  /** Stores three buckets of an hour for each of two graphs, and users' use in it. Returns the streams. */
  const storeHour = async (store: Store, now: number): Promise<readonly PublishedStream[]> => {
    const minutes = [0, 20, 40].map((minute) => bucketAt(hour + minute * MINUTE, { bytes: 5, requests: 1 }));
    const streams: PublishedStream[] = [];
    for (const identity of [IDENTITY, { ...IDENTITY, name: 'shop' }]) {
      const graph = await store.traffic.openGraph(identity, hour, START);
      await store.traffic.saveWindow(graph.id, { buckets: [...minutes, bucketAt(now, {})], now });
      const key = { account: 'main', source: 'traffic', subject: publishedSubject(graph) } as const;
      streams.push(await store.publications.publish(key, START));
    }
    return streams;
  };

  const maintain = (store: Store, now: number, retention = RETENTION): Promise<unknown> =>
    store.maintain({ now, retention, accounts: ACCOUNTS, signal: new AbortController().signal });

  const stateOf = async (store: Store, name: string) => {
    const { position, counts } = await store.remoteWrite.open(name, 0);
    return [[...position.streams.values()], counts.expired];
  };

  it('is counted what a roll-up takes of its first hour, in every stream', async () => {
    using store = openStore(`${makeFolder()}/store.db`);
    const now = START + RETENTION.rawMs;
    const [account] = await storeHour(store, now);
    const starts = { within: hour + 20 * MINUTE, at: hour, before: hour - DAY, later: START };
    for (const [name, start] of Object.entries(starts)) await store.remoteWrite.open(name, start);
    // The first batch of a new receiver has the samples of the account, and none of the slice.
    await store.remoteWrite.open('sending', hour + 20 * MINUTE);
    await store.remoteWrite.saveBatch('sending', batchTo(account?.id ?? 0, START));
    await maintain(store, now);
    expect(await stateOf(store, 'within')).toEqual([[START, START], 8]);
    for (const name of ['at', 'before', 'later']) expect(await stateOf(store, name)).toEqual([[], 0]);
    expect(await stateOf(store, 'sending')).toEqual([[START], 4]);
  });

  // The period of an hour begins with the last listing before it, and its sample has the time of the hour.
  it('is counted what a roll-up takes of the use of users, also of an hour whose period begins before it', async () => {
    using test = new TestStore();
    const { store } = test;
    const midnight = START + 12 * HOUR;
    for (let at = midnight - 5 * MINUTE; at <= midnight + DAY; at += 55 * MINUTE)
      await poll(test, [user('a', at - START, 2 ** 40)], at);
    const key = { account: 'main', source: 'users', subject: 'residential' } as const;
    const { id } = await store.publications.publish(key, midnight + DAY);
    const begin = midnight + 20 * HOUR;
    await store.remoteWrite.open('a', begin);
    const now = midnight + 4 * DAY;
    await maintain(store, now, { rawMs: 2 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY });
    const hourly = await store.users.usage('main', begin, midnight + DAY);
    const sent = hourly.filter(({ productType, until }) => productType === 'residential' && until > begin);
    expect(sent.some(({ since }) => since < begin)).toBe(true);
    await maintain(store, now, { rawMs: 2 * DAY, hourlyMs: 2 * DAY, dailyMs: 400 * DAY });
    const { position, counts } = await store.remoteWrite.open('a', 0);
    expect([position.streams.get(id), counts.expired]).toEqual([midnight + DAY, sent.length]);
  });

  it('is counted what the retention deletes', async () => {
    using store = openStore(`${makeFolder()}/store.db`);
    const now = START + RETENTION.rawMs;
    await storeHour(store, now);
    await store.remoteWrite.open('before', hour - DAY);
    await store.remoteWrite.open('later', START + DAY);
    const retention = { rawMs: 2 * DAY, hourlyMs: 2 * DAY, dailyMs: 3 * DAY };
    await maintain(store, now, retention);
    const midnight = START - (START % DAY) + DAY;
    expect(await stateOf(store, 'before')).toEqual([[midnight, midnight], 4]);
    expect(await stateOf(store, 'later')).toEqual([[], 0]);
  });
});

it('a batch of a deleted account does not move a receiver past the rows of a new account', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const users = (account: string) => ({ account, source: 'users', subject: 'residential' }) as const;
  const { id } = await store.publications.publish(users('deleted'), START);
  await store.remoteWrite.open('a', START - DAY);
  await store.remoteWrite.saveBatch('a', batchTo(id, START));
  const { signal } = new AbortController();
  const now = START + 2 * RETENTION.dailyMs;
  await store.maintain({ now, retention: RETENTION, accounts: [], signal });
  expect(await store.publications.streams()).toEqual([]);
  await store.publications.publish(users('new'), START);
  await store.remoteWrite.completeBatch('a', { accepted: 2, refused: 0, bytes: 0 });
  expect((await store.remoteWrite.open('a', START)).position.streams).toEqual(new Map());
});
