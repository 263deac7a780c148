// Reads for the conditions of alerts: the newest runs, and the faults that the tests and the probes of an account found.

import type { CollectorName, ReadContext } from '../../collectors/context.ts';
import { reasonAndNextStep } from '../../collectors/faults/next-step.ts';
import { readProbeFaults } from '../../collectors/probes/current-state.ts';
import { probes } from '../../collectors/probes/probes.ts';
import { type VantageOptions, vantageContext } from '../../collectors/probes/vantage.ts';
import { readTestedProxies } from '../../collectors/proxy-sources/tested-proxies.ts';
import { readCurrentFaults } from '../../collectors/proxy-tests/current-findings.ts';
import { proxyTests } from '../../collectors/proxy-tests/proxy-tests.ts';
import type { RunState } from '../../store/account-store.ts';
import type { Fault } from '../../store/test-store.ts';
import type { EvaluationContext, Finding } from '../alert.ts';

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

/** Returns the context that the readers of the probes need; undefined while the probes are off. */
export const vantageOf = ({
  account,
  store,
  clock,
  options,
}: EvaluationContext): ReadContext<VantageOptions> | undefined => {
  const own = options(probes);
  return own && vantageContext({ account, store, clock, options: own });
};

/** Yields a finding for each fault of this kind that the probes found. */
export async function* probeFaultsOf(
  evaluation: EvaluationContext,
  wanted: Fault['kind'],
  labelsOf: (subject: string) => Finding['labels'],
): AsyncGenerator<Finding> {
  const context = vantageOf(evaluation);
  if (!context) return;
  for (const fault of await readProbeFaults(context))
    if (fault.kind === wanted)
      yield { labels: labelsOf(fault.subject), value: 1, reason: reasonAndNextStep(fault) };
}

/** Returns the context that queries about the provider's tests need; undefined while they are off. */
export const readContextOf = ({ account, store, clock, options }: EvaluationContext) => {
  const own = options(proxyTests);
  return own && { account, store, clock, options: own };
};

/** Yields a finding for each fault of this kind. A fault that both found has the same labels twice. */
export async function* faultsOf(
  evaluation: EvaluationContext,
  wanted: Fault['kind'],
  labelsOf: (subject: string) => Finding['labels'],
): AsyncGenerator<Finding> {
  yield* probeFaultsOf(evaluation, wanted, labelsOf);
  const context = readContextOf(evaluation);
  if (!context) return;
  for (const fault of await readCurrentFaults(context, await readTestedProxies(context)))
    if (fault.kind === wanted)
      yield { labels: labelsOf(fault.subject), value: 1, reason: reasonAndNextStep(fault) };
}
