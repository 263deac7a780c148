// Defines the option --shard, which takes precedence over the environment variable PROXYWATCH_SHARD.

import { InvalidArgumentError, Option } from 'commander';
import type { Settings } from '../daemon/settings.ts';
import { EXPECTED_SHARD, parseShard } from '../daemon/shards/shard.ts';
import type { CommandContext } from './context.ts';

export interface ShardOption {
  /** As `I/N`. */
  readonly shard?: string;
}

/** Without the option, the environment variable decides. */
export const shardOption = (): Option =>
  new Option(
    '--shard <I/N>',
    'only the accounts of shard I of N shards, from 0 (default: $PROXYWATCH_SHARD)',
  ).argParser(parseShardOption);

const parseShardOption = (text: string): string => {
  if (parseShard(text)) return text;
  throw new InvalidArgumentError(`Expected ${EXPECTED_SHARD}.`);
};

/** Returns the environment with the shard of the option. */
export const withShard = (env: CommandContext['env'], { shard }: ShardOption): CommandContext['env'] =>
  shard === undefined ? env : { ...env, PROXYWATCH_SHARD: shard };

/** Returns which accounts a command uses, such as `shard 1 of 3: main, shop`; undefined if it uses all of them. */
export const shardText = ({ accounts, sharding }: Settings): string | undefined => {
  if (!sharding || sharding.count === 1) return undefined;
  const shard = `shard ${sharding.index} of ${sharding.count}`;
  return accounts.length === 0
    ? `${shard} has no accounts`
    : `${shard}: ${accounts.map(({ name }) => name).join(', ')}`;
};
