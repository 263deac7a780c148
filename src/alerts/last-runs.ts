// Reads the last runs of an account's collectors, which several alert conditions need.

import type { CollectorName } from '../collectors/context.ts';
import type { RunState } from '../store/account-store.ts';
import type { EvaluationContext } from './alert.ts';

/** Returns the last runs of the collectors that are on. */
export const lastRunsOf = async ({ account, store }: EvaluationContext): Promise<RunState[]> =>
  (await store.runs.states(account.name)).filter(({ collector }) =>
    account.collectors.some((name) => name === collector),
  );

/**
 * Returns when the collector last succeeded (ms). Conditions compare stored times with it, not with the clock, so that
 * time without polls neither starts nor ends an alert. Undefined before the first success, and if the collector is off.
 */
export const lastSuccessOf = async (
  evaluation: EvaluationContext,
  collector: CollectorName,
): Promise<number | undefined> =>
  (await lastRunsOf(evaluation)).find((run) => run.collector === collector)?.lastSuccessAt ?? undefined;

/** The same as PromQL, in seconds: one sample for each account of each daemon. */
export const lastSuccessExpression = (collector: CollectorName): string =>
  `max by (instance, account) (proxywatch_collector_last_success_timestamp_seconds{collector="${collector}"})`;
