// Reads for the conditions of alerts: the newest runs, and the faults that the tests and the probes of an account found.

import type { Collector, CommonOptions } from '../../collectors/collector.ts';
import type { CollectorName, ReadContext } from '../../collectors/context.ts';
import { reasonAndNextStep } from '../../collectors/faults/next-step.ts';
import { readProbeFaults } from '../../collectors/probes/current-state.ts';
import { probes } from '../../collectors/probes/probes.ts';
import { vantageContext } from '../../collectors/probes/vantage.ts';
import { readTestedProxies } from '../../collectors/proxy-sources/tested-proxies.ts';
import { readCurrentFaults } from '../../collectors/proxy-tests/current-findings.ts';
import { proxyTests } from '../../collectors/proxy-tests/proxy-tests.ts';
import type { RunState } from '../../store/account-store.ts';
import type { Fault } from '../../store/test-store.ts';
import type { AccountAlert, EvaluationContext } from '../alert.ts';

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

/** Returns the context that the queries of the collector need; undefined while the collector is off. */
export const contextOf = <O extends CommonOptions>(
  { account, store, clock, options }: EvaluationContext,
  collector: Collector<O>,
): ReadContext<O> | undefined => {
  const own = options(collector);
  return own && { account, store, clock, options: own };
};

export const testsOf = (evaluation: EvaluationContext) => contextOf(evaluation, proxyTests);

export const vantageOf = (evaluation: EvaluationContext) => {
  const context = contextOf(evaluation, probes);
  return context && vantageContext(context);
};

/** Holds for the subjects of faults of this kind, which `label` names. A fault that tests and probes found comes twice. */
export const whileAtFault = (
  kind: Fault['kind'],
  label?: string,
): Pick<AccountAlert, 'labels' | 'expression' | 'find'> => ({
  labels: label === undefined ? [] : [label],
  expression: () => `proxywatch_fault{kind="${kind}"} == 1`,
  async *find(evaluation) {
    const [probed, tested] = [vantageOf(evaluation), testsOf(evaluation)];
    const faults = [
      ...(probed ? await readProbeFaults(probed) : []),
      ...(tested ? await readCurrentFaults(tested, await readTestedProxies(tested)) : []),
    ];
    for (const fault of faults.filter((each) => each.kind === kind)) {
      const labels = label === undefined ? {} : { [label]: fault.subject };
      yield { labels, value: 1, reason: reasonAndNextStep(fault) };
    }
  },
});
