// Finds mistakes and warnings that concern several settings, which the schema alone cannot find.

import { windowMistakes } from '../../alerts/muting/maintenance-window.ts';
import { receiverMistakes } from '../../alerts/receivers/options.ts';
import type { Path } from '../../config/config-error.ts';
import type { Secret } from '../../lib/secret.ts';
import { remoteWriteMistakes } from '../remote-write/options.ts';
import { collectorsOf, type Settings } from '../settings.ts';
import type { Shard } from '../shards/shard.ts';
import { shardMistakes } from '../shards/shard-settings.ts';
import { retentionMistakes } from './store-schema.ts';

interface RuleMistake {
  readonly path: Path;
  readonly message: string;
}

/** Finds mistakes that concern several settings, which the schema alone cannot find. */
export const crossFieldMistakes = (settings: Settings, shard: Shard): RuleMistake[] => [
  ...retentionMistakes(
    settings.store.retention,
    settings.accounts.flatMap(({ traffic }) => traffic || []),
  ),
  ...receiverMistakes(
    settings.alerts.receivers,
    settings.accounts.map(({ name }) => name),
  ).map(({ path, message }) => ({
    path: ['alerts', 'receivers', ...path],
    message,
  })),
  ...remoteWriteMistakes(settings.remote_write).map(({ path, message }) => ({
    path: ['remote_write', ...path],
    message,
  })),
  ...windowMistakes(
    settings.alerts.maintenance,
    settings.accounts.map(({ name }) => name),
  ).map(({ path, message }) => ({ path: ['alerts', 'maintenance', ...path], message })),
  ...accountMistakes(settings),
  ...shardMistakes(settings, shard),
];

const accountMistakes = ({ accounts }: Settings): RuleMistake[] =>
  accounts.flatMap((settings, index) => [
    ...(accounts.findIndex(({ name }) => name === settings.name) === index
      ? []
      : [
          {
            path: ['accounts', index, 'name'],
            message: `another account has the name "${settings.name}" already`,
          },
        ]),
    ...collectorsOf(settings).flatMap(({ collector, options }) =>
      (collector.mistakes?.(options, settings) ?? []).map(({ path, message }) => ({
        path: ['accounts', index, collector.name, ...path],
        message,
      })),
    ),
  ]);

interface PacedAccount {
  readonly name: string;
  readonly base_url: string;
  readonly public_key: Secret;
  readonly requests_per_second: number;
}

/** The provider's default limit for each customer, by its documentation. */
const CUSTOMER_LIMIT = 10;

/**
 * Returns a warning for the first account of each customer whose accounts may send more. All accounts of the file count,
 * also those of other shards. The file shows only by the public key that two accounts belong to one customer.
 */
export const sharedPaceWarnings = (
  accounts: readonly PacedAccount[],
): { readonly path: readonly (string | number)[]; readonly message: string }[] => {
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
