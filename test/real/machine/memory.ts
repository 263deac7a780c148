// Tests that a daemon with 100,000 users and all collectors lives within 512 MB, with the page cache of its store.

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SECOND } from '../../../src/lib/time.ts';
import { getText } from '../../cli/program.ts';
import { canLimitMemory, limitMemory } from './cgroup.ts';
import { MachineDaemon } from './machine-daemon.ts';

const LIMIT_BYTES = 512 * 1024 ** 2;
const USERS = 100_000;

const peakMemoryMb = ({ program }: MachineDaemon): number => {
  const [, kB] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kB) / 1_024);
};

describe.runIf(canLimitMemory)('within 512 MB', { concurrent: true }, () => {
  test('100,000 users are polled and scraped', { timeout: 600_000 }, async () => {
    using group = limitMemory(LIMIT_BYTES);
    if (!group) throw new Error('no control group could be created');
    await using daemon = await MachineDaemon.start({
      scenario: { users: USERS },
      account: { proxy_users: { schedule: '*/20 * * * * *' } },
      onSpawn: (pid) => group.add(pid),
      isLarge: true,
    });
    const series = async (): Promise<number> => {
      const text = await getText(`${daemon.url}/metrics`);
      return text.match(/^proxywatch_proxy_user_used_bytes\{/gm)?.length ?? 0;
    };
    // It is scraped while it lists the users, and afterwards.
    while ((await series()) < USERS) await delay(SECOND);
    expect(await series()).toBeGreaterThan(USERS);
    expect(daemon.problems.filter(({ level }) => level === 'error')).toEqual([]);
    expect(group.kills()).toBe(0);
    console.log(
      `100,000 users: peak RSS ${peakMemoryMb(daemon)} MB, peak of the control group ${Math.round(group.peakBytes() / 1024 ** 2)} MB`,
    );
  });
});
