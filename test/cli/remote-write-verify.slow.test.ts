// Tests what `remote-write verify` says about a receiver that has, lost or doubled samples, and about one that does not answer.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { type VerifyOptions, verify } from '../../src/cli/remote-write/verify.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { FakeQueries } from '../remote-write/fake-queries.ts';
import { RecordingReceiver, type Responder } from '../remote-write/recording-receiver.ts';
import { Harness } from '../support/harness.ts';
import { type CommandResult, runCommand } from './run-command.ts';

const START = '2026-07-06T12:01:30Z';
const BYTES = 'proxywatch_history_traffic_bytes';
const LOST_DAY = Date.parse('2026-07-05T00:00:00Z');
/** The history of the test is older than the clock of the command, so it would count as rolled up. */
const AS_POLLED = { raw: '3650d', hourly: '3650d', daily: '3650d' };

/** Hours make few samples, so that the tests are fast. */
const TRAFFIC = { interval: 'hour', schedule: '5-55/15 * * * *', graphs: [] };

interface World extends AsyncDisposable {
  readonly engine: RecordingReceiver;
  readonly queries: FakeQueries;
  readonly harness: Harness;
  /** Runs the command with the settings of the daemon. */
  verify(options?: Partial<VerifyOptions>, others?: Record<string, unknown>): Promise<CommandResult>;
}

/** Runs a daemon for some hours, which sends the history of two days to the receiver `engine`. */
const createWorld = async (respond?: Responder): Promise<World> => {
  const engine = await RecordingReceiver.start();
  if (respond) engine.respond = respond;
  const queries = await FakeQueries.start(engine);
  const receiver = { name: 'engine', url: engine.url, start: '3d', external_labels: { region: 'eu "1"' } };
  const remoteWrite = [{ ...receiver, query_url: queries.url }];
  const harness = await Harness.build({
    ...{ now: START, scenario: { users: 2 }, account: { traffic: TRAFFIC }, remoteWrite },
  });
  for (let hour = 0; hour < 4; hour += 1) await harness.advance(HOUR);
  return {
    ...{ engine, queries, harness },
    verify: (options = {}, others = {}) => {
      const config = join(harness.folder, 'config.yaml');
      const accounts = [{ name: 'main', public_key: 'public', private_key: 'private', traffic: TRAFFIC }];
      const store = { path: harness.storePath, retention: AS_POLLED };
      writeFileSync(config, JSON.stringify({ remote_write: remoteWrite, store, accounts, ...others }));
      const range = { from: '2026-07-03', to: '2026-07-06' };
      return runCommand(verify, { config, receiver: 'engine', ...range, ...options });
    },
    [Symbol.asyncDispose]: async () => {
      await harness[Symbol.asyncDispose]();
      await queries[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
};

const loseAnHour = ({ queries }: World): void => {
  queries.change = ({ labels: { __name__: name, graph }, at, value }) =>
    name === BYTES && graph === undefined && at >= LOST_DAY && at < LOST_DAY + HOUR ? undefined : value;
};

it('a receiver that has everything has equal sums, and days that are not sent as a whole are left out', async () => {
  await using world = await createWorld();
  const { code, stdout, stderr } = await world.verify();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^engine: none of \d\d+ daily sums differs$/m);
  expect(stdout).toMatch(
    /^left out: 2026-07-03 of main, the receiver gets no history from before its start \(.*traffic_bytes/m,
  );
  expect(stdout).toMatch(/^left out: 2026-07-06 of main, some of it is not sent yet \(.*traffic_bytes/m);
  // A query for each day of which a history is compared.
  expect(world.queries.requests).toBeLessThanOrEqual(4);
});

it('a correction that is not sent yet leaves its day out, and one that is sent is compared', async () => {
  await using world = await createWorld();
  const { harness, engine } = world;
  const { store } = harness.app;
  const [graph] = (await store.traffic.graphs('main')).filter(({ name }) => name === '');
  const correct = async (bytes: number): Promise<void> => {
    const [bucket] = await store.traffic.buckets(graph?.id ?? 0, LOST_DAY, LOST_DAY + HOUR);
    if (!bucket) throw new Error('the store has no bucket to correct');
    const buckets = [{ ...bucket, bytes: (bucket.bytes ?? 0) + bytes }];
    await store.traffic.saveWindow(graph?.id ?? 0, { buckets, now: harness.clock.now() });
  };
  await correct(500);
  await harness.advance(HOUR);
  expect((await world.verify()).stdout).toMatch(/^engine: none of \d\d+ daily sums differs$/m);
  engine.respond = () => ({ status: 503 });
  await correct(300);
  await harness.advance(HOUR);
  const { code, stdout } = await world.verify();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^left out: 2026-07-05 of main, some of it is not sent yet \(.*traffic_bytes/m);
});

it('a day with samples that are too new for the clock of the receiver is left out', async () => {
  const isTooNew = (at: number): boolean => at >= LOST_DAY + 20 * HOUR;
  await using world = await createWorld(({ series }) =>
    series.some(({ samples }) => samples.some(({ at }) => isTooNew(at)))
      ? { status: 400, text: 'out of bounds: timestamp is too far in the future' }
      : { status: 204 },
  );
  const { code, stdout } = await world.verify();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^left out: 2026-07-05 of main, some of it is not sent yet \(.*traffic_bytes/m);
  expect(stdout).toMatch(/^engine: none of \d+ daily sums differs$/m);
});

it('a lost hour is named with its series, and is repaired only while no daemon runs', async () => {
  await using world = await createWorld();
  loseAnHour(world);
  const { code, stdout } = await world.verify();
  expect(code).toBe(1);
  const rows = stdout.split('\n').filter((line) => line.startsWith('main '));
  expect(rows).toEqual([
    expect.stringMatching(/^main +2026-07-05 +proxywatch_history_traffic_bytes +[\d,]+ /),
  ]);
  expect(stdout).toMatch(/^engine: 1 of \d\d+ daily sums DIFFERS, on 2026-07-05$/m);
  expect(await world.verify({ repair: true })).toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringMatching(/^error: .*another proxywatch is using this store/),
  });
  await world.harness.stop();
  const repaired = await world.verify({ repair: true });
  expect(repaired).toMatchObject({ code: 0, stderr: '' });
  expect(repaired.stdout).toMatch(/^engine: rewound for 2026-07-05\. Start the daemon, /m);
  world.queries.change = ({ value }) => value;
  world.engine.accepted.length = 0;
  await world.harness.start();
  await world.harness.advance(HOUR);
  expect(await world.verify({ from: '2026-07-05' })).toMatchObject({ code: 0 });
});

it('a day is not rewound if the receiver has too much, or if the store has only sums of it', async () => {
  await using world = await createWorld();
  await world.harness.stop();
  const { position } = await storedState(world);
  world.queries.change = ({ labels: { __name__: name }, value }) => (name === BYTES ? value * 2 : value);
  const tooMuch = await world.verify({ repair: true });
  expect(tooMuch.code).toBe(1);
  expect(tooMuch.stderr).toMatch(
    /^error: not rewound for 2026-07-04, 2026-07-05: the receiver has more than was sent\. Delete the samples /,
  );
  loseAnHour(world);
  const retention = { raw: '8d', hourly: '3650d', daily: '3650d' };
  const rolledUp = await world.verify(
    { repair: true },
    { store: { path: world.harness.storePath, retention } },
  );
  expect(rolledUp.code).toBe(1);
  expect(rolledUp.stderr).toMatch(
    /^error: not rewound for 2026-07-05: the store has them only in sums of an hour or of a day, /,
  );
  expect((await storedState(world)).position).toEqual(position);
});

const storedState = async ({ harness }: World) => {
  await harness.start();
  const state = await harness.app.store.remoteWrite.open('engine', 0);
  await harness.stop();
  return state;
};

it('a receiver that does not answer as expected compares nothing, and no secret is shown', async () => {
  await using world = await createWorld();
  const query_url = `${world.queries.url}/t0ken-in-the-path`;
  const receiver = { name: 'engine', url: world.engine.url, query_url, bearer_token: 's3cret-token' };
  const errorWith = async (status: number, text = '', headers = {}): Promise<string> => {
    world.queries.respond = ({ authorization }) => ({ status, text: text + authorization, headers });
    const { code, stdout, stderr } = await world.verify({}, { remote_write: [receiver] });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toMatch(/s3cret|t0ken/);
    return stderr;
  };
  expect(await errorWith(401, 'no ')).toMatch(/^error: answered 401: the answer is not shown because it/);
  expect(await errorWith(302, '', { location: 'http://192.0.2.1/' })).toMatch(/^error: answered 302/);
  expect(await errorWith(200, '<html>')).toBe(
    'error: answered 200, but not as the query API of Prometheus does\n',
  );
  await world.queries[Symbol.asyncDispose]().catch(() => {});
  const { code, stderr } = await world.verify();
  expect([code, stderr]).toEqual([2, 'error: connection failed: ECONNREFUSED\n']);
});

test('mistakes', async () => {
  await using world = await createWorld();
  const errorOf = async (options: Partial<VerifyOptions>, others: Record<string, unknown> = {}) => {
    const { code, stdout, stderr } = await world.verify(options, others);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    return stderr;
  };
  expect(await errorOf({ receiver: 'engin' })).toMatch(
    /^error: no receiver .* engin; did you mean engine\?\n/,
  );
  expect(await errorOf({ from: '2026-07-07' })).toMatch(/^error: --from \(2026-07-07\) is after --to/);
  expect(await errorOf({ from: '2026-01-01' })).toMatch(/^error: the range has more than 100 days/);
  const url = 'http://192.0.2.1/api/v1/push/s3cret';
  const pushed = await errorOf({}, { remote_write: [{ name: 'engine', url }] });
  expect(pushed).toMatch(/^error: the url of engine does not say where it answers queries\. Set query_url /);
  expect(await errorOf({}, { store: { path: `${world.harness.folder}/none.db` } })).toMatch(
    /there is no such/,
  );
  const other = { name: 'other', url: 'http://192.0.2.1/api/v1/write' };
  expect(await errorOf({ receiver: 'other' }, { remote_write: [other] })).toMatch(
    /^error: other has got nothing yet/,
  );
  expect(await errorOf({}, { accounts: 5 })).toMatch(/config\.yaml/);
});

test('a range without a day that is over compares nothing', async () => {
  await using world = await createWorld();
  const tomorrow = new Date(Date.now() + DAY).toISOString().slice(0, 10);
  expect(await world.verify({ from: tomorrow, to: tomorrow })).toMatchObject({
    code: 2,
    stdout: 'engine: no daily sum was compared\n',
  });
});
