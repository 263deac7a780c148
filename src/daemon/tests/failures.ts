// Reads failed tests of the provider's testers and failed probes, which have the answer of the proxy.

import { setImmediate } from 'node:timers/promises';
import { probesAccount } from '../../collectors/probes-account.ts';
import type { ListedFailure } from '../../http/daemon-view.ts';
import type { Store } from '../../store/store.ts';
import type { FailureFilter } from '../../store/test-history-store.ts';

/** Both number their failures themselves, so each is a source of its own. */
export const failureSourcesOf = (account: string): readonly string[] => [account, probesAccount(account)];

export const readFailures = async (
  { tests, probes }: Pick<Store, 'tests' | 'probes'>,
  source: string,
  limit: number,
  filter: FailureFilter,
): Promise<ListedFailure[]> => {
  const failures = await tests.recentFailures(source, limit, filter);
  const lastOf = new Map<string, ReturnType<typeof probes.failures>>();
  const listed: ListedFailure[] = [];
  for (const failure of failures) {
    const last = lastOf.get(failure.proxy) ?? probes.failures(source, failure.proxy);
    lastOf.set(failure.proxy, last);
    // Only the last failure of a proxy at a url has the answer of the proxy.
    const details = (await last).find(({ url, at }) => url === failure.url && at === failure.at);
    listed.push({ ...failure, details: details ?? null });
    if (listed.length % 100 === 0) await setImmediate();
  }
  return listed;
};
