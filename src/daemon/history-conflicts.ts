// What of a configuration can't go with the history in the store, told before anything runs.

import { ConfigError, describePath, type Mistake, type Path } from '../config/config-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import { accountSettings, collectorsOf, type Settings } from './settings.ts';

/** Names the place of a mistake; LoadedConfig has one that knows lines. */
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
    const reading = { account: accountSettings(account, settings), store, clock };
    for (const { collector, options } of collectorsOf(account)) {
      for (const { path, message } of (await collector.conflicts?.({ ...reading, options })) ?? []) {
        mistakes.push(mistakeAt(['accounts', index, collector.name, ...path], message));
      }
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
};
