// Compares the configured accounts with the store, and leaves out those that were moved to another store.

import { ConfigError, describePath, type Mistake, type Path } from '../config/config-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { MovedAccount } from '../store/account-store.ts';
import type { Store } from '../store/store.ts';
import { accountSettings, collectorsOf, type Settings } from './settings.ts';

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

/** Locates mistakes in the file, whose accounts are those of `loaded`, and not only those that are left. */
export const locatedIn =
  (loaded: Settings, left: Settings, mistakeAt: MistakeAt): MistakeAt =>
  (path, message) => {
    const [section, index, ...rest] = path;
    const name = section === 'accounts' && typeof index === 'number' ? left.accounts[index]?.name : undefined;
    if (name === undefined) return mistakeAt(path, message);
    return mistakeAt(['accounts', loaded.accounts.findIndex((each) => each.name === name), ...rest], message);
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

/** Adds the location to a mistake; the one of LoadedConfig knows line and column. */
export type MistakeAt = (path: Path, message: string) => Mistake;

export const mistakeInSettings: MistakeAt = (path, message) => ({
  file: 'settings',
  line: 1,
  column: 1,
  path: describePath(path),
  message,
});

/** Throws ConfigError with every conflict. */
export const checkConflicts = async (
  settings: Settings,
  store: Store,
  clock: Clock,
  mistakeAt: MistakeAt,
): Promise<void> => {
  const mistakes: Mistake[] = [];
  for (const [index, account] of settings.accounts.entries()) {
    const readContext = { account: accountSettings(account, settings), store, clock };
    for (const { collector, options } of collectorsOf(account)) {
      for (const { path, message } of (await collector.conflicts?.({ ...readContext, options })) ?? []) {
        mistakes.push(mistakeAt(['accounts', index, collector.name, ...path], message));
      }
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
};
