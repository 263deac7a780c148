// Tests scrapes without gzip over real sockets: a few are inflated at a time, the others wait or get 503.

import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gauge } from '../../src/lib/family.ts';
import { SECOND } from '../../src/lib/time.ts';
import { Exposition } from '../../src/metrics/exposition.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { HOST, open, readRest, requestWithoutReading, statusesIn } from './raw-client.ts';
import { startServer, type TestServer } from './support.ts';

const FAMILY = gauge('proxywatch_example_bytes', 'Source: the test; in bytes.', ['proxy_user_id']);
/** More than all buffers between the server and a client take. */
const BYTES = 32 * 1024 * 1024;
/** The longest that is not cut has 1,024 characters. */
const LABEL = 'x'.repeat(1_000);
const AT_A_TIME = 4;
const WAITING = 100;
/** What one waiting scrape sleeps for: the end of its wait, and the end of clients that do not read. */
const SLEEPS = 2;

let clock: FakeClock;
let server: TestServer;
const bodies: Readable[] = [];

beforeAll(async () => {
  clock = new FakeClock(0);
  const exposition = new Exposition([FAMILY], undefined, clock);
  await exposition.render({ collector: 'users', account: 'main' }, async (sink) => {
    for (let user = 0; user < BYTES / LABEL.length; user += 1)
      sink.sample(FAMILY, { proxy_user_id: `${user}${LABEL}` }, user);
  });
  server = await startServer({
    scrape: async ({ acceptEncoding }, isGone) => {
      const encoding = acceptEncoding ? 'gzip' : 'identity';
      const answer = await exposition.scrape(
        { format: 'text', encoding, accounts: [], collectors: [] },
        isGone,
      );
      bodies.push(answer.body);
      return answer;
    },
  });
});

afterAll(() => server[Symbol.asyncDispose]());

const request = async (): Promise<Socket> => {
  const socket = await open(server);
  socket.write(`GET /metrics HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
  return socket;
};

const takeAllTurns = (): Promise<Socket[]> =>
  Promise.all(Array.from({ length: AT_A_TIME }, () => requestWithoutReading(server, '/metrics')));

/** Whether a block is ready that the client does not take. */
const isWaitingForClient = ({ readableFlowing, readableLength }: Readable): boolean =>
  readableFlowing === false && readableLength > 0;

const isWhole = async (socket: Socket): Promise<boolean> => (await readRest(socket)).length > BYTES;

it('inflates for four clients at a time, and a fifth one waits until one of them has read its answer', async () => {
  const [first, ...others] = await takeAllTurns();
  const fifth = await request();
  await expect.poll(() => clock.sleepers).toBe(SLEEPS);
  expect(await isWhole(first as Socket)).toBe(true);
  expect(await isWhole(fifth)).toBe(true);
  expect(clock.sleepers).toBe(0);
  expect(await Promise.all(others.map(isWhole))).toEqual([true, true, true]);
});

it('ends answers of which nothing is read for two seconds, if others wait', async () => {
  bodies.length = 0;
  const stalled = await takeAllTurns();
  const fifth = await request();
  await expect.poll(() => clock.sleepers).toBe(SLEEPS);
  await expect.poll(() => bodies.filter(isWaitingForClient)).toHaveLength(AT_A_TIME);
  clock.advance(2 * SECOND);
  expect(await isWhole(fifth)).toBe(true);
  expect(await Promise.all(stalled.map(isWhole))).toEqual([false, false, false, false]);
});

it('answers 503 with Retry-After if too many wait, and gzip to everyone', async () => {
  const busy = await takeAllTurns();
  const waiting: Socket[] = [];
  while (waiting.length < WAITING) waiting.push(await request());
  await expect.poll(() => clock.sleepers).toBe(SLEEPS * WAITING);
  const refused = await readRest(await request());
  expect([statusesIn(refused), refused.includes('retry-after: 5')]).toEqual([['503'], true]);
  expect(refused).toContain('accept gzip, or try again');
  expect((await (await fetch(`${server.url}/metrics`)).text()).length).toBeGreaterThan(BYTES);
  for (const socket of [...busy, ...waiting]) socket.destroy();
  await expect.poll(() => clock.sleepers).toBe(0);
});
