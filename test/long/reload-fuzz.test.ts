// Two hundred configurations in a row under polling: the last sound one runs, nothing leaks, no counter falls.

import { readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isUnchanged } from '../../src/config/unchanged.ts';
import { collectorsOf, loadSettings, type Settings } from '../../src/daemon/settings.ts';
import { SECOND } from '../../src/lib/time.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { Configurations } from '../reload/configurations.ts';
import { accountOf, Daemon } from '../reload/support.ts';
import { parseSamples } from '../support/harness.ts';

const SEED = 20_260_711;
const CONFIGURATIONS = 200;
const LONGEST_STEP_MS = 100 * SECOND;
/** Turns of the event loop that a run gets before it is reloaded under it, at most. */
const MOST_TURNS = 30;
/** What a closed connection takes to be gone at both ends; one that nobody closes stays for seconds. */
const CLOSING_TURNS = 500;

/** What the process holds open, by kind. */
const held = (): Record<string, number> => {
  const counts: Record<string, number> = { files: readdirSync('/dev/fd').length };
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

const jobsOf = ({ accounts }: Settings): string[] =>
  accounts.flatMap((account) =>
    collectorsOf(account).map(({ collector }) => `${account.name}/${collector.name}`),
  );

/** Counters and histograms, which may come and go, but are never less than before. */
class Seen {
  readonly #values = new Map<string, number>();

  fallenIn(samples: ReadonlyMap<string, number>): string[] {
    const counted = [...samples].filter(([series]) =>
      /^proxywatch_\w+(_total|_bucket|_count|_sum)(\{|$)/.test(series),
    );
    const fallen = counted.filter(([series, value]) => value < (this.#values.get(series) ?? 0));
    for (const [series, value] of counted) this.#values.set(series, value);
    return fallen.map(([series]) => series);
  }

  get size(): number {
    return this.#values.size;
  }
}

const expectRunning = async (daemon: Daemon, settings: Settings, seen: Seen): Promise<void> => {
  expect(daemon.jobs.toSorted()).toEqual(jobsOf(settings).toSorted());
  const running = daemon.app.accounts.map((account) => account.settings);
  expect(isUnchanged(running, settings.accounts)).toBe(true);
  const schedules = daemon.app.accounts.flatMap(({ jobs }) =>
    jobs.map((job) => [job.schedules[0], job.zone]),
  );
  expect(schedules).toEqual(
    settings.accounts.flatMap((account) =>
      collectorsOf(account).map(({ options }) => [options.schedule, settings.schedule_time_zone]),
    ),
  );
  const samples = parseSamples(await daemon.metricsText());
  const label = (name: string) =>
    new Set(
      [...samples.keys()].flatMap((series) => new RegExp(`[{,]${name}="([^"]*)"`).exec(series)?.[1] ?? []),
    );
  expect([...label('account')].toSorted()).toEqual(settings.accounts.map(({ name }) => name).toSorted());
  const shown = [...samples.keys()].flatMap((series) => {
    const [, account, collector] =
      /^proxywatch_collector_\w+\{account="(\w+)",collector="(\w+)"/.exec(series) ?? [];
    return account === undefined ? [] : `${account}/${collector}`;
  });
  expect([...new Set(shown)].toSorted()).toEqual(jobsOf(settings).toSorted());
  expect(seen.fallenIn(samples)).toEqual([]);
};

test('two hundred configurations', { timeout: 300_000 }, async () => {
  const before = held();
  const seen = new Seen();
  let faulty = 0;
  {
    const simulators: Simulator[] = [];
    await using daemon = await Daemon.start((simulator) => {
      simulators.push(simulator);
      return { accounts: [accountOf(simulator, { name: 'a' })] };
    });
    await using other = await startSimulator({
      scenario: { start: '2026-07-06T00:00:00Z', users: 3, proxies: 3, pace: null },
      now: () => daemon.clock.now(),
    });
    const configurations = new Configurations(SEED, [...simulators, other]);
    let { config: valid } = loadSettings(daemon.file, {});
    for (let index = 0; index < CONFIGURATIONS; index += 1) {
      daemon.clock.advance(Math.round(configurations.draw() * LONGEST_STEP_MS));
      daemon.app.runner.tick();
      for (let turns = configurations.draw() * MOST_TURNS; turns > 0; turns -= 1) await nextTurn();
      const { text, fault } = configurations.next();
      const { result } = await daemon.reload(text);
      expect([index, fault, result]).toEqual([index, fault, fault === undefined ? 'reloaded' : 'mistakes']);
      if (fault === undefined) valid = loadSettings(daemon.file, {}).config;
      else faulty += 1;
      await expectRunning(daemon, valid, seen);
    }
    await daemon.app.runner.idle();
    await expectRunning(daemon, valid, seen);
    await daemon.stop();
    // The provider is there still: whatever is connected now was not closed by those who left it.
    for (let turns = CLOSING_TURNS; turns > 0; turns -= 1) await nextTurn();
    expect(held().TCPSocketWrap ?? 0).toBe(0);
    expect(daemon.clock.sleepers).toBe(0);
  }
  // Closed handles go with the next turns of the event loop.
  const leaked = () => Object.entries(held()).filter(([kind, count]) => count > (before[kind] ?? 0));
  await expect.poll(leaked, { timeout: 10_000 }).toEqual([]);
  expect(faulty).toBeGreaterThan(CONFIGURATIONS / 8);
  expect(seen.size).toBeGreaterThan(500);
});
