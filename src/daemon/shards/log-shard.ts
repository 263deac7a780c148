// Logs which shard this daemon is, and that it has no accounts if that is so: at the start, and when accounts come or leave.

import type { Log } from '../../lib/log.ts';
import type { Sharding } from './shard.ts';

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
