// What writes, alerts and the hourly pass over the use of many users cost, and how long each blocks the event loop.

import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type Case, turnsOf } from '../harness.ts';
import { USERS_ONLY, UsersProvider } from '../listing-provider.ts';
import { listen } from '../processes.ts';
import { longestBlock, startDaemon } from '../world.ts';

/** The receiver waits a second for further alerts. */
const NOTIFIED_MS = 5_000;
const HOUR_MS = 3_600_000;

/** What differs in each poll: how many users change, and what is listed. */
const STEPS: Readonly<
  Record<string, { share?: number; isEmpty?: boolean; isExhausted?: boolean; hours?: number }>
> = {
  'the first poll': {},
  'an unchanged poll': {},
  'a poll with all users changed': { share: 1 },
  'the first poll of an hour, which stores the use': { hours: 1 },
  'alerts about all users fire': { hours: 1, isExhausted: true },
  'they go on firing': { hours: 1, isExhausted: true },
  'they end': { hours: 1 },
  'no user is listed': { hours: 1, isEmpty: true },
  'all users are removed': { hours: 1, isEmpty: true },
  'all users are listed again': { hours: 1 },
};
const NAMES = Object.keys(STEPS);
const cpuOf = (step: string): string => `CPU: ${step}`;
const blockOf = (step: string): string => `longest block, CPU: ${step}`;

export const users: Case = {
  title: 'changes of 100,000 users and alerts about them (5,000 with --small)',
  figures: Object.fromEntries([
    ...NAMES.map((step) => [cpuOf(step), { unit: 'ms' }] as const),
    ...NAMES.map((step) => [blockOf(step), { unit: 'ms', most: 50 }] as const),
  ]),
  rounds: 1,
  contenders: async ({ versions, stack, isSmall }) => {
    const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
    const url = `http://127.0.0.1:${await listen(stack, receiver)}/`;
    const sections = { alerts: { receivers: [{ type: 'webhook', url, group_wait: '1s' }] } };
    return turnsOf(versions, async (version, stack) => {
      const provider = new UsersProvider(isSmall ? 5_000 : 100_000);
      const urls = [await provider.listen(stack)];
      const options = { account: USERS_ONLY, sections, urls, watchesBlocks: true };
      const daemon = await startDaemon(stack, version, options);
      const { process } = daemon;
      const reading: Record<string, number> = {};
      for (const [step, { share = 0, hours = 0, isEmpty = false, isExhausted = false }] of Object.entries(
        STEPS,
      )) {
        await provider.held();
        provider.change(share);
        Object.assign(provider, { isEmpty, isExhausted });
        await longestBlock(daemon, hours * HOUR_MS);
        const cpuMs = process.cpuMs;
        await provider.release();
        await provider.held();
        if (isExhausted) await setTimeout(NOTIFIED_MS);
        reading[cpuOf(step)] = process.cpuMs - cpuMs;
        reading[blockOf(step)] = await longestBlock(daemon, hours * HOUR_MS);
      }
      return reading;
    });
  },
};
