// Tests that a receiver of OTLP gets to the byte what a receiver of remote write gets, also after a kill, outages and partial successes.

import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { partialSuccess } from '../remote-write/decode-otlp.ts';
import { RecordingReceiver, type Reply } from '../remote-write/recording-receiver.ts';
import { Harness } from '../support/harness.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const TRAFFIC = { interval: 'hour', graphs: [] };

const build = (
  receivers: readonly Readonly<Record<string, unknown>>[],
  lines: LogLine[] = [],
): Promise<Harness> =>
  Harness.build({
    ...{ now: '2026-07-06T12:01:30Z', scenario: { users: 2 }, account: { traffic: TRAFFIC } },
    ...{ log: recordingLog(lines), remoteWrite: receivers },
  });

/** Everything once: each sample may come again, as a second sending or after a lost answer. */
const storedBy = ({ stored }: RecordingReceiver): readonly string[] => [...new Set(stored)].toSorted();

test('OTLP stores what remote write stores, also after outages and restarts, and in a second sending', async () => {
  await using written = await RecordingReceiver.start();
  await using otlp = await RecordingReceiver.start();
  await using harness = await build([
    { name: 'written', url: written.url, start: '2d' },
    { name: 'otlp', type: 'otlp', url: otlp.url.replace('write', 'otlp/v1/metrics'), start: '2d' },
  ]);
  const replies: readonly Reply[] = [
    { status: 200 },
    ...[429, 502, 503, 504, 404].map((status) => ({ status })),
  ];
  otlp.respond = () => replies[otlp.requests.length % replies.length];
  for (let hour = 0; hour < 4; hour += 1) {
    for (let time = 0; time < 6; time += 1) await harness.advance(10 * MINUTE);
    await harness.restart();
  }
  otlp.respond = () => ({ status: 200 });
  for (let hour = 0; hour < 2; hour += 1) await harness.advance(HOUR);
  expect(storedBy(otlp).length).toBeGreaterThan(100);
  expect(storedBy(otlp)).toEqual(storedBy(written));
  expect(otlp.requests.map(({ headers }) => headers['content-encoding'])).not.toContain('snappy');
  expect(otlp.stored.length).toBeGreaterThan(storedBy(otlp).length);
});

test('samples that a receiver of OTLP rejects are counted, and its message is shown and logged', async () => {
  await using otlp = await RecordingReceiver.start();
  const lines: LogLine[] = [];
  await using harness = await build(
    [{ name: 'otlp', type: 'otlp', url: otlp.url.replace('write', 'otlp'), start: '2d' }],
    lines,
  );
  otlp.respond = () => ({
    ...{ status: 200, headers: { 'content-type': 'application/x-protobuf' } },
    text: partialSuccess(2, 'too many labels'),
  });
  await harness.advance(HOUR);
  const samples = await harness.samples();
  const [accepted, refused] = ['accepted', 'refused'].map((result) =>
    samples.value('proxywatch_remote_write_samples_total', { receiver: 'otlp', result }),
  );
  expect(refused).toBe(2 * otlp.requests.length);
  expect(accepted).toBe(otlp.stored.length - 2 * otlp.requests.length);
  expect(harness.app.remoteWriting.writers[0]?.lastError).toBe('answered 200: too many labels');
  expect(lines.filter(({ message }) => message.includes('refuses samples'))).toMatchObject([
    { fields: { samples: 2, reason: 'answered 200: too many labels', receiver: 'otlp' } },
  ]);
});
