// Tests that `remote-write rewind` makes a receiver that lost its data whole again, and refuses what would go wrong.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { type RewindOptions, rewind } from '../../src/cli/remote-write/rewind.ts';
import { DAY, HOUR, SECOND } from '../../src/lib/time.ts';
import { RecordingReceiver, samplesIn } from '../remote-write/recording-receiver.ts';
import { Harness } from '../support/harness.ts';
import { type CommandResult, runCommand } from './run-command.ts';

const START = '2026-07-06T12:01:30Z';

interface World extends AsyncDisposable {
  readonly engine: RecordingReceiver;
  readonly harness: Harness;
  /** Runs the command with the settings of the daemon. */
  rewind(options: Partial<RewindOptions>, others?: Record<string, unknown>): Promise<CommandResult>;
}

/** Hours make few samples, so that the tests are fast. */
const HOURS = { interval: 'hour', graphs: [] };
const MINUTES = { catch_up: '2d', graphs: [] };

/** Runs a daemon for some hours, which sends the history of two days to the receiver `engine`. */
const createWorld = async (traffic: Record<string, unknown> = HOURS): Promise<World> => {
  const engine = await RecordingReceiver.start();
  const remoteWrite = [{ name: 'engine', url: engine.url, start: '2d' }];
  const harness = await Harness.build({
    ...{ now: START, scenario: { users: 2 }, account: { traffic }, remoteWrite },
  });
  for (let hour = 0; hour < 4; hour += 1) await harness.advance(HOUR);
  return {
    ...{ engine, harness },
    rewind: (options, others = {}) => {
      const config = join(harness.folder, 'config.yaml');
      const accounts = [{ name: 'main', public_key: 'public', private_key: 'private' }];
      const store = { path: harness.storePath };
      writeFileSync(config, JSON.stringify({ remote_write: remoteWrite, store, accounts, ...others }));
      return runCommand(rewind, { config, receiver: 'engine', to: () => 0, ...options });
    },
    [Symbol.asyncDispose]: async () => {
      await harness[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
};

/** The history of the test is older than the clock of the command, so it would count as rolled up. */
const asPolled = ({ storePath: path }: Harness) => ({
  store: { path, retention: { raw: '3650d', hourly: '3650d', daily: '3650d' } },
});

/** Forgets everything that the receiver got, and returns it. */
const loseData = ({ engine }: World): Set<string> => {
  const stored = new Set(engine.stored);
  engine.accepted.length = 0;
  engine.stored.length = 0;
  return stored;
};

const missingOf = (samples: Iterable<string>, { stored }: RecordingReceiver): string[] => {
  const found = new Set(stored);
  return [...samples].filter((sample) => !found.has(sample));
};

const timeOf = (sample: string): number => Number(sample.slice(sample.lastIndexOf('@') + 1));

const oldestOf = (samples: Iterable<string>): number =>
  [...samples].map(timeOf).reduce((oldest, at) => Math.min(oldest, at));

it('a receiver gets everything again that it had since then, and nothing older', async () => {
  await using world = await createWorld(MINUTES);
  const { engine, harness } = world;
  await harness.stop();
  const before = loseData(world);
  const to = Date.parse(START) - DAY;
  const { code, stdout, stderr } = await world.rewind({ to: () => to }, asPolled(harness));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    'engine: rewound to 2026-07-05T12:01:30Z',
    'when the daemon runs, the receiver gets this history with its corrections:',
    'account  history             from                  before',
    expect.stringMatching(/^main {5}residential ledger {2}2026-07-0[45] {12}2026-07-0\d$/),
  ]);
  expect(stdout).toMatch(/^main {5}traffic {13}2026-07-05T12:01:30Z {2}2026-07-06T1\d:\d\d:\d\dZ$/m);
  await harness.start();
  await harness.advance(SECOND);
  const expected = [...before].filter((sample) => timeOf(sample) >= to);
  expect(expected.length).toBeGreaterThan(1_000);
  expect(missingOf(expected, engine)).toEqual([]);
  expect(new Set(engine.stored).size).toBe(engine.stored.length);
  const traffic = engine.accepted
    .flatMap(({ series }) => series)
    .filter(({ labels }) => labels.some(([, value]) => value === 'proxywatch_history_traffic_bytes'));
  expect(samplesIn(traffic).filter((sample) => timeOf(sample) < to)).toEqual([]);
});

it('days that may be rolled up are sent as a whole', async () => {
  await using world = await createWorld();
  await world.harness.stop();
  const to = Date.parse(START) - DAY;
  const { stdout } = await world.rewind({ to: () => to });
  expect(stdout).toMatch(/^engine: rewound to 2026-07-05T00:00:00Z$/m);
});

it('a receiver gets history from before its start', async () => {
  await using world = await createWorld();
  const { engine, harness } = world;
  await harness.stop();
  const before = loseData(world);
  const oldest = oldestOf(before);
  await world.rewind({ to: () => oldest - DAY });
  await harness.start();
  await harness.advance(SECOND);
  expect(missingOf(before, engine)).toEqual([]);
  expect(oldestOf(engine.stored)).toBeLessThan(oldest);
});

it('a running daemon refuses it, and goes on where it was', async () => {
  await using world = await createWorld();
  const before = loseData(world);
  const { code, stdout, stderr } = await world.rewind({});
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/: another proxywatch is using this store\. Stop the other proxywatch/);
  await world.harness.advance(HOUR);
  expect(world.engine.stored.length).toBeGreaterThan(0);
  expect(world.engine.stored.filter((sample) => before.has(sample))).toEqual([]);
});

test('mistakes', async () => {
  await using world = await createWorld();
  await world.harness.stop();
  const url = 'http://user.example/secret';
  const remote_write = ['engine', 'second'].map((name) => ({ name, url }));
  const errorOf = async (options: Partial<RewindOptions>, others: Record<string, unknown> = {}) => {
    const { code, stdout, stderr } = await world.rewind(options, others);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).not.toContain('secret');
    return stderr;
  };
  expect(await errorOf({ receiver: 'engin' })).toBe(
    'error: no receiver of remote write is called engin; did you mean engine?\n',
  );
  expect(await errorOf({ receiver: 'other' }, { remote_write })).toBe(
    'error: no receiver of remote write is called other. The receivers are called engine, second\n',
  );
  expect(await errorOf({}, { remote_write: [] })).toMatch(
    /^error: the configuration has no receivers of remote/,
  );
  expect(await errorOf({ receiver: 'second' }, { remote_write })).toMatch(
    /^error: second has got nothing yet, so there is nothing to rewind\. A new receiver begins at its start/,
  );
  expect(await errorOf({ to: () => Date.now() + HOUR })).toMatch(/^error: --to \(.*\) is in the future\./);
  expect(await errorOf({}, { store: { path: `${world.harness.folder}/none.db` } })).toMatch(
    /there is no such file/,
  );
});

test('a time from which the store has only sums warns of samples that the receiver still has', async () => {
  await using world = await createWorld();
  await world.harness.stop();
  const warningsAt = async (ageMs: number): Promise<string[]> => {
    const { stdout } = await world.rewind({ to: () => Date.now() - ageMs });
    return stdout.split('\n').filter((line) => line.startsWith('warning:'));
  };
  expect(await warningsAt(7 * DAY)).toEqual([]);
  expect(await warningsAt(9 * DAY)).toEqual([
    expect.stringMatching(/traffic and the use of proxy users .* only in sums of an hour or of a day/),
  ]);
});
