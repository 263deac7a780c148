// The time from the start of a process to its first answer: of a daemon with the store of a year, and of the demo.

import { setTimeout } from 'node:timers/promises';
import { type Case, temporaryFolder, turnsOf } from '../harness.ts';
import { writeHistory } from '../history.ts';
import { answers, freePort, Measured } from '../processes.ts';
import type { Version } from '../versions.ts';
import { startDaemon, startProvider } from '../world.ts';

const [TIME, CPU] = ['start to /-/healthy', 'CPU until then'];

/** Then the runs at the start are over, so that the next start does not begin with them. */
const SETTLE_MS = 5_000;

export const start: Case = {
  title: "a start with a year's store",
  figures: { [TIME]: { unit: 'ms', against: 0.6, most: 1_000 }, [CPU]: { unit: 'ms' } },
  rounds: 7,
  // The first start reads the days that the provider still has.
  warmUps: 1,
  contenders: async ({ versions, stack }) => {
    const urls = [await startProvider(stack, {})];
    const folders = new Map<Version, string>();
    for (const version of versions)
      folders.set(version, await writeHistory(stack, version, { urls }, { days: 365 }));
    return turnsOf(versions, async (version, stack) => {
      const { folder = '' } = { folder: folders.get(version) };
      const { process, origin } = await startDaemon(stack, version, { urls, folder });
      const timeMs = await answers(`${origin}/-/healthy`);
      const cpuMs = process.cpuMs;
      await setTimeout(SETTLE_MS);
      return { [TIME]: timeMs, [CPU]: cpuMs };
    });
  },
};

const [DEMO_TIME, DEMO_PEAK] = ['start to /metrics of the demo', 'peak RSS of the demo, after a minute'];

/** Before it answers, the demo reads the simulated provider's past three days. */
export const demo: Case = {
  title: 'the demo with its simulated provider',
  figures: { [DEMO_TIME]: { unit: 'ms', most: 10_000 }, [DEMO_PEAK]: { unit: 'MB', most: 220 } },
  contenders: ({ versions, isSmall }) =>
    turnsOf(versions, async ({ main }, stack) => {
      const listen = `127.0.0.1:${await freePort()}`;
      const program = stack.use(new Measured(process.execPath, [main, 'demo', '--listen', listen]));
      const timeMs = await answers(`http://${listen}/metrics`, true);
      await setTimeout(isSmall ? 5_000 : 60_000);
      return { [DEMO_TIME]: timeMs, [DEMO_PEAK]: program.memory.peak };
    }),
};

const [READY, CAUGHT_UP] = ['loss of a node: start to /-/ready', 'loss of a node: CPU until then'];
const OUTAGE_MS = 3_600_000;

/** The first daemon runs an hour in the past, and is killed. The second one has the same files and the present time. */
export const failover: Case = {
  title: 'kill -9, an outage of an hour, and another daemon on the same files, with 10 accounts',
  figures: { [READY]: { unit: 'ms' }, [CAUGHT_UP]: { unit: 'ms' } },
  contenders: ({ versions, isSmall }) =>
    turnsOf(versions, async (version, stack) => {
      const clock = { behind: OUTAGE_MS };
      const start = new Date(Date.now() - 240 * OUTAGE_MS).toISOString();
      const scenario = { pace: null, users: 2_000, start };
      await using earlier = new AsyncDisposableStack();
      const url = await startProvider(earlier, scenario, clock);
      const options = { urls: Array<string>(isSmall ? 2 : 10).fill(url), folder: temporaryFolder(stack) };
      const first = await startDaemon(earlier, version, { ...options, clock });
      await answers(`${first.origin}/-/ready`, true, 500);
      await earlier.disposeAsync();
      await startProvider(stack, scenario, {}, new URL(url).port);
      const { process, origin } = await startDaemon(stack, version, options);
      return { [READY]: await answers(`${origin}/-/ready`, true, 20), [CAUGHT_UP]: process.cpuMs };
    }),
};
