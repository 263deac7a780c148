// Tests that receivers of remote write get the stored history to the byte, with late data, outages and restarts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { Series } from '../../src/remote-write/series.ts';
import { StoreError } from '../../src/store/errors.ts';
import { publishedSubject } from '../../src/store/traffic-store.ts';
import { findingValues } from '../alerts/findings.ts';
import { RecordingReceiver } from '../remote-write/recording-receiver.ts';
import { Harness } from '../support/harness.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const START = '2026-07-06T12:01:30Z';
const BYTES = 'proxywatch_history_traffic_bytes';

let receiver: RecordingReceiver;
beforeEach(async () => {
  receiver = await RecordingReceiver.start();
});
afterEach(() => receiver[Symbol.asyncDispose]());

/** Hours and few users make few samples, so that the tests are fast. */
const HOURS = { interval: 'hour', graphs: [] };
/** For tests that need many samples. */
const MINUTES = { catch_up: '2d', graphs: [] };

const build = (options: object = {}, receiverOptions: object = {}): Promise<Harness> =>
  Harness.build({
    ...{ now: START, scenario: { users: 2 }, account: { traffic: HOURS } },
    remoteWrite: [{ name: 'engine', url: receiver.url, start: '2d', ...receiverOptions }],
    ...options,
  });

/** Samples that the receiver accepted, by name, labels and time. Each of them may come again, but never changed. */
const acceptedSamples = (): Map<string, number> => {
  const samples = new Map<string, number>();
  // There are so many samples that an expectation for each takes most of the time of a test.
  const changed: string[] = [];
  for (const { series } of receiver.accepted)
    for (const { labels, samples: ofSeries } of series)
      for (const { at, value } of ofSeries) {
        const key = JSON.stringify([labels, at]);
        if ((samples.get(key) ?? value) !== value) changed.push(key);
        samples.set(key, value);
      }
  expect(changed).toEqual([]);
  return samples;
};

/** Samples of a series, by labels and time. */
const keysOf = ({ labels, samples }: Series): string[] =>
  samples.map(({ at }) => JSON.stringify([labels, at]));

const labelOf = ({ labels }: Series, name: string): string | undefined =>
  labels.find(([label]) => label === name)?.[1];

const sumOf = (name: string, isIncluded: (series: Series) => boolean = () => true): number =>
  [...acceptedSamples()].reduce((sum, [key, value]) => {
    const [labels, at] = JSON.parse(key) as [Series['labels'], number];
    const series = { labels, samples: [{ at, value }] };
    return labelOf(series, '__name__') === name && isIncluded(series) ? sum + value : sum;
  }, 0);

/** The bytes of the account's traffic that are published and not older than the receiver's start. */
const publishedBytes = async ({ app: { store } }: Harness): Promise<number> => {
  const { start } = await store.remoteWrite.open('engine', 0);
  const [graph] = (await store.traffic.graphs('main')).filter(({ name }) => name === '');
  const [stream] = (await store.publications.streams()).filter(({ subject }) => subject.startsWith(' '));
  let sum = 0;
  for await (const { bytes } of store.traffic.history(graph?.id ?? 0, start, stream?.until ?? 0))
    sum += bytes ?? 0;
  return sum;
};

/** The times of the account's published buckets that are not older than the receiver's start. */
const publishedTimes = async ({ app: { store } }: Harness): Promise<number[]> => {
  const { start } = await store.remoteWrite.open('engine', 0);
  const [graph] = (await store.traffic.graphs('main')).filter(({ name }) => name === '');
  const [stream] = (await store.publications.streams()).filter(({ subject }) => subject.startsWith(' '));
  const history = store.traffic.history(graph?.id ?? 0, start, stream?.until ?? 0);
  const times: number[] = [];
  for await (const { at } of history) times.push(at);
  return times;
};

const acceptedTimes = (name: string): number[] =>
  [...acceptedSamples().keys()]
    .map((key) => JSON.parse(key) as [Series['labels'], number])
    .flatMap(([labels, at]) => (labelOf({ labels, samples: [] }, '__name__') === name ? [at] : []))
    .toSorted((a, b) => a - b);

const hours = async (harness: Harness, count: number): Promise<void> => {
  for (let hour = 0; hour < count; hour += 1) await harness.advance(HOUR);
};

it('a receiver gets the settled traffic of the account to the byte', async () => {
  await using harness = await build();
  await hours(harness, 6);
  const truth = await publishedBytes(harness);
  expect(truth).toBeGreaterThan(0);
  expect(sumOf(BYTES)).toBe(truth);
  const samples = await harness.samples();
  expect(samples.value('proxywatch_remote_write_lag_seconds', { receiver: 'engine' })).toBe(0);
  expect(
    samples.value('proxywatch_remote_write_samples_total', { receiver: 'engine', result: 'accepted' }),
  ).toBe(acceptedSamples().size);
});

it('a correction of a published bucket is a sample of a series with a revision', async () => {
  await using harness = await build();
  await hours(harness, 4);
  const before = sumOf(BYTES);
  const { store } = harness.app;
  const [graph] = (await store.traffic.graphs('main')).filter(({ name }) => name === '');
  const [stream] = (await store.publications.streams()).filter(({ subject }) => subject.startsWith(' '));
  const at = (stream?.until ?? 0) - HOUR;
  const [first] = await store.traffic.buckets(graph?.id ?? 0, at, at + HOUR);
  if (!first) throw new Error('the store has no bucket to correct');
  for (const bytes of [(first.bytes ?? 0) + 500, (first.bytes ?? 0) + 300])
    await store.traffic.saveWindow(graph?.id ?? 0, {
      buckets: [{ ...first, bytes }],
      now: harness.clock.now(),
    });
  await harness.advance(MINUTE);
  const revisions = (revision: string) => sumOf(BYTES, (series) => labelOf(series, 'revision') === revision);
  expect([revisions('1'), revisions('2')]).toEqual([500, -200]);
  expect(sumOf(BYTES)).toBe(await publishedBytes(harness));
  expect(sumOf(BYTES)).toBeGreaterThan(before);
});

it('a receiver that does not take version 2.0 gets everything in version 1.0, which is logged once', async () => {
  const lines: LogLine[] = [];
  await using harness = await build({ log: recordingLog(lines) }, { protocol: 2 });
  const isVersion2 = (version: unknown): boolean => version === '2.0.0';
  receiver.respond = ({ headers }) => ({
    status: isVersion2(headers['x-prometheus-remote-write-version']) ? 415 : 204,
  });
  await hours(harness, 4);
  expect(sumOf(BYTES)).toBe(await publishedBytes(harness));
  const versions = receiver.requests.map(({ headers }) => headers['x-prometheus-remote-write-version']);
  expect(versions.filter(isVersion2)).toHaveLength(1);
  const said = lines.filter(({ message }) => message.includes('remote write 2.0'));
  expect(said).toMatchObject([
    { fields: { reason: 'answered 415 to remote write 2.0', receiver: 'engine' } },
  ]);
});

describe('a receiver that does not take requests', () => {
  it('gets the stored batch again after a restart, byte for byte, and then the rest', async () => {
    const lines: LogLine[] = [];
    await using harness = await build({ log: recordingLog(lines) });
    receiver.respond = () => ({ status: 503, text: 'starting' });
    await hours(harness, 2);
    const refused = receiver.requests.at(-1);
    const lag = (await harness.samples()).value('proxywatch_remote_write_lag_seconds', {
      receiver: 'engine',
    });
    expect(lag).toBeGreaterThanOrEqual(HOUR / SECOND);
    expect(lines.filter(({ message }) => message.includes('does not take requests'))).toHaveLength(1);
    await harness.stop();
    receiver.requests.length = 0;
    receiver.respond = () => ({ status: 204 });
    await harness.start();
    await hours(harness, 1);
    expect(receiver.requests[0]?.body.equals(refused?.body ?? Buffer.of())).toBe(true);
    expect(sumOf(BYTES)).toBe(await publishedBytes(harness));
  });

  it('fires an alert after a while, and delays no poll', async () => {
    await using harness = await build({ alerts: { evaluate: true } });
    receiver.respond = () => ({ status: 503 });
    await harness.advance(HOUR);
    const polled = (await harness.app.store.traffic.graphs('main')).map(({ watermark }) => watermark);
    await harness.advance(HOUR);
    const later = (await harness.app.store.traffic.graphs('main')).map(({ watermark }) => watermark);
    expect(later.every((watermark, index) => (watermark ?? 0) > (polled[index] ?? 0))).toBe(true);
    expect(await findingValues(harness, 'RemoteWriteFailing')).toEqual({
      engine: expect.toSatisfy((seconds: number) => seconds >= HOUR / SECOND),
    });
  });
});

it('refused samples are dropped, counted, said once a day with the reason, and reported if all are', async () => {
  const log: LogLine[] = [];
  await using harness = await build({ log: recordingLog(log), account: { traffic: MINUTES } });
  receiver.respond = () => ({ status: 400, text: 'out of bounds' });
  await hours(harness, 4);
  const refused = (await harness.samples()).value('proxywatch_remote_write_samples_total', {
    ...{ receiver: 'engine', result: 'refused' },
  });
  expect(refused).toBeGreaterThan(1_000);
  const lines = log.filter(({ message }) => message.includes('refuses samples'));
  expect(lines).toMatchObject([{ fields: { reason: expect.stringContaining('out of bounds') } }]);
  expect(Object.keys(await findingValues(harness, 'RemoteWriteFailing'))).toEqual(['engine']);
  receiver.respond = () => ({ status: 204 });
  await hours(harness, 1);
  expect(await findingValues(harness, 'RemoteWriteFailing')).toEqual({});
});

/** Changes the newest published bucket of a graph to these bytes more, as a late answer of the provider does. */
const correct = async ({ app: { store }, clock }: Harness, name: string, more: number): Promise<void> => {
  const [graph] = (await store.traffic.graphs('main')).filter((each) => each.name === name);
  const stream = (await store.publications.streams()).find(
    ({ subject }) => graph && subject === publishedSubject(graph),
  );
  const at = (stream?.until ?? 0) - HOUR;
  const [bucket] = await store.traffic.buckets(graph?.id ?? 0, at, at + HOUR);
  if (!graph || !bucket) throw new Error('the store has no bucket to correct');
  const buckets = [{ ...bucket, bytes: (bucket.bytes ?? 0) + more }];
  await store.traffic.saveWindow(graph.id, { buckets, now: clock.now() });
};

it.each([[true], [false]])(
  'a correction of a graph that is not configured any more is counted as expired once; another waits: %s',
  async (hasOther) => {
    await using harness = await build({
      account: { traffic: { ...HOURS, graphs: [{ name: 'shop', hostname: 'shop.example' }] } },
    });
    await hours(harness, 4);
    receiver.respond = () => ({ status: 503 });
    await correct(harness, 'shop', 500);
    if (hasOther) await correct(harness, '', 300);
    await harness.restart({ traffic: HOURS });
    receiver.respond = () => ({ status: 204 });
    for (let time = 0; time < 2; time += 1) {
      await harness.advance(MINUTE);
      await harness.advance(MINUTE);
      const { counts } = await harness.app.store.remoteWrite.open('engine', 0);
      expect(counts.expired).toBe(1);
      await harness.restart();
    }
    expect(sumOf(BYTES, (series) => labelOf(series, 'revision') === '1')).toBe(hasOther ? 300 : 0);
  },
);

it('external labels are in each series, also beside a second receiver without them', async () => {
  await using other = await RecordingReceiver.start();
  await using harness = await build({
    remoteWrite: [
      { name: 'engine', url: receiver.url, start: '1d', external_labels: { region: 'eu' } },
      { name: 'other', url: other.url, start: '1d' },
    ],
  });
  await hours(harness, 1);
  const regionsIn = ({ accepted }: RecordingReceiver) => [
    ...new Set(accepted.flatMap(({ series }) => series.map((each) => labelOf(each, 'region')))),
  ];
  expect([regionsIn(receiver), regionsIn(other)]).toEqual([['eu'], [undefined]]);
});

describe('a reload', () => {
  const reload = (harness: Harness, receivers: readonly object[]): Promise<void> => {
    const remote_write = settingsSchema.shape.remote_write.parse(receivers);
    return harness.app.remoteWriting.configure({ ...harness.settings, remote_write });
  };

  it('with another address of a receiver goes on where the receiver was', async () => {
    await using harness = await build();
    await hours(harness, 3);
    const before = acceptedSamples();
    receiver.accepted.length = 0;
    await using moved = await RecordingReceiver.start();
    await reload(harness, [{ name: 'engine', url: moved.url, start: '2d' }]);
    await hours(harness, 2);
    expect(receiver.accepted).toEqual([]);
    const after = moved.accepted.flatMap(({ series }) => series.flatMap(keysOf));
    expect(after.length).toBeGreaterThan(0);
    expect(after.filter((key) => before.has(key))).toEqual([]);
  });

  it('that adds a receiver sends it the stored history, and the other receiver nothing again', async () => {
    await using harness = await build();
    await hours(harness, 3);
    const before = acceptedSamples();
    receiver.requests.length = 0;
    await using added = await RecordingReceiver.start();
    await reload(harness, [
      { name: 'engine', url: receiver.url, start: '2d' },
      { name: 'added', url: added.url, start: '3d' },
    ]);
    await harness.advance(MINUTE);
    const keys = new Set(added.accepted.flatMap(({ series }) => series.flatMap(keysOf)));
    expect([...before.keys()].filter((key) => !keys.has(key))).toEqual([]);
    const again = receiver.requests.flatMap(({ series }) => series.flatMap(keysOf));
    expect(again.filter((key) => before.has(key))).toEqual([]);
  });

  it('that fails at the store stops no receiver for good', async () => {
    await using harness = await build();
    await hours(harness, 3);
    const { remoteWrite } = harness.app.store;
    const { keepOnly } = remoteWrite;
    remoteWrite.keepOnly = () => Promise.reject(new StoreError('failed', 'disk I/O error'));
    await expect(reload(harness, [])).rejects.toThrow('disk I/O error');
    remoteWrite.keepOnly = keepOnly;
    await reload(harness, [{ name: 'engine', url: receiver.url, start: '2d' }]);
    receiver.requests.length = 0;
    await hours(harness, 2);
    expect(receiver.requests.length).toBeGreaterThan(0);
  });

  it('that removes a receiver forgets it, so that it begins at its start when it is added again', async () => {
    await using harness = await build();
    await hours(harness, 3);
    const before = acceptedSamples();
    await reload(harness, []);
    receiver.accepted.length = 0;
    await hours(harness, 1);
    expect(receiver.accepted).toEqual([]);
    await reload(harness, [{ name: 'engine', url: receiver.url, start: '3d' }]);
    await harness.advance(MINUTE);
    const after = acceptedSamples();
    expect([...before.keys()].filter((key) => !after.has(key))).toEqual([]);
  });
});

it('a receiver that never answers delays neither polls nor the end of the daemon', async () => {
  await using harness = await build();
  const requested = Promise.withResolvers<void>();
  receiver.respond = () => void requested.resolve();
  harness.clock.advance(HOUR);
  harness.app.runner.tick();
  await harness.app.runner.idle();
  harness.app.remoteWriting.tick();
  await requested.promise;
  const [before] = await harness.app.store.traffic.graphs('main');
  harness.clock.advance(HOUR);
  harness.app.runner.tick();
  await harness.app.runner.idle();
  const [after] = await harness.app.store.traffic.graphs('main');
  expect(after?.watermark).toBeGreaterThan(before?.watermark ?? 0);
  await harness.stop();
  receiver.respond = () => ({ status: 204 });
  await harness.start();
  await harness.advance(MINUTE);
  const [unanswered, again] = receiver.requests;
  expect(again?.body.equals(unanswered?.body ?? Buffer.of())).toBe(true);
});

it('corrections of rows before its start delay a receiver no longer than a batch', async () => {
  await using harness = await build({ account: { traffic: MINUTES } }, { start: 'now' });
  await hours(harness, 6);
  const { store } = harness.app;
  const [graph] = (await store.traffic.graphs('main')).filter(({ name }) => name === '');
  const { start } = await store.remoteWrite.open('engine', 0);
  const buckets = await store.traffic.buckets(graph?.id ?? 0, start - DAY, start);
  for (let revision = 1; revision * buckets.length <= 12_000; revision += 1)
    await store.traffic.saveWindow(graph?.id ?? 0, {
      buckets: buckets.map((bucket) => ({ ...bucket, bytes: (bucket.bytes ?? 0) + revision })),
      now: harness.clock.now(),
    });
  await correct(harness, '', 700);
  await harness.advance(MINUTE);
  expect(sumOf(BYTES, (series) => labelOf(series, 'revision') === '1')).toBe(700);
});

it('a receiver that is behind gets the rows that another time zone makes proxywatch read again', async () => {
  await using harness = await build({ account: { traffic: { graphs: [] } } });
  receiver.respond = () => ({ status: 503 });
  await hours(harness, 6);
  harness.simulator.faults.add({ kind: 'status', status: 500 });
  await harness.restart({ time_zone: 'Europe/Berlin' });
  receiver.respond = () => ({ status: 204 });
  await hours(harness, 2);
  harness.simulator.faults.clear();
  await hours(harness, 6);
  expect(acceptedTimes(BYTES)).toEqual(await publishedTimes(harness));
});
