// Gives what is needed to read the data of an account from the store.

import { proxyUserOptions } from '../collectors/proxy-users/options.ts';
import { serviceOptions } from '../collectors/services/selection.ts';
import type { AccountView } from '../http/daemon-view.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import type { RunningAccount } from './account.ts';
import type { Settings } from './settings.ts';

interface Viewed {
  readonly accounts: readonly RunningAccount[];
  readonly store: Store;
  readonly settings: Settings;
}

const USER_DEFAULTS = proxyUserOptions.parse({});
const SERVICE_DEFAULTS = serviceOptions.parse({});

/** Returns undefined if no account with this name runs. */
export const accountView = (
  { accounts, store, settings }: Viewed,
  clock: Clock,
  name: string,
): AccountView | undefined => {
  const running = accounts.find((each) => each.name === name);
  if (!running) return undefined;
  const userOptions = running.settings.proxy_users || USER_DEFAULTS;
  const { quotes, services } = running.settings;
  const orders = quotes === false ? [] : quotes.items.map(({ name }) => name);
  const keptMs = settings.store.retention.daily;
  return {
    ...{ settings: running.context, store, clock, orders, keptMs },
    ...{ userOptions, serviceOptions: services || SERVICE_DEFAULTS },
  };
};
