// Tests what a daemon logs about its shard.

import { expect, it } from 'vitest';
import { logShard } from '../../../src/daemon/shards/shard.ts';
import { type LogLine, recordingLog } from '../../support/recording-log.ts';

const OWNERS = ['a', 'b', 'c'].map((account, index) => ({ account, shard: index % 2, isPinned: false }));

const linesFor = (accounts: readonly string[], index: number, count: number): LogLine[] => {
  const lines: LogLine[] = [];
  logShard(recordingLog(lines), { accounts, sharding: { index, count, owners: OWNERS } });
  return lines;
};

it('a shard logs its number, and how many of all accounts it has', () => {
  expect(linesFor(['a', 'c'], 0, 2)).toEqual([
    {
      level: 'info',
      message: 'this shard runs its share of the accounts',
      fields: { shard: '0/2', accounts: 2, allAccounts: 3 },
    },
  ]);
});

it('a shard without accounts says that it polls nothing, and where the accounts are', () => {
  expect(linesFor([], 2, 3)).toEqual([
    {
      level: 'info',
      message:
        'this shard has no accounts, so it polls nothing. check-config --shard shows which shard runs which account',
      fields: { shard: '2/3', accounts: 0, allAccounts: 3 },
    },
  ]);
});

it('a daemon without shards logs nothing', () => {
  expect(linesFor(['a', 'b', 'c'], 0, 1)).toEqual([]);
  const lines: LogLine[] = [];
  logShard(recordingLog(lines), { accounts: [] });
  expect(lines).toEqual([]);
});
