// Applies the shard to a loaded configuration: only its own accounts stay, and heartbeats carry its number. Finds settings
// that do not fit several shards.

import type { ReceiverOptions } from '../../alerts/receivers/options.ts';
import { mistakeIf, mistakesBelow, type Path, type SettingMistake } from '../../config/config-error.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { type Owner, ownerOf, type Shard, type Sharding } from './shard.ts';

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

/** In the address of a heartbeat. */
export const PLACEHOLDER = '{shard}';

interface SharedSettings {
  readonly server: { readonly shards: readonly string[] };
  readonly accounts: readonly { readonly shard?: number | undefined }[];
  readonly alerts: { readonly receivers: readonly ReceiverOptions[] };
}

/** A daemon that is alone has none. */
export const shardMistakes = (
  { accounts, alerts, server }: SharedSettings,
  { count }: Shard,
): SettingMistake[] =>
  count === 1
    ? []
    : [
        ...mistakesBelow(['server', 'shards'], addressMistakes(server.shards, count)),
        ...accounts.flatMap(({ shard = 0 }, index) =>
          mistakeIf(
            shard >= count,
            ['accounts', index, 'shard'],
            `expected a number from 0 to ${count - 1}, because there are ${count} shards`,
          ),
        ),
        ...alerts.receivers.flatMap((receiver, index) =>
          mistakesBelow(['alerts', 'receivers', index], receiverMistakes(receiver, count)),
        ),
      ];

const addressMistakes = (urls: readonly string[], count: number): SettingMistake[] => [
  ...mistakeIf(
    urls.length > 0 && urls.length !== count,
    [],
    `expected ${count} addresses, one for each shard, and found ${urls.length}`,
  ),
  ...urls.flatMap((url, index) => {
    const first = urls.indexOf(url);
    return mistakeIf(first !== index, [index], `shard ${first} has this address already`);
  }),
];

const receiverMistakes = (receiver: ReceiverOptions, count: number): SettingMistake[] => [
  ...mistakeIf(
    receiver.type === 'heartbeat' && !receiver.url.reveal().includes(PLACEHOLDER),
    ['url'],
    `expected ${PLACEHOLDER} in the address, because there are ${count} shards. If all shards send heartbeats to one address, it does not show that one of them is down`,
  ),
  ...mistakeIf(
    receiver.type === 'webhook' &&
      receiver.template === 'pagerduty' &&
      !receiver.group_by.includes('account'),
    ['group_by'],
    `expected account in the list, because there are ${count} shards. Otherwise the shards resolve the incidents of each other in PagerDuty`,
  ),
];
