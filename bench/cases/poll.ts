// Polls of many users, and of many rows of use, of which a share has changed, against a bare loop that fetches, parses and inserts.

import { join } from 'node:path';
import { type Case, type Reading, type Setup, type Turn, type Turns, temporaryFolder } from '../harness.ts';
import {
  type ListingProvider,
  USAGE_ONLY,
  USERS_ONLY,
  UsageProvider,
  UsersProvider,
} from '../listing-provider.ts';
import { type Measured, startScript } from '../processes.ts';
import { scrape, startDaemon } from '../world.ts';

const SHARES = [0, 0.01, 0.05, 1];
/** The share of a quiet account, after which the exposition is measured too. */
const QUIET = 0.01;
const EXPOSITION = 'CPU from the last page to the finished exposition, 1% changed';
const SCRAPED = 'CPU from the last page to the end of a scrape, 1% changed';
const nameOf = (share: number): string => `CPU of a poll, ${100 * share}% changed`;

export const poll: Case = {
  title: 'a poll of 20,000 users (5,000 with --small)',
  figures: {
    [nameOf(0)]: { unit: 'ms', against: 0.4, peers: { 'bare loop': 2 } },
    [nameOf(0.01)]: { unit: 'ms', against: 0.4, peers: { 'bare loop': 2 } },
    [nameOf(0.05)]: { unit: 'ms', against: 0.45 },
    [nameOf(1)]: { unit: 'ms', against: 0.65 },
    [EXPOSITION]: { unit: 'ms', against: 0.2 },
    [SCRAPED]: { unit: 'ms' },
  },
  rounds: 5,
  // The first polls fill the store.
  warmUps: 1,
  contenders: (setup) => contendersOf(setup, 'users', USERS_ONLY, (rows) => new UsersProvider(rows)),
};

const usageOf = (title: string, hasUpdates: boolean): Case => ({
  title: `a poll of 20,000 rows of use (5,000 with --small), ${title}`,
  figures: Object.fromEntries(
    SHARES.map((share) => [nameOf(share), { unit: 'ms', peers: share > QUIET ? {} : { 'bare loop': 2 } }]),
  ),
  rounds: 5,
  warmUps: 1,
  contenders: (setup) =>
    contendersOf(setup, 'usage', USAGE_ONLY, (rows) => new UsageProvider(rows, hasUpdates)),
});
export const usage = usageOf('whose time of update moves', true);
export const allUsage = usageOf('of which all are read', false);

const contendersOf = async (
  { versions, stack, isSmall }: Setup,
  listing: string,
  account: object,
  providerOf: (rows: number) => ListingProvider,
): Promise<Turns> => {
  const start = async (begin: (url: string) => Promise<{ process: Measured; origin?: string }>) => {
    const provider = providerOf(isSmall ? 5_000 : 20_000);
    const { process, origin } = await begin(await provider.listen(stack));
    return () => pollAll(provider, process, origin);
  };
  const sections = { metrics: { first_step_hold: '0s' } };
  const turns: Record<string, Turn> = {};
  for (const version of versions)
    turns[version.name] = await start((url) =>
      startDaemon(stack, version, { urls: [url], account, sections }),
    );
  turns['bare loop'] = await start(async (url) => ({
    process: stack.use(startScript('bare-poll.ts', url, join(temporaryFolder(stack), 'bare.db'), listing)),
  }));
  return turns;
};

/** Polls once after each share of changes. The first poll, which does not count, leaves the changes of the last round behind. */
const pollAll = async (provider: ListingProvider, process: Measured, origin?: string): Promise<Reading> => {
  const reading: Record<string, number> = {};
  await provider.held();
  provider.change(QUIET);
  await provider.release();
  for (const share of SHARES) {
    await provider.held();
    provider.change(share);
    const startedAt = process.cpuMs;
    await provider.release();
    const lastPageAt = process.cpuMs;
    await provider.held();
    reading[nameOf(share)] = process.cpuMs - startedAt;
    if (share !== QUIET || origin === undefined) continue;
    reading[EXPOSITION] = process.cpuMs - lastPageAt;
    await scrape(`${origin}/metrics`);
    reading[SCRAPED] = process.cpuMs - lastPageAt;
  }
  return reading;
};
