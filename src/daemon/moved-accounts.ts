// Leaves out the accounts that were moved to another store: the daemon on that store runs them.

import type { Log } from '../lib/log.ts';
import type { MovedAccount } from '../store/account-store.ts';
import type { Store } from '../store/store.ts';
import type { Settings } from './settings.ts';

/** Returns the settings without these accounts, and calls `onMoved` for each one left out. */
export const withoutMoved = async (
  settings: Settings,
  { accounts }: Pick<Store, 'accounts'>,
  onMoved: (moved: MovedAccount) => void,
): Promise<Settings> => {
  const moved = new Map((await accounts.movedOut()).map((each) => [each.account, each]));
  const isHere = ({ name }: Settings['accounts'][number]): boolean => {
    const left = moved.get(name);
    if (left) onMoved(left);
    return left === undefined;
  };
  return { ...settings, accounts: settings.accounts.filter(isHere) };
};

/** Returns a function that logs each account once. */
export const movedLogger = (log: Log, store: string): ((moved: MovedAccount) => void) => {
  const logged = new Set<string>();
  return ({ account, at }) => {
    if (logged.has(account)) return;
    logged.add(account);
    log.warn(
      { account, store, movedAt: new Date(at).toISOString() },
      'this account was moved out of this store with "store backup --account", so this daemon does not run it. Take it in at its new store with "store restore --merge", and let only the daemon of that store run it',
    );
  };
};
