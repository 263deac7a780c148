// Tests that receivers of remote write get the same of an account that moves as of one that stays.

import { expect, test } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import type { Series } from '../../../src/remote-write/series.ts';
import { RecordingReceiver } from '../../remote-write/recording-receiver.ts';
import { Harness } from '../../support/harness.ts';
import { moveAccount } from './move-account.ts';

const NOW = '2026-07-06T12:01:30Z';
const HOURLY = { schedule: '0 * * * *' };
const TRAFFIC = { ...HOURLY, reread: '1h', deep_reread: { ...HOURLY, span: '1d' }, graphs: [] };
const ACCOUNT = { traffic: TRAFFIC, residential_ledger: HOURLY, proxy_users: false };

/** Averages and maxima have no corrections, so a value that was revised meanwhile is another one when it is sent again. */
const HAS_CORRECTIONS = /_(bytes|requests)$/;

const isCompared = (labels: Series['labels']): boolean =>
  labels.some(([, text]) => text === 'main') && labels.some(([, text]) => HAS_CORRECTIONS.test(text));

/** Sums of the account, by labels and time. A sample may come again, but never changed. */
const samplesAt = (...receivers: readonly RecordingReceiver[]): Map<string, number> => {
  const samples = new Map<string, number>();
  for (const { series } of receivers.flatMap(({ accepted }) => accepted))
    for (const { labels, samples: ofSeries } of series)
      for (const { at, value } of isCompared(labels) ? ofSeries : []) {
        const key = JSON.stringify([at, labels]);
        expect([key, samples.get(key) ?? value]).toEqual([key, value]);
        samples.set(key, value);
      }
  return samples;
};

const hours = async (count: number, first: Harness, ...others: readonly Harness[]): Promise<void> => {
  for (let hour = 0; hour < count; hour += 1) {
    await first.advance(HOUR);
    for (const other of others) await other.advance(0);
  }
};

test('an account that moves to a younger store loses no sample and no correction', {
  timeout: 120_000,
}, async () => {
  await using engine = await RecordingReceiver.start();
  await using twinEngine = await RecordingReceiver.start();
  const remoteWrite = (url: string, start: string) => [{ name: 'engine', url, start }];
  const scenario = {
    start: '2026-07-01T00:00:00Z',
    users: 2,
    traffic: { revised: { ratio: 0.2, longest_minutes: 300 } },
  };
  await using source = await Harness.build({
    ...{ now: NOW, scenario, account: ACCOUNT, remoteWrite: remoteWrite(engine.url, '1d') },
  });
  const shared = { now: '', simulator: source.simulator, clock: source.clock };
  await hours(4, source);
  // The receiver is down when a graph is added, so its stream has no position of its own yet.
  engine.respond = () => ({ status: 503 });
  const graphs = [{ name: 'shop', hostname: 'shop.example' }];
  const account = { ...ACCOUNT, traffic: { ...TRAFFIC, graphs } };
  await source.restart(account);
  await using target = await Harness.build({
    ...{ ...shared, account: { ...ACCOUNT, name: 'other' }, remoteWrite: remoteWrite(engine.url, 'now') },
  });
  await hours(2, source, target);
  const copy = await moveAccount(source, target);
  const movedAt = source.clock.now();
  engine.respond = () => ({ status: 204 });
  const before = samplesAt(engine).size;
  await using twin = await Harness.build({
    ...{ ...shared, account, storeFile: copy, remoteWrite: remoteWrite(twinEngine.url, '1d') },
  });
  await target.restart({ ...account, name: 'main' });
  await hours(4, twin, target);

  const [moved, stayed] = [samplesAt(engine), samplesAt(engine, twinEngine)];
  expect(moved.size).toBeGreaterThan(before);
  expect([...stayed.keys()].filter((key) => !moved.has(key))).toEqual([]);
  const isEarly = (key: string): boolean => (JSON.parse(key)[0] as number) < movedAt - 2 * HOUR;
  const after = [...samplesAt(twinEngine).keys()].filter(isEarly);
  expect(after.filter((key) => key.includes('"revision"')).length).toBeGreaterThan(0);
  expect(after.filter((key) => key.includes('"shop"')).length).toBeGreaterThan(0);
});

test.each([
  ['America/New_York', '2026-07-06T23:30:00Z'],
  ['Europe/Berlin', '2026-07-05T22:30:00Z'],
])(
  'a receiver that got nothing before the move gets the same days of the ledger in %s, from %s and %s on',
  {
    timeout: 120_000,
  },
  async (time_zone, now) => {
    await using engine = await RecordingReceiver.start();
    await using twinEngine = await RecordingReceiver.start();
    engine.respond = () => ({ status: 503 });
    const account = { ...ACCOUNT, traffic: false, time_zone };
    const remoteWrite = (url: string) => [{ name: 'engine', url, start: 'now' }];
    const scenario = { start: '2026-07-01T00:00:00Z', users: 2 };
    await using source = await Harness.build({
      now,
      scenario,
      account,
      remoteWrite: remoteWrite(engine.url),
    });
    const shared = { now: '', simulator: source.simulator, clock: source.clock };
    await using target = await Harness.build({
      ...{ ...shared, account: { ...account, name: 'other' }, remoteWrite: remoteWrite(engine.url) },
    });
    await hours(2, source, target);
    const copy = await moveAccount(source, target);
    engine.respond = () => ({ status: 204 });
    await using twin = await Harness.build({
      ...{ ...shared, account, storeFile: copy, remoteWrite: remoteWrite(twinEngine.url) },
    });
    await target.restart({ ...account, name: 'main' });
    await hours(60, twin, target);
    const [moved, stayed] = [samplesAt(engine), samplesAt(twinEngine)];
    expect(stayed.size).toBeGreaterThan(0);
    expect([...moved.keys()].toSorted()).toEqual([...stayed.keys()].toSorted());
  },
);
