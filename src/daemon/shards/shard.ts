// Decides which shard runs an account, and logs which shard this daemon is.

import { createHash } from 'node:crypto';
import { SHARD_LABEL } from '../../alerts/receivers/routing-options.ts';
import type { Log } from '../../lib/log.ts';

/** One of several daemons that share a configuration file. Each runs some of the accounts. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** Which account runs on which shard, by the configuration file. */
export interface Sharding extends Shard {
  readonly owners: readonly Owner[];
}

export interface Owner {
  readonly account: string;
  readonly shard: number;
  /** Whether the setting `shard` of the account chose the shard. */
  readonly isPinned: boolean;
}

/** A daemon without shards is the first of one. */
export const ALONE: Shard = { index: 0, count: 1 };

export const EXPECTED_SHARD =
  'a shard and the number of shards, such as 0/3, 1/3 or 2/3. There can be up to 1000 shards';
/** A cluster that loses a part of its configuration must not spread the accounts over millions of shards. */
const MAX_SHARDS = 1_000;

/** Returns undefined if the text is not I/N with I from 0 to N - 1. */
export const parseShard = (text: string): Shard | undefined => {
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined) return undefined;
  return index < count && count <= MAX_SHARDS ? { index, count } : undefined;
};

/** Returns the labels of alerts about the daemon itself. A daemon that is alone needs none. */
export const labelsOf = ({ index, count }: Shard): Readonly<Record<string, string>> =>
  count === 1 ? {} : { [SHARD_LABEL]: `${index}` };

/**
 * Returns the shard that runs the account, by rendezvous hashing: each shard has a weight for the account, and the
 * largest weight wins. So one more shard takes about 1/N of the accounts, and no account moves between the others.
 */
export const ownerOf = (account: string, count: number): number => {
  let [owner, largest] = [0, -1];
  for (let shard = 0; shard < count; shard++) {
    const weight = weightOf(account, shard);
    if (weight > largest) [owner, largest] = [shard, weight];
  }
  return owner;
};

/** 48 bits, which a number holds exactly. */
const weightOf = (account: string, shard: number): number =>
  createHash('sha256').update(`${shard} ${account}`).digest().readUIntBE(0, 6);

const NO_ACCOUNTS =
  'this shard has no accounts, so it polls nothing. check-config --shard shows which shard runs which account';

/** A daemon without shards logs nothing. */
export const logShard = (
  log: Log,
  { accounts, sharding }: { readonly accounts: readonly unknown[]; readonly sharding?: Sharding },
): void => {
  if (!sharding || sharding.count === 1) return;
  const { index, count, owners } = sharding;
  const fields = { shard: `${index}/${count}`, accounts: accounts.length, allAccounts: owners.length };
  log.info(fields, accounts.length === 0 ? NO_ACCOUNTS : 'this shard runs its share of the accounts');
};
