// Finds mistakes and warnings that concern several settings, which the schema alone cannot find.

import { windowMistakes } from '../../alerts/muting/maintenance-window.ts';
import { receiverMistakes } from '../../alerts/receivers/options.ts';
import { mistakeIf, mistakesBelow, type SettingMistake } from '../../config/config-error.ts';
import { remoteWriteMistakes } from '../remote-write/options.ts';
import { type Account, collectorsOf, type Settings } from '../settings.ts';
import type { Shard } from '../shards/shard.ts';
import { shardMistakes } from '../shards/shard-settings.ts';
import { retentionMistakes } from './store-schema.ts';

/** Finds mistakes that concern several settings, which the schema alone cannot find. */
export const crossFieldMistakes = (settings: Settings, shard: Shard): SettingMistake[] => {
  const { accounts, alerts, remote_write, store } = settings;
  const names = accounts.map(({ name }) => name);
  return [
    ...retentionMistakes(
      store.retention,
      accounts.flatMap(({ traffic }) => traffic || []),
    ),
    ...mistakesBelow(['alerts', 'receivers'], receiverMistakes(alerts.receivers, names)),
    ...mistakesBelow(['remote_write'], remoteWriteMistakes(remote_write)),
    ...mistakesBelow(['alerts', 'maintenance'], windowMistakes(alerts.maintenance, names)),
    ...accounts.flatMap((account, index) => [
      ...mistakeIf(
        names.indexOf(account.name) !== index,
        ['accounts', index, 'name'],
        `another account has the name "${account.name}" already`,
      ),
      ...collectorsOf(account).flatMap(({ collector, options }) =>
        mistakesBelow(['accounts', index, collector.name], collector.mistakes?.(options, account) ?? []),
      ),
    ]),
    ...shardMistakes(settings, shard),
  ];
};

type PacedAccount = Pick<Account, 'name' | 'base_url' | 'public_key' | 'requests_per_second'>;

/** The provider's default limit for each customer, by its documentation. */
const CUSTOMER_LIMIT = 10;

/**
 * Returns a warning for the first account of each customer whose accounts may send more. All accounts of the file count,
 * also those of other shards. The file shows only by the public key that two accounts belong to one customer.
 */
export const sharedPaceWarnings = (accounts: readonly PacedAccount[]): SettingMistake[] => {
  const byCustomer = Map.groupBy(accounts, customerOf).values();
  return [...byCustomer].flatMap((group) => {
    const total = group.reduce((sum, account) => sum + account.requests_per_second, 0);
    const [first] = group;
    if (!first || total <= CUSTOMER_LIMIT) return [];
    const path = ['accounts', accounts.indexOf(first), 'requests_per_second'];
    return [{ path, message: describe(group, total) }];
  });
};

const customerOf = ({ base_url, public_key }: PacedAccount): string =>
  JSON.stringify([new URL(base_url).host, public_key.reveal()]);

const describe = (group: readonly PacedAccount[], total: number): string => {
  const names = group.map(({ name }) => name).join(', ');
  const who =
    group.length === 1
      ? `the account ${names} may send`
      : `the accounts ${names} have the same public key, and together they may send`;
  return `${who} ${total} requests a second, but the provider allows ${CUSTOMER_LIMIT} a second for each customer. Lower requests_per_second, unless the provider allows you more`;
};
