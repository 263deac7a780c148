// Gives the conditions of alerts the faults that the provider's tests and the probes of an account found.

import { reasonAndNextStep } from '../../collectors/faults/next-step.ts';
import { readTestedProxies } from '../../collectors/proxy-sources/tested-proxies.ts';
import { readCurrentFaults } from '../../collectors/proxy-tests/current-findings.ts';
import { proxyTests } from '../../collectors/proxy-tests/proxy-tests.ts';
import type { Fault } from '../../store/test-store.ts';
import type { EvaluationContext, Finding } from '../alert.ts';
import { probeFaultsOf } from '../vantage.ts';

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
