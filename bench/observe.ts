// Observes a daemon that is scraped every 15 seconds, as Prometheus does, with clocks that may run faster than the machine's.

import { statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from './harness.ts';
import { type Past, writeHistory } from './history.ts';
import { answers, type Memory } from './processes.ts';
import type { Version } from './versions.ts';
import { longestBlock, scrape, startDaemon, startProvider } from './world.ts';

const SCRAPE_EVERY_S = 15;

export interface Size {
  readonly scenario?: object;
  readonly account?: object;
  readonly accounts?: number;
  /** What the store already has. */
  readonly past?: Past;
  readonly speed: number;
  /** How long it runs before it counts, and how long it counts then, in minutes of its own clock. */
  readonly settleMinutes: number;
  readonly minutes: number;
  readonly watchesBlocks?: boolean;
}

export interface Observed extends Memory {
  /** The share of one core (%), if the clock ran as fast as that of the machine. */
  readonly share: number;
  /** MB */
  readonly store: number;
  /** The longest block of the event loop (CPU ms). */
  readonly block: number;
}

/** The provider belongs to this tree whatever the version, and all accounts are the same one at it. */
export const observe = async (version: Version, size: Size): Promise<Observed> => {
  const {
    scenario = {},
    account,
    accounts = 1,
    past,
    speed,
    settleMinutes,
    minutes,
    watchesBlocks = false,
  } = size;
  using folder = temporaryFolder();
  await using stack = new AsyncDisposableStack();
  const clock = { speed };
  const { url, process } = await startProvider(folder.path, { pace: null, ...scenario }, clock);
  stack.use(process);
  const options = {
    urls: Array<string>(accounts).fill(url),
    ...(account && { account }),
    clock,
    watchesBlocks,
  };
  if (past) await writeHistory(version, folder.path, options, past);
  const daemon = await startDaemon(version, folder.path, options);
  stack.use(daemon.process);
  await answers(`${daemon.origin}/-/healthy`);
  const scrapeFor = async (span: number): Promise<void> => {
    const startedAt = performance.now();
    for (let n = 1; n * SCRAPE_EVERY_S <= span * 60; n += 1) {
      const due = startedAt + (1_000 * n * SCRAPE_EVERY_S) / speed;
      await setTimeout(Math.max(0, due - performance.now()));
      await scrape(`${daemon.origin}/metrics`);
    }
  };
  await scrapeFor(settleMinutes);
  const [cpuMs, startedAt] = [daemon.process.cpuMs, performance.now()];
  await scrapeFor(minutes);
  const share = (100 * (daemon.process.cpuMs - cpuMs)) / (speed * (performance.now() - startedAt));
  return {
    ...{ ...daemon.process.memory, share, store: statSync(daemon.store).size / 1e6 },
    block: watchesBlocks ? await longestBlock(daemon) : Number.NaN,
  };
};
