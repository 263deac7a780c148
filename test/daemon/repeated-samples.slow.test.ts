// Tests that a receiver that loses accepted samples, as Prometheus does, has them after a second sending.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_KEPT } from '../../src/daemon/remote-write/deliver.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { rewindReceiver } from '../../src/store/sqlite/publication/receivers.ts';
import { RecordingReceiver, type Reply, samplesIn } from '../remote-write/recording-receiver.ts';
import { Harness } from '../support/harness.ts';

const START = '2026-07-06T12:01:30Z';

let receiver: RecordingReceiver;
beforeEach(async () => {
  receiver = await RecordingReceiver.start();
});
afterEach(() => receiver[Symbol.asyncDispose]());

/** The first pass sends two days of hours: more than 32 samples of a series. */
const build = (options: object = {}): Promise<Harness> =>
  Harness.build({
    ...{ now: START, scenario: { users: 2 }, account: { traffic: { interval: 'hour', graphs: [] } } },
    remoteWrite: [{ name: 'engine', url: receiver.url, start: '2d', ...options }],
  });

/** How often each sample arrived. */
const arrivals = (): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const sample of receiver.requests.flatMap(({ series }) => samplesIn(series)))
    counts.set(sample, (counts.get(sample) ?? 0) + 1);
  return counts;
};

const keptBy = async ({ app: { store } }: Harness) =>
  (await store.remoteWrite.open('engine', 0)).kept.samples;

const countsIn = async (harness: Harness): Promise<Record<string, number | undefined>> => {
  const samples = await harness.samples();
  const countOf = (result: string) =>
    samples.value('proxywatch_remote_write_samples_total', { receiver: 'engine', result });
  return { accepted: countOf('accepted'), refused: countOf('refused'), repeated: countOf('repeated') };
};

describe('a series of which a receiver got more than 32 samples at once', () => {
  it('is sent once more after ten minutes, and what follows it is not', async () => {
    await using harness = await build();
    await harness.advance(HOUR);
    const first = arrivals();
    const kept = await keptBy(harness);
    expect(kept).toBeGreaterThan(33);
    await harness.advance(9 * MINUTE);
    expect([...arrivals().values()].filter((count) => count > 1)).toEqual([]);
    await harness.advance(MINUTE);
    await harness.advance(MINUTE);
    expect([await keptBy(harness), [...arrivals().values()].filter((count) => count === 2).length]).toEqual([
      0,
      kept,
    ]);
    expect(await countsIn(harness)).toEqual({ accepted: first.size, refused: 0, repeated: kept });
    for (let hour = 0; hour < 3; hour += 1) await harness.advance(HOUR);
    expect([...arrivals().values()].filter((count) => count > 1)).toHaveLength(kept);
  });

  it('is sent once more after a restart, and its samples are counted once', async () => {
    await using harness = await build();
    await harness.advance(HOUR);
    const kept = await keptBy(harness);
    await harness.restart();
    for (let time = 0; time < 2; time += 1) await harness.advance(10 * MINUTE);
    // After a restart, proxywatch does not know whether more came before, and repeats the first batch.
    const repeated = [...arrivals().values()].filter((count) => count > 1);
    expect(repeated.length).toBeGreaterThanOrEqual(kept);
    const { counts } = await harness.app.store.remoteWrite.open('engine', 0);
    expect(counts).toMatchObject({ accepted: arrivals().size, refused: 0 });
  });

  it.each<[string, object, Reply]>([
    ['to VictoriaMetrics, which can store both', {}, { status: 204, headers: { 'x-server-hostname': 'vm' } }],
    ['without repeat_old', { repeat_old: false }, { status: 204 }],
  ])('is not sent once more %s', async (_, options, reply) => {
    receiver.respond = () => reply;
    await using harness = await build(options);
    for (let hour = 0; hour < 3; hour += 1) await harness.advance(HOUR);
    expect([...arrivals().values()].filter((count) => count > 1)).toEqual([]);
    expect(arrivals().size).toBeGreaterThan(33);
  });

  it('costs one request if the receiver has no window, and so refuses what it has', async () => {
    await using harness = await build();
    await harness.advance(HOUR);
    const stored = new Set(arrivals().keys());
    let repetitions = 0;
    receiver.respond = ({ series }) => {
      if (!samplesIn(series).some((sample) => stored.has(sample))) return { status: 204 };
      repetitions += 1;
      return { status: 400, text: 'out of order sample' };
    };
    await harness.advance(10 * MINUTE);
    await harness.advance(MINUTE);
    expect(repetitions).toBe(1);
    expect(await countsIn(harness)).toMatchObject({ refused: 0 });
    expect(harness.app.remoteWriting.writers[0]?.lastError).toBeUndefined();
  });
});

describe('samples that are kept to be sent once more', () => {
  const VICTORIA = { status: 204, headers: { 'x-server-hostname': 'vm' } };

  it('are dropped if their receiver was replaced by VictoriaMetrics, which gets them by a rewind', async () => {
    await using harness = await build();
    await harness.advance(HOUR);
    receiver.requests.length = 0;
    receiver.respond = () => VICTORIA;
    const since = harness.clock.now() - 3 * DAY;
    await harness.stop();
    const rewound = await rewindReceiver(harness.storePath, 'engine', since);
    expect(rewound).toBeDefined();
    await harness.start();
    for (let time = 0; time < 3; time += 1) await harness.advance(10 * MINUTE);
    expect([await keptBy(harness), [...arrivals().values()].filter((count) => count > 1)]).toEqual([0, []]);
    expect(arrivals().size).toBeGreaterThan(33);
    expect(await countsIn(harness)).toMatchObject({ repeated: 0 });
  });

  it('are dropped if the configuration does not want them', async () => {
    await using harness = await build();
    await harness.advance(HOUR);
    expect(await keptBy(harness)).toBeGreaterThan(33);
    const { app, settings } = harness;
    const remote_write = settings.remote_write.map((each) => ({ ...each, repeat_old: false }));
    await app.remoteWriting.configure({ ...settings, remote_write });
    for (let time = 0; time < 2; time += 1) await harness.advance(10 * MINUTE);
    expect([await keptBy(harness), [...arrivals().values()].filter((count) => count > 1)]).toEqual([0, []]);
  });
});

it('a receiver for which very many samples are kept waits for more until they are sent', async () => {
  await using harness = await build();
  await harness.advance(HOUR);
  await harness.advance(11 * MINUTE);
  const { remoteWrite } = harness.app.store;
  const at = harness.clock.now();
  await remoteWrite.saveBatch('engine', {
    ...{ body: Buffer.from('[]'), samples: 0, at },
    next: { streams: new Map(), correction: 0 },
  });
  const many = {
    body: Buffer.from('[]'),
    samples: MAX_KEPT,
    firstAt: at,
    at,
    waitMs: HOUR,
    isRepeat: true,
  };
  await remoteWrite.completeBatch('engine', { accepted: 1, refused: 0, bytes: 0 }, [many]);
  receiver.requests.length = 0;
  for (const minutes of [30, 29]) await harness.advance(minutes * MINUTE);
  const lag = (await harness.samples()).value('proxywatch_remote_write_lag_seconds', { receiver: 'engine' });
  expect([receiver.requests, lag]).toEqual([[], expect.toSatisfy((seconds: number) => seconds > 0)]);
  await harness.advance(MINUTE);
  await harness.advance(MINUTE);
  expect(receiver.requests.length).toBeGreaterThan(0);
});

it('a receiver that fails at a second sending shows since when, and gets it when it works again', async () => {
  await using harness = await build();
  await harness.advance(HOUR);
  const kept = await keptBy(harness);
  receiver.respond = () => ({ status: 503 });
  await harness.advance(10 * MINUTE);
  const since = harness.clock.now();
  await harness.advance(20 * MINUTE);
  expect(harness.app.remoteWriting.writers.map(({ waitingSince }) => waitingSince)).toEqual([since]);
  receiver.respond = () => ({ status: 204 });
  receiver.requests.length = 0;
  for (let time = 0; time < 2; time += 1) await harness.advance(HOUR);
  expect([...arrivals().values()].length).toBeGreaterThanOrEqual(kept);
  expect(harness.app.remoteWriting.writers.map(({ waitingSince }) => waitingSince)).toEqual([null]);
});
