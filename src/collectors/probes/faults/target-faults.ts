// Finds the targets at fault that only a refusal by policy or a control shows.

import type { StoredControl } from '../../../store/probe-store.ts';
import { MIN_PROXIES } from '../../faults/assessment.ts';
import type { AttributedFault, Attribution } from '../../faults/attribution.ts';
import { BLOCKED } from '../../faults/next-step.ts';
import { policyFaults } from '../../faults/policy-faults.ts';
import { hasFailed } from '../../faults/proxy-round.ts';
import { type EvidenceCell, errorSourceOf, gotAnswer } from '../evidence.ts';
import { causeOfCell, isOfTarget, phaseOf } from './outcomes.ts';
import type { ProbeRound } from './probe-round.ts';
import type { TesterView } from './tester-view.ts';

/** A target has one fault. The reason that says the most comes first. A fault stays while both the control and probes of the target fail. */
export const targetFaults = (
  { evidence: { probes, controls }, decided, access: { view, faultAfter, before }, failing }: ProbeRound,
  pattern: Attribution,
): AttributedFault[] => {
  const wasFound = (url: string): boolean => before('target', url) !== undefined;
  const faults = [
    ...policyFaults([...decided.values()].flat(), faultAfter, wasFound),
    ...agreedFaults(probes, failing, view, faultAfter, wasFound),
    ...pattern.faults.filter(({ kind }) => kind === 'target').map(withControls(controls)),
    ...failing
      .filter(({ url }) => failuresAt(url, probes) > 0)
      .flatMap(({ url }) => before('target', url) ?? []),
  ];
  return [...new Map(faults.toReversed().map((fault) => [fault.subject, fault])).values()];
};

/** Says what the controls show about targets at which proxies fail. */
const withControls =
  (controls: readonly StoredControl[]) =>
  (fault: AttributedFault): AttributedFault => {
    const works = controls.some(({ url, isSuccessful }) => url === fault.subject && isSuccessful);
    if (!works) return fault;
    const reason = `blocked through proxies only: it works from here without a proxy (${fault.reason})`;
    return { ...fault, reason, code: BLOCKED };
  };

const TESTERS_REASON = 'it fails from here without a proxy, and from the provider’s testers too';
const PROXIES_REASON = 'it fails from here without a proxy, and behind the proxies too';

/**
 * A target whose control fails is at fault only if others agree: the provider's testers or, if they have no results at this
 * target, the proxies. Otherwise nothing would ever be said about the only target of an operator, because nothing else
 * can be compared with it.
 */
const agreedFaults = (
  cells: readonly EvidenceCell[],
  failing: readonly StoredControl[],
  view: TesterView,
  faultAfter: number,
  wasFound: (url: string) => boolean,
): AttributedFault[] =>
  failing.flatMap((control) => {
    const { url, failingRounds } = control;
    const testers = view.atUrl(url);
    const isTested = testers.tested > 0;
    const isAgreed = isTested ? areMost(testers.failing, testers.tested) : failsBehindProxies(control, cells);
    const isLasting = failingRounds >= faultAfter || wasFound(url);
    const reason = isTested ? TESTERS_REASON : PROXIES_REASON;
    return isAgreed && isLasting && failuresAt(url, cells) > 0
      ? [{ kind: 'target', subject: url, reason } as const]
      : [];
  });

/** The number of proxies that fail at a url in a way that a target that is down can cause. */
const failuresAt = (url: string, cells: readonly EvidenceCell[]): number =>
  cells.filter((cell) => cell.url === url && isOfTarget(cell)).length;

/**
 * Whether at least half of the proxies, or all of two to four, fail in a way that a target that is down can cause. Unless its
 * answer names the target, a proxy shows nothing about it if it fails at every other target too, or if it has no other one and
 * ends the connection before this one, which answers this machine (even if wrongly).
 */
const failsBehindProxies = (control: StoredControl, cells: readonly EvidenceCell[]): boolean => {
  const { url } = control;
  const elsewhere = cells.filter((cell) => cell.url !== url);
  const passing = new Set(elsewhere.filter((cell) => !hasFailed(cell, 0)).map(({ proxy }) => proxy));
  const isCompared = new Set(elsewhere.map(({ proxy }) => proxy));
  const showsUrl = (cell: EvidenceCell): boolean =>
    passing.has(cell.proxy) ||
    (!isCompared.has(cell.proxy) && !(gotAnswer(control) && endsBeforeTarget(cell)));
  const atUrl = cells.filter((cell) => cell.url === url && (showsUrl(cell) || namesTarget(cell)));
  return atUrl.length > 0 && areMost(atUrl.filter(isOfTarget).length, atUrl.length);
};

/** Of few proxies, one that fails for a reason of its own would be half of them. */
const areMost = (failing: number, all: number): boolean =>
  all < MIN_PROXIES ? failing === all : 2 * failing >= all;

const endsBeforeTarget = (cell: EvidenceCell): boolean => /^(resolve|connect|tunnel)$/.test(phaseOf(cell));

const namesTarget = (cell: EvidenceCell): boolean => {
  const cause = causeOfCell(cell);
  return cause !== null && errorSourceOf(phaseOf(cell), cause) === 'target';
};
