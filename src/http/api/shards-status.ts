// Defines how the status shows the shards and their accounts.

import { z } from 'zod';
import type { ShardsStatus } from '../status-view.ts';
import { account, count, flag, text } from './fields.ts';

const shard = count.describe('Number of a shard, from 0');

export const shards = z
  .strictObject({
    shard: shard.describe('Number of this shard, from 0'),
    shards: count.describe('Number of shards, 1 if the daemon runs all accounts'),
    urls: z
      .array(text)
      .describe('Addresses of the status pages by shard, or empty if they are not configured'),
    accounts: z
      .array(
        z.strictObject({
          account,
          shard: shard.describe('Number of the shard that runs the account'),
          is_pinned: flag.describe('Whether the setting shard of the account chose the shard'),
        }),
      )
      .describe('All accounts of the configuration, also those of other shards'),
  })
  .describe('Which shard this daemon is, and which shard runs which account');

export const shardsJson = ({ index, count, urls, owners }: ShardsStatus): z.output<typeof shards> => ({
  shard: index,
  shards: count,
  urls: [...urls],
  accounts: owners.map(({ account, shard, isPinned }) => ({ account, shard, is_pinned: isPinned })),
});
