// Tests what the status shows of the receivers of remote write, through HTTP.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { RecordingReceiver } from '../remote-write/recording-receiver.ts';
import { Harness } from '../support/harness.ts';

const START = '2026-07-06T12:01:30Z';

let receiver: RecordingReceiver;
beforeEach(async () => {
  receiver = await RecordingReceiver.start();
});
afterEach(() => receiver[Symbol.asyncDispose]());

/** With a token in each part of the url that can have one. Hours and few users make few samples, so that the tests are fast. */
const build = (): Promise<Harness> => {
  const { host } = new URL(receiver.url);
  const url = `http://${host}/t0ken/write?key=k3y`;
  return Harness.build({
    ...{ now: START, scenario: { users: 2 }, account: { traffic: { interval: 'hour', graphs: [] } } },
    remoteWrite: [{ name: 'engine', url, start: '1d' }],
  });
};

const receiversIn = async ({ app, clock }: Harness): Promise<unknown> => {
  const view = createView({ app, clock, version: '1.2.3' });
  const listen = { host: '127.0.0.1', port: 0 };
  const reload = async () => ({ result: 'no_file' }) as const;
  await using server = await startHttpServer({ listen, view, reload, clock, log: silentLog });
  const response = await fetch(`http://127.0.0.1:${server.address.port}/api/v1/status`);
  const body = await response.text();
  expect(body).not.toMatch(/t0ken|k3y/);
  return JSON.parse(body).remote_write;
};

const isoOf = (at: number): string => new Date(at).toISOString();

it('a receiver is unknown before the first look, and then has everything', async () => {
  await using harness = await build();
  const { host } = new URL(receiver.url);
  const unknown = { lag_seconds: null, waiting_since: null, last_success_at: null, last_error: null };
  expect(await receiversIn(harness)).toEqual([{ name: 'engine', host, ...unknown, samples: null }]);
  await harness.advance(HOUR);
  const samples = { accepted: receiver.stored.length, refused: 0, expired: 0 };
  expect(samples.accepted).toBeGreaterThan(0);
  const last_success_at = isoOf(harness.clock.now());
  expect(await receiversIn(harness)).toEqual([
    { name: 'engine', host, ...unknown, lag_seconds: 0, last_success_at, samples },
  ]);
});

it('a receiver that fails shows since when, and its last answer without secrets', async () => {
  await using harness = await build();
  await harness.advance(HOUR);
  const since = harness.clock.now() + HOUR;
  receiver.respond = () => ({ status: 503, text: 'no t0ken today' });
  await harness.advance(HOUR);
  await harness.advance(MINUTE);
  expect(await receiversIn(harness)).toMatchObject([
    {
      lag_seconds: 60,
      waiting_since: isoOf(since),
      last_success_at: isoOf(since - HOUR),
      last_error: expect.stringMatching(/^answered 503/),
    },
  ]);
});

it('refused samples are counted since the receiver was added, also after a restart', async () => {
  await using harness = await build();
  receiver.respond = () => ({ status: 400, text: 'out of bounds' });
  await harness.advance(HOUR);
  const refused = expect.toSatisfy((count: number) => count > 0);
  const expected = { samples: { accepted: 0, refused, expired: 0 }, last_success_at: null };
  const last_error = 'answered 400: out of bounds';
  expect(await receiversIn(harness)).toMatchObject([{ ...expected, last_error }]);
  await harness.stop();
  await harness.start();
  await harness.advance(MINUTE);
  expect(await receiversIn(harness)).toMatchObject([expected]);
});

const lagIn = async (harness: Harness): Promise<number | undefined> =>
  (await harness.samples()).value('proxywatch_remote_write_lag_seconds', { receiver: 'engine' });

it('a receiver that refuses everything, or fails, does so right after a restart too', async () => {
  await using harness = await build();
  receiver.respond = () => ({ status: 400, text: 'out of bounds' });
  await harness.advance(HOUR);
  await harness.stop();
  await harness.start();
  expect(await lagIn(harness)).toBeGreaterThan(HOUR / SECOND);
  await harness.advance(MINUTE);
  expect(await lagIn(harness)).toBeGreaterThan(HOUR / SECOND);
  receiver.respond = () => ({ status: 204 });
  await harness.advance(HOUR);
  expect(await lagIn(harness)).toBe(0);
  receiver.respond = () => ({ status: 503 });
  await harness.advance(HOUR);
  await harness.advance(HOUR);
  const lag = await lagIn(harness);
  await harness.stop();
  await harness.start();
  expect([await lagIn(harness), lag]).toEqual([lag, expect.toSatisfy((seconds: number) => seconds >= 3_600)]);
});

it('a receiver that accepted samples and then refuses everything does so right after a restart, until it accepts some', async () => {
  await using harness = await build();
  await harness.advance(HOUR);
  receiver.respond = () => ({ status: 400, text: 'out of bounds' });
  await harness.advance(HOUR);
  const since = harness.clock.now();
  await harness.stop();
  harness.clock.advance(MINUTE);
  await harness.start();
  expect(await lagIn(harness)).toBe(MINUTE / SECOND);
  harness.app.remoteWriting.tick();
  await harness.app.remoteWriting.idle();
  expect(await receiversIn(harness)).toMatchObject([{ waiting_since: isoOf(since) }]);
  receiver.respond = () => ({ status: 204 });
  await harness.advance(HOUR);
  expect(await lagIn(harness)).toBe(0);
  await harness.stop();
  await harness.start();
  expect(await lagIn(harness)).toBeUndefined();
});
