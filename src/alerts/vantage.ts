// Gives the conditions of alerts what the probes of an account found.

import type { ReadContext } from '../collectors/context.ts';
import { reasonAndNextStep } from '../collectors/faults/next-step.ts';
import { readProbeFaults } from '../collectors/probes/current-state.ts';
import { probes } from '../collectors/probes/probes.ts';
import { type VantageOptions, vantageContext } from '../collectors/probes/vantage.ts';
import type { Fault } from '../store/test-store.ts';
import type { EvaluationContext, Finding } from './alert.ts';

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
