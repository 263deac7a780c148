// Tests that a receiver gets what the store has of its history, and that the rest is counted, when the store rolls it up.

import { expect, it } from 'vitest';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { RecordingReceiver } from '../remote-write/recording-receiver.ts';
import { Harness } from '../support/harness.ts';

const START = '2026-07-06T12:01:30Z';

const TRAFFIC = {
  ...{ schedule: '5-55/15 * * * *', catch_up: '20h', reread: '2h' },
  deep_reread: { schedule: '35 4 * * *', span: '1d' },
  graphs: [{ name: 'shop', hostname: 'shop.example' }],
};

interface FoundSample {
  readonly name: string;
  /** The slice; empty for the account. */
  readonly graph: string;
  readonly at: number;
  readonly value: number;
}

/** Samples of first values and of corrections that the receiver accepted; one that came twice counts once. */
const samplesOf = ({ accepted }: RecordingReceiver): readonly FoundSample[] => {
  const found = new Map<string, FoundSample>();
  for (const { labels, samples } of accepted.flatMap(({ series }) => series)) {
    const { __name__: name = '', graph = '' } = Object.fromEntries(labels);
    for (const { at, value } of samples) found.set(JSON.stringify([labels, at]), { name, graph, at, value });
  }
  return [...found.values()];
};

const hourOf = ({ graph, at }: FoundSample): string => JSON.stringify([graph, Math.floor(at / HOUR)]);

const bytesByHour = (samples: readonly FoundSample[]): ReadonlyMap<string, readonly FoundSample[]> =>
  Map.groupBy(
    samples.filter(({ name }) => /_(traffic|graph)_bytes$/.test(name)),
    hourOf,
  );

const sum = (samples: readonly FoundSample[]): number => samples.reduce((all, { value }) => all + value, 0);

const receiver = (name: string, { url }: RecordingReceiver, start: string) => ({ name, url, start });

const hours = async (harness: Harness, count: number): Promise<void> => {
  for (let hour = 0; hour < count; hour += 1) await harness.advance(HOUR);
};

it('a receiver that is down until its first hour is rolled up has everything but what is counted as expired', async () => {
  await using up = await RecordingReceiver.start();
  await using down = await RecordingReceiver.start();
  down.respond = () => ({ status: 503 });
  await using harness = await Harness.build({
    now: START,
    retention: { raw: '1d', hourly: '30d' },
    account: { traffic: TRAFFIC, proxy_users: false, residential_ledger: false },
    remoteWrite: [receiver('up', up, '19h'), receiver('down', down, '19h')],
  });
  await hours(harness, 16);
  down.respond = () => ({ status: 204 });
  await hours(harness, 1);
  const { start, counts } = await harness.app.store.remoteWrite.open('down', 0);
  expect(start).toBe(Date.parse(START) - 19 * HOUR);
  const [all, got] = [samplesOf(up), samplesOf(down)];
  const gotByHour = bytesByHour(got);
  const lacking = [...bytesByHour(all)].filter(
    ([hour, samples]) => sum(samples) !== sum(gotByHour.get(hour) ?? []),
  );
  // The first batch ends within an hour of the account, and has nothing of the slice.
  const first = Math.floor(start / HOUR);
  expect(lacking.map(([hour]) => JSON.parse(hour)[0])).toEqual(['', 'shop']);
  expect(lacking.map(([hour]) => JSON.parse(hour)[1])).toEqual([expect.toSatisfy((at) => at > first), first]);
  const present = new Set(got.map(({ name, graph, at }) => JSON.stringify([name, graph, at])));
  const missing = all.filter(
    (sample) =>
      lacking.some(([hour]) => hour === hourOf(sample)) &&
      !present.has(JSON.stringify([sample.name, sample.graph, sample.at])),
  );
  expect(counts.expired).toBe(missing.length);
});

it('a receiver that begins in a day that an earlier retention rolled up gets the whole day', async () => {
  await using engine = await RecordingReceiver.start();
  await using harness = await Harness.build({
    ...{ now: START, scenario: { users: 2 } },
    retention: { raw: '1d', hourly: '1d' },
    account: { traffic: TRAFFIC, proxy_users: { schedule: '*/15 * * * *' } },
  });
  await hours(harness, 60);
  const { store } = harness.settings;
  const raised = { ...store, retention: { raw: 8 * DAY, hourly: 60 * DAY, daily: 400 * DAY } };
  const remote_write = settingsSchema.shape.remote_write.parse([receiver('engine', engine, '50h')]);
  await harness.app.reconfigure({ ...harness.settings, store: raised, remote_write });
  await harness.advance(HOUR);
  const midnight = Date.parse('2026-07-06T00:00:00Z');
  const graphs = await harness.app.store.traffic.graphs('main');
  let truth = 0;
  const until = (await harness.app.store.publications.streams()).find(({ subject }) =>
    subject.startsWith(' '),
  );
  for (const { id } of graphs.filter(({ name }) => name === ''))
    for await (const { bytes } of harness.app.store.traffic.history(id, midnight, until?.until ?? 0))
      truth += bytes ?? 0;
  expect(truth).toBeGreaterThan(0);
  expect(sum([...bytesByHour(samplesOf(engine)).values()].flat().filter(({ graph }) => graph === ''))).toBe(
    truth,
  );
});
