// Makes revisions that change with the runs of a collector.

import type { CollectorName } from '../../../collectors/context.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { accountWithCollector } from '../route.ts';

/** Returns a text that changes with each run of the account's collector, and with the configuration. */
export const runRevision = async (
  view: DaemonView,
  account: string,
  collector: CollectorName,
): Promise<string> => {
  const found = accountWithCollector(view, account, collector);
  const runs = (await found?.store.runs.states(account)) ?? [];
  const last = runs.find((run) => run.collector === collector);
  return `${view.configurationRevision()} ${last?.finishedAt ?? ''}`;
};
