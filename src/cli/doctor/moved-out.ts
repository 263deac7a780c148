// Finds accounts of the configuration that were moved out of the store: no daemon runs them on it, and nothing shows them.

import type { Settings } from '../../daemon/settings.ts';
import { type CheckResult, warning } from './check-result.ts';
import type { StoredHistory } from './customers.ts';

const ADVICE =
  'Take it in at its new store with "store restore --merge". If another shard runs it, set PROXYWATCH_SHARD to the shard of this store, or pin the account with the setting shard.';

export function* checkMovedOut(
  { accounts, store: { path } }: Pick<Settings, 'accounts' | 'store'>,
  history: StoredHistory,
): Generator<CheckResult> {
  if (history === 'unreadable') return;
  for (const { account, at } of history.movedOut)
    if (accounts.some(({ name }) => name === account))
      yield warning(
        account,
        `it was moved out of ${path} at ${new Date(at).toISOString()}, so a daemon on this store does not run it`,
        ADVICE,
      );
}
