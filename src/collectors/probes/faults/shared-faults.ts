// Finds targets at fault by refusals and controls, and joins proxies that fail from here together into one problem.

import { flatMapInSteps, type Steps } from '../../../lib/steps.ts';
import type { StoredControl } from '../../../store/probe-store.ts';
import { MIN_PROXIES, MIN_PROXIES_FOR_OUTAGE } from '../../faults/assessment.ts';
import { type AttributedFault, type Attribution, policyFaults } from '../../faults/attribution.ts';
import { BLOCKED } from '../../faults/next-step.ts';
import { hasFailed } from '../../faults/proxy-round.ts';
import { OUTAGE_SAMPLE_SIZE, Tally } from '../../faults/round-tallies.ts';
import { type EvidenceCell, errorSourceOf, gotAnswer } from '../evidence.ts';
import { failingCells } from './access.ts';
import { commonestCode, sharedReason } from './access-reasons.ts';
import { causeOfCell, isOfTarget, phaseOf } from './outcomes.ts';
import type { CellsByProxy, ProbeRound } from './probe-round.ts';
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

/** The faults of proxies that fail with the same error code. */
interface Group {
  readonly subjects: ReadonlySet<string>;
  readonly cells: readonly EvidenceCell[];
}

/** Gives the faults of many proxies that fail with the same error code one reason. */
export function* withSharedReason(
  faults: readonly AttributedFault[],
  { evidence, judged, access: { view, before }, options }: ProbeRound,
): Steps<AttributedFault[]> {
  const failing = yield* flatMapInSteps(faults, (fault) => {
    const cells = judged.get(fault.subject) ?? [];
    return failsFromHere(fault, cells, view) ? [failingCells(cells)] : [];
  });
  const wereAccess = new Set(
    faults.flatMap(({ kind, subject }) => (kind === 'proxy' && before('access', subject) ? [subject] : [])),
  );
  const shared = new Map<string, Pick<AttributedFault, 'reason' | 'code'>>();
  for (const { subjects, cells } of groupsOf(failing)) {
    const tally = tallyOf(subjects, judged, options.since);
    yield;
    const words = { reason: sharedReason(cells, judged.size), code: commonestCode(cells) };
    for (const subject of subjects)
      if (
        isOneOfMany(tally, wereAccess.has(subject)) ||
        (evidence.controls.length === 0 && isOneOfAll(tally))
      )
        shared.set(subject, words);
  }
  return faults.map((fault) => {
    const words = shared.get(fault.subject);
    return words === undefined ? fault : { kind: 'access', subject: fault.subject, ...words };
  });
}

/** Another error code can have another cause. So wrong credentials do not count towards a firewall, for example. */
const groupsOf = (failing: readonly (readonly EvidenceCell[])[]): Group[] =>
  [...Map.groupBy(failing, commonestCode).values()].map((proxies) => {
    const cells = proxies.flat();
    return { subjects: new Set(cells.map(({ proxy }) => proxy)), cells };
  });

const failsFromHere = (
  { kind }: AttributedFault,
  cells: readonly EvidenceCell[],
  view: TesterView,
): boolean => {
  const failing = failingCells(cells);
  if (failing.length === 0) return false;
  return kind === 'access' || (failing.length === cells.length && view.ofCells(cells) === 'unknown');
};

/** If a round does not probe all proxies, their share is that of the newest results, as in the proxy tests. */
const tallyOf = (proxies: ReadonlySet<string>, byProxy: CellsByProxy, since: number): Tally => {
  const tally = new Tally(since, OUTAGE_SAMPLE_SIZE);
  const times = [...byProxy].map(([proxy, cells]) => ({ proxy, at: cells[0]?.at ?? 0 }));
  for (const { proxy, at } of times.sort((a, b) => b.at - a.at || (a.proxy < b.proxy ? -1 : 1)))
    tally.add(at, Number(proxies.has(proxy)));
  return tally;
};

/** The end has a lower share than the begin, so that a share close to half does not change the kind in every round. */
const isOneOfMany = (tally: Tally, wasAccess: boolean): boolean =>
  tally.votes >= MIN_PROXIES_FOR_OUTAGE && (tally.isFaulty || (wasAccess && !tally.isHealthy));

/** Without controls, only another proxy that answers shows that the line of this machine works. */
const isOneOfAll = ({ votes, isUnanimous }: Tally): boolean => votes > 1 && isUnanimous;
