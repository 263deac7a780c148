// Applies the shard to a loaded configuration: only its own accounts stay, and heartbeats carry its number.

import type { ReceiverOptions } from '../../alerts/receivers/options.ts';
import type { Path } from '../../config/config-error.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { type Owner, ownerOf, type Shard, type Sharding } from './shard.ts';
import { PLACEHOLDER } from './shard-mistakes.ts';

interface Account {
  readonly name: string;
  readonly shard?: number | undefined;
}

interface Shardable<A extends Account> {
  readonly accounts: readonly A[];
  readonly alerts: { readonly receivers: readonly ReceiverOptions[] };
}

export const ofShard = <A extends Account, T extends Shardable<A>, L extends LoadedConfig<T>>(
  loaded: L & LoadedConfig<T & Shardable<A>>,
  shard: Shard,
) => {
  const { config } = loaded;
  const owners = config.accounts.map((account) => ownership(account, shard));
  const own = owners.flatMap((owner, index) => (owner.shard === shard.index ? [index] : []));
  const receivers = config.alerts.receivers.map((receiver) => numbered(receiver, shard));
  const sharding: Sharding = { ...shard, owners };
  return {
    ...loaded,
    config: {
      ...config,
      accounts: config.accounts.filter((_, index) => own.includes(index)),
      alerts: { ...config.alerts, receivers },
      sharding,
    },
    mistakeAt: (path: Path, message: string) => loaded.mistakeAt(inFile(path, own), message),
    isFromEnvironment: (path: Path) => loaded.isFromEnvironment(inFile(path, own)),
  };
};

const ownership = ({ name, shard }: Account, { count }: Shard): Owner =>
  shard === undefined || count === 1
    ? { account: name, shard: ownerOf(name, count), isPinned: false }
    : { account: name, shard, isPinned: true };

const numbered = (receiver: ReceiverOptions, { index }: Shard): ReceiverOptions =>
  receiver.type === 'heartbeat'
    ? { ...receiver, url: receiver.url.map((url) => url.replaceAll(PLACEHOLDER, `${index}`)) }
    : receiver;

/** Returns the path in the file, which also has the accounts of other shards. */
const inFile = (path: Path, own: readonly number[]): Path => {
  const [section, index, ...rest] = path;
  return section === 'accounts' && typeof index === 'number' ? [section, own[index] ?? index, ...rest] : path;
};
