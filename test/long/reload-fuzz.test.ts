// Tests two hundred reloads during polls: the last valid configuration runs, nothing leaks and no counter falls.

import { readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isUnchanged } from '../../src/config/unchanged.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { collectorsOf, type Settings } from '../../src/daemon/settings.ts';
import { SECOND } from '../../src/lib/time.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { ConfigGenerator } from '../reload/config-generator.ts';
import { accountOf, Daemon } from '../reload/support.ts';
import { parseSamples } from '../support/harness.ts';

const SEED = 20_260_711;
const CONFIGURATIONS = 200;
const MAX_STEP_MS = 100 * SECOND;
/** At most this many turns of the event loop pass between the start of a run and the reload. */
const MAX_TURNS = 30;
/** A closed connection ends at both sides within this many turns; one that is not closed stays for seconds. */
const CLOSING_TURNS = 500;

/** Counts the open resources of the process by kind. */
const openResources = (): Record<string, number> => {
  const counts: Record<string, number> = { files: readdirSync('/dev/fd').length };
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

const jobsOf = ({ accounts }: Settings): string[] =>
  accounts.flatMap((account) =>
    collectorsOf(account).map(({ collector }) => `${account.name}/${collector.name}`),
  );

/** Remembers counters and histograms, which may disappear and return, but must never fall. */
class SeenCounters {
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

const expectRunning = async (daemon: Daemon, settings: Settings, seen: SeenCounters): Promise<void> => {
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
  const resourcesBefore = openResources();
  const seen = new SeenCounters();
  let invalidCount = 0;
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
    const generator = new ConfigGenerator(SEED, [...simulators, other]);
    let { config: valid } = loadSettings(daemon.file, {});
    for (let index = 0; index < CONFIGURATIONS; index += 1) {
      daemon.clock.advance(Math.round(generator.draw() * MAX_STEP_MS));
      daemon.app.runner.tick();
      for (let turns = generator.draw() * MAX_TURNS; turns > 0; turns -= 1) await nextTurn();
      const { text, mistake } = generator.next();
      const { result } = await daemon.reload(text);
      expect([index, mistake, result]).toEqual([
        index,
        mistake,
        mistake === undefined ? 'reloaded' : 'mistakes',
      ]);
      if (mistake === undefined) valid = loadSettings(daemon.file, {}).config;
      else invalidCount += 1;
      await expectRunning(daemon, valid, seen);
    }
    await daemon.app.runner.idle();
    await expectRunning(daemon, valid, seen);
    await daemon.stop();
    // The provider still runs, so any connection that is open now was not closed by its client.
    for (let turns = CLOSING_TURNS; turns > 0; turns -= 1) await nextTurn();
    expect(openResources().TCPSocketWrap ?? 0).toBe(0);
    expect(daemon.clock.sleepers).toBe(0);
  }
  // Closed handles disappear in the next turns of the event loop.
  const leaked = () =>
    Object.entries(openResources()).filter(([kind, count]) => count > (resourcesBefore[kind] ?? 0));
  await expect.poll(leaked, { timeout: 10_000 }).toEqual([]);
  expect(invalidCount).toBeGreaterThan(CONFIGURATIONS / 8);
  expect(seen.size).toBeGreaterThan(500);
});
