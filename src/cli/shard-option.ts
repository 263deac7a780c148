// Reads the option --shard, which takes precedence over the environment variable PROXYWATCH_SHARD.

import { InvalidArgumentError } from 'commander';
import { EXPECTED_SHARD, parseShard } from '../daemon/shards/shard.ts';
import type { CommandContext } from './context.ts';

export interface ShardOption {
  /** As `I/N`. */
  readonly shard?: string;
}

/** Throws InvalidArgumentError. */
export const parseShardOption = (text: string): string => {
  if (parseShard(text)) return text;
  throw new InvalidArgumentError(`Expected ${EXPECTED_SHARD}.`);
};

/** Returns the environment with the shard of the option. */
export const withShard = (env: CommandContext['env'], { shard }: ShardOption): CommandContext['env'] =>
  shard === undefined ? env : { ...env, PROXYWATCH_SHARD: shard };
