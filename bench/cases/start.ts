// The time from the start of a process to its first answer: of a daemon with the store of a year, and of the demo.

import { setTimeout } from 'node:timers/promises';
import { type Case, eachVersion, temporaryFolder } from '../harness.ts';
import { writeHistory } from '../history.ts';
import { answers, freePort, Measured } from '../processes.ts';
import { startDaemon, startProvider } from '../world.ts';

const [TIME, CPU] = ['start to /-/healthy', 'CPU until then'];

export const start: Case = {
  title: "a start with a year's store",
  figures: { [TIME]: { unit: 'ms', against: 0.6, most: 1_000 }, [CPU]: { unit: 'ms' } },
  rounds: 7,
  // The first start reads the days that the provider still has.
  warmUps: 1,
  contenders: async ({ versions, stack }) => {
    const provider = await startProvider(stack.use(temporaryFolder()).path, {});
    stack.use(provider.process);
    let isFirst = true;
    const options = { urls: [provider.url] };
    return eachVersion(versions, async (version) => {
      const folder = stack.use(temporaryFolder()).path;
      await writeHistory(version, folder, options, { days: 365 });
      return async () => {
        const { process, origin } = await startDaemon(version, folder, options);
        const timeMs = await answers(`${origin}/-/healthy`);
        const cpuMs = process.cpuMs;
        if (isFirst) await setTimeout(10_000);
        isFirst = false;
        await process.killed();
        return { [TIME]: timeMs, [CPU]: cpuMs };
      };
    });
  },
};

const [DEMO_TIME, DEMO_PEAK] = ['start to /metrics of the demo', 'peak RSS of the demo, after a minute'];

/** Before it answers, the demo reads the simulated provider's past three days. */
export const demo: Case = {
  title: 'the demo with its simulated provider',
  figures: { [DEMO_TIME]: { unit: 'ms', most: 10_000 }, [DEMO_PEAK]: { unit: 'MB', most: 220 } },
  contenders: ({ versions, isSmall }) =>
    eachVersion(versions, ({ main }) => async () => {
      const listen = `127.0.0.1:${await freePort()}`;
      await using program = new Measured(process.execPath, [main, 'demo', '--listen', listen]);
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
    eachVersion(versions, (version) => async () => {
      using folder = temporaryFolder();
      const past = { behind: OUTAGE_MS };
      const scenario = {
        pace: null,
        users: 2_000,
        start: new Date(Date.now() - 240 * OUTAGE_MS).toISOString(),
      };
      const before = await startProvider(folder.path, scenario, past);
      const options = { urls: Array<string>(isSmall ? 2 : 10).fill(before.url) };
      const first = await startDaemon(version, folder.path, { ...options, clock: past });
      await answers(`${first.origin}/-/ready`, true, 500);
      await Promise.all([first.process.killed(), before.process.killed()]);
      await using _provider = (await startProvider(folder.path, scenario, {}, before.port)).process;
      const { process, origin } = await startDaemon(version, folder.path, options);
      await using second = process;
      const timeMs = await answers(`${origin}/-/ready`, true, 20);
      return { [READY]: timeMs, [CAUGHT_UP]: second.cpuMs };
    }),
};
