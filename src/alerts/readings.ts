// What several conditions read of an account.

import type { CollectorName } from '../collectors/context.ts';
import type { RunState } from '../store/run-store.ts';
import type { Evaluation } from './alert.ts';

/** The last runs of collectors that are on. */
export const runsOf = async ({ account, store }: Evaluation): Promise<RunState[]> =>
  (await store.runs.states(account.name)).filter(({ collector }) =>
    account.collectors.some((name) => name === collector),
  );

/**
 * When the collector last succeeded (ms): what stored times are compared with, so that the mere passing of time
 * without polls starts and ends nothing. Undefined before the first time, and where it is off.
 */
export const lastSuccessOf = async (
  evaluation: Evaluation,
  collector: CollectorName,
): Promise<number | undefined> =>
  (await runsOf(evaluation)).find((run) => run.collector === collector)?.lastSuccessAt ?? undefined;

/** The same for expressions, in seconds, once for each account of each daemon. */
export const lastSuccessExpression = (collector: CollectorName): string =>
  `max by (instance, account) (proxywatch_collector_last_success_timestamp_seconds{collector="${collector}"})`;
