// Measures the time from the start of the process to the first answer: of a daemon whose store holds a year, and of the demo.

import { setTimeout } from 'node:timers/promises';
import { DAY, HOUR } from '../src/lib/time.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { bucketAt } from './bucket.ts';
import {
  answers,
  build,
  freePort,
  inMb,
  startProgram,
  startProvider,
  temporaryFolder,
  writeConfig,
} from './daemon-process.ts';
import { type Figure, median } from './figure.ts';

const ROUNDS = 7;
const GRAPHS = ['all', 'datacenter', 'isp', 'residential', 'mobile'];

export const start = async (): Promise<readonly Figure[]> => {
  using folder = temporaryFolder();
  build();
  using provider = await startProvider(folder.path, {});
  const { config, address } = await writeConfig(folder.path, provider.url);
  await fillYear(`${folder.path}/proxywatch.db`);
  const timesMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    using program = startProgram('run', '--config', config);
    timesMs.push(await answers(`http://${address}/-/healthy`));
    if (round === 0) await setTimeout(10_000);
    console.log(`${timesMs.at(-1)?.toFixed(0)} ms, RSS ${inMb(program.memory.rss)}`);
    program[Symbol.dispose]();
    await program.exited();
  }
  return [
    {
      what: 'process start to the first answer of /-/healthy, with the store of a year',
      ...{ value: median(timesMs), unit: 'ms', goal: 1_000 },
    },
    {
      what: 'process start to the first answer of the demo',
      ...{ value: await demoStart(), unit: 'ms', goal: 10_000 },
    },
  ];
};

/** Before it answers, the demo reads the simulated provider's past three days. */
const demoStart = async (): Promise<number> => {
  const address = `127.0.0.1:${await freePort()}`;
  using _demo = startProgram('demo', '--listen', address);
  return await answers(`http://${address}/metrics`);
};

/** Stores a year of hours of five graphs, for an account that the daemon does not poll, so that no setting differs from them. */
const fillYear = async (path: string): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0 });
  const now = Date.now() - (Date.now() % DAY);
  for (const name of GRAPHS) {
    const identity = { account: 'earlier', name, slice: '', requestFormat: '', zone: 'UTC', bucketMs: HOUR };
    const { id } = await store.traffic.openGraph(identity, now - 365 * DAY, now);
    for (let at = now - 365 * DAY; at < now; at += DAY) {
      const buckets = Array.from({ length: 24 }, (_, n) => bucketAt(at + n * HOUR));
      await store.traffic.saveWindow(id, { buckets, watermark: at, now });
    }
  }
  console.log(`store: ${inMb(store.size().bytes)}`);
};
