// Finds settings that contradict the history in the store, before anything runs.

import { ConfigError, describePath, type Mistake, type Path } from '../config/config-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import { accountSettings, collectorsOf, type Settings } from './settings.ts';

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
