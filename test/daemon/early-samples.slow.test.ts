// Tests that a receiver whose clock is behind gets everything when its clock has reached it, also after a restart.

import { expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { RecordingReceiver, type Responder } from '../remote-write/recording-receiver.ts';
import { Harness } from '../support/harness.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const START = '2026-07-06T12:01:30Z';
const BEHIND_MS = 5 * HOUR;

/** Answers as Prometheus 3 whose clock is behind. */
const behind =
  (now: () => number, behindMs: number): Responder =>
  ({ series }) => {
    const clock = now() - behindMs;
    const isTooNew = series.some(({ samples }) => samples.some(({ at }) => at > clock + 10 * MINUTE));
    if (!isTooNew) return { status: 204 };
    const headers = { date: new Date(clock).toUTCString() };
    return { ...{ status: 400, headers }, text: 'out of bounds: timestamp is too far in the future' };
  };

const hours = async (harness: Harness, count: number): Promise<void> => {
  for (let hour = 0; hour < count; hour += 1) await harness.advance(HOUR);
};

it('a receiver whose clock is five hours behind gets everything in time, and nothing is refused', async () => {
  await using receiver = await RecordingReceiver.start();
  await using other = await RecordingReceiver.start();
  const lines: LogLine[] = [];
  await using harness = await Harness.build({
    ...{ now: START, scenario: { users: 2 }, account: { traffic: { interval: 'hour', graphs: [] } } },
    ...{ log: recordingLog(lines), alerts: { evaluate: true } },
    remoteWrite: [
      { name: 'engine', url: receiver.url, start: '1d' },
      { name: 'other', url: other.url, start: '1d' },
    ],
  });
  receiver.respond = behind(() => harness.clock.now(), BEHIND_MS);
  await hours(harness, 6);
  const [first] = await waiting(harness);
  expect(first).toBeGreaterThan(0);
  expect(storedBy(receiver)).toHaveLength(storedBy(other).length - (first ?? 0));
  // Once for all six hours.
  const said = lines.filter(({ message, fields: { reason } }) =>
    /too new|behind/.test(`${message} ${reason}`),
  );
  expect(said).toMatchObject([
    {
      fields: {
        receiver: 'engine',
        reason: expect.stringMatching(
          /^answered 400: out of bounds: timestamp is too far in the future; \d+ samples wait for the clock of the receiver, which is 5h behind$/,
        ),
      },
    },
  ]);
  const [engine] = harness.app.remoteWriting.writers;
  expect(engine?.lastError).toContain(
    `${first} samples wait for the clock of the receiver, which is 5h behind`,
  );
  await harness.restart();
  receiver.respond = behind(() => harness.clock.now(), 0);
  await hours(harness, 2);
  expect(await waiting(harness)).toEqual([0, 0]);
  expect(storedBy(receiver)).toEqual(storedBy(other));
  expect(
    harness.app.remoteWriting.writers.map(({ lastError, waitingSince }) => [lastError, waitingSince]),
  ).toEqual([
    [undefined, null],
    [undefined, null],
  ]);
  const { counts } = await harness.app.store.remoteWrite.open('engine', 0);
  expect(counts).toMatchObject({ accepted: storedBy(receiver).length, refused: 0, expired: 0 });
});

it('a receiver whose clock is years behind waits with all samples, which its lag shows', async () => {
  await using receiver = await RecordingReceiver.start();
  await using harness = await Harness.build({
    ...{ now: START, scenario: { users: 2 }, account: { traffic: { interval: 'hour', graphs: [] } } },
    remoteWrite: [{ name: 'engine', url: receiver.url, start: '1d' }],
  });
  receiver.respond = behind(() => harness.clock.now(), 5_000 * 24 * HOUR);
  await hours(harness, 3);
  for (const _ of [1, 2]) {
    const samples = await harness.samples();
    const lag = samples.value('proxywatch_remote_write_lag_seconds', { receiver: 'engine' });
    expect(lag).toBeGreaterThanOrEqual(HOUR / 1_000);
    await harness.restart();
  }
  expect(receiver.stored).toEqual([]);
});

const lagIn = async (harness: Harness): Promise<number | undefined> =>
  (await harness.samples()).value('proxywatch_remote_write_lag_seconds', { receiver: 'engine' });

it('a receiver whose clock is behind, but which accepts samples each hour, has not waited since before a restart', async () => {
  await using receiver = await RecordingReceiver.start();
  await using harness = await Harness.build({
    ...{ now: START, scenario: { users: 2 }, account: { traffic: { interval: 'hour', graphs: [] } } },
    remoteWrite: [{ name: 'engine', url: receiver.url, start: '1d' }],
  });
  receiver.respond = behind(() => harness.clock.now(), BEHIND_MS);
  await hours(harness, 8);
  expect(await lagIn(harness)).toBeLessThanOrEqual(HOUR / SECOND);
  await harness.restart();
  expect(await lagIn(harness)).toBeUndefined();
  for (let hour = 0; hour < 3; hour += 1) {
    await harness.advance(HOUR);
    expect(await lagIn(harness)).toBeLessThanOrEqual(HOUR / SECOND);
  }
});

it('a receiver that refused everything has taken nothing since then when samples are too new for its clock', async () => {
  await using receiver = await RecordingReceiver.start();
  await using harness = await Harness.build({
    ...{ now: START, scenario: { users: 2 }, account: { traffic: { interval: 'hour', graphs: [] } } },
    remoteWrite: [{ name: 'engine', url: receiver.url, start: '1d' }],
  });
  await hours(harness, 1);
  receiver.respond = () => ({ status: 400, text: 'too old sample' });
  await hours(harness, 3);
  expect(await lagIn(harness)).toBe((2 * HOUR) / SECOND);
  receiver.respond = behind(() => harness.clock.now(), BEHIND_MS);
  await hours(harness, 2);
  expect(await lagIn(harness)).toBe((4 * HOUR) / SECOND);
  receiver.respond = () => ({ status: 400, text: 'too old sample' });
  await hours(harness, 2);
  expect(await waiting(harness)).toEqual([0]);
  await harness.restart();
  expect(await lagIn(harness)).toBe((6 * HOUR) / SECOND);
  receiver.respond = behind(() => harness.clock.now(), 0);
  await hours(harness, 1);
  expect(await lagIn(harness)).toBe(0);
});

/** Samples that came twice count once. */
const storedBy = ({ stored }: RecordingReceiver): string[] => [...new Set(stored)].toSorted();

/** The numbers of kept samples by receiver. */
const waiting = async ({ app: { store, remoteWriting } }: Harness): Promise<number[]> =>
  Promise.all(
    remoteWriting.writers.map(async ({ name }) => (await store.remoteWrite.open(name, 0)).kept.samples),
  );
