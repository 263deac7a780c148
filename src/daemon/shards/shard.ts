// Decides which shard runs an account, logs which shard this daemon is, and applies the shard to a loaded configuration: only its
// own accounts stay, and heartbeats carry its number. Finds settings that do not fit several shards.

import { createHash } from 'node:crypto';
import type { ReceiverOptions } from '../../alerts/receivers/options.ts';
import { SHARD_LABEL } from '../../alerts/receivers/routing-options.ts';
import { mistakeIf, mistakesBelow, type Path, type SettingMistake } from '../../config/config-error.ts';
import type { LoadedConfig } from '../../config/load.ts';
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

interface Owner {
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
    // 48 bits, which a number holds exactly.
    const weight = createHash('sha256').update(`${shard} ${account}`).digest().readUIntBE(0, 6);
    if (weight > largest) [owner, largest] = [shard, weight];
  }
  return owner;
};

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
const PLACEHOLDER = '{shard}';

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
