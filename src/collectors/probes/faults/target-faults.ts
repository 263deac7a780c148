// Finds the targets at fault that only a refusal by policy or a control shows.

import type { AttributedFault, Attribution } from '../../faults/attribution.ts';
import { BLOCKED } from '../../faults/next-step.ts';
import { policyFaults } from '../../faults/policy-faults.ts';
import type { ControlState } from '../evidence.ts';
import { agreedFaults, failuresAt } from './agreed-faults.ts';
import type { ProbeRound } from './probe-round.ts';

/** A target has one fault. The reason that says the most comes first. A fault stays while both the control and probes of the target fail. */
export const targetFaults = (
  { evidence: { probes, controls }, decided, before, access: { view, faultAfter }, failing }: ProbeRound,
  pattern: Attribution,
): AttributedFault[] => {
  const wasFound = (url: string): boolean => before.wasFound('target', url);
  const faults = [
    ...policyFaults([...decided.values()].flat(), faultAfter, wasFound),
    ...agreedFaults(probes, failing, view, faultAfter, wasFound),
    ...pattern.faults.filter(({ kind }) => kind === 'target').map(withControls(controls)),
    ...failing
      .filter(({ url }) => failuresAt(url, probes) > 0)
      .flatMap(({ url }) => before.get('target', url) ?? []),
  ];
  return [...new Map(faults.toReversed().map((fault) => [fault.subject, fault])).values()];
};

/** Says what the controls show about targets at which proxies fail. */
const withControls =
  (controls: readonly ControlState[]) =>
  (fault: AttributedFault): AttributedFault => {
    const works = controls.some(({ url, isSuccessful }) => url === fault.subject && isSuccessful);
    if (!works) return fault;
    const reason = `blocked through proxies only: it works from here without a proxy (${fault.reason})`;
    return { ...fault, reason, code: BLOCKED };
  };
