// Finds the targets at fault that only a refusal by policy or a control shows.

import type { AttributedFault, Attribution } from '../../faults/attribution.ts';
import { consecutiveFailures } from '../../faults/proxy-round.ts';
import type { ControlState, EvidenceCell } from '../evidence.ts';
import { agreedFaults, failuresAt } from './agreed-faults.ts';
import { isRefusedByPolicy } from './outcomes.ts';
import type { ProbeRound } from './probe-round.ts';

type WasFound = (url: string) => boolean;

const POLICY_REASON = 'the provider’s policy refuses this target through these proxies';

/** A target has one fault. The reason that says the most comes first. A fault stays while both the control and probes of the target fail. */
export const targetFaults = (
  { evidence: { probes, controls }, decided, before, access: { view, faultAfter }, failing }: ProbeRound,
  pattern: Attribution,
): AttributedFault[] => {
  const wasFound: WasFound = (url) => before.wasFound('target', url);
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

/** A refusal by policy concerns a target and a product type. It is no fault of the proxies. */
const policyFaults = (
  cells: readonly EvidenceCell[],
  faultAfter: number,
  wasFound: WasFound,
): AttributedFault[] =>
  [...Map.groupBy(cells, ({ url }) => url)].flatMap(([url, atUrl]) => {
    const byType = Map.groupBy(atUrl, ({ productType }) => productType);
    const productTypes = [...byType].flatMap(([type, ofType]) => {
      const refused = ofType.filter(isRefusedByPolicy);
      const lasting = refused.filter((cell) => consecutiveFailures(cell) >= faultAfter);
      const isFound = wasFound(url)
        ? 4 * refused.length >= ofType.length
        : lasting.length > 0 && 2 * lasting.length >= ofType.length;
      return isFound ? [type] : [];
    });
    if (productTypes.length === 0) return [];
    const scope = { productTypes: productTypes.sort(), isNamed: false };
    return [{ kind: 'target', subject: url, reason: POLICY_REASON, scope } as const];
  });

/** Says what the controls show about targets at which proxies fail. */
const withControls =
  (controls: readonly ControlState[]) =>
  (fault: AttributedFault): AttributedFault => {
    const works = controls.some(({ url, isSuccessful }) => url === fault.subject && isSuccessful);
    if (!works) return fault;
    const reason = `blocked through proxies only: it works from here without a proxy (${fault.reason})`;
    return { ...fault, reason };
  };
