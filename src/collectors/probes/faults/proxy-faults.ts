// Decides for each proxy whether it is at fault, cannot be used from here, or neither.

import { flatMapInSteps, type Steps } from '../../../lib/steps.ts';
import type { AttributedFault, Attribution } from '../../faults/attribution.ts';
import { causeLookup } from '../../faults/failure-causes.ts';
import { areOwnSettings, ownSettingOf } from '../../faults/own-setting.ts';
import { consecutiveFailures, roundsOfSource } from '../../faults/proxy-round.ts';
import { passAgain } from '../../faults/reasons.ts';
import type { EvidenceCell } from '../evidence.ts';
import {
  type AccessContext,
  accessFault,
  failingCells,
  faultByPattern,
  faultOfDeadProxy,
  type ProxyContext,
  recoveringFault,
  sideOf,
} from './access.ts';
import { commonestCode } from './access-reasons.ts';
import { causeOfCell } from './outcomes.ts';
import type { ProbeRound } from './probe-round.ts';

interface ProxyFaultContext extends ProxyContext {
  readonly since: number;
  isOfTarget(cell: EvidenceCell): boolean;
  /** The fault that the pattern of all proxies shows; undefined if there is none. */
  faultByPattern(proxy: string): AttributedFault | undefined;
}

/** `targets` are the faults of targets, which explain failures of the proxies. */
export function* proxyFaults(
  { evidence, access, options, all, judged, decided }: ProbeRound,
  pattern: Attribution,
  targets: readonly AttributedFault[],
): Steps<AttributedFault[]> {
  const byPattern = new Map(
    pattern.faults.filter(({ kind }) => kind === 'proxy').map((fault) => [fault.subject, fault]),
  );
  // What the testers found to be down for everybody also explains failures from here.
  const known = [...targets, ...evidence.testFaults.filter(({ kind }) => kind === 'target')];
  const targetOf = causeLookup(known);
  const isOfTarget = (cell: EvidenceCell): boolean => targetOf({ ...cell, isProxyDead: false }) !== null;
  const context: ProxyFaultContext = {
    ...{ ...access, since: options.since, isOfTarget },
    faultByPattern: (proxy) => byPattern.get(proxy),
    streakOf: (cell) => (isOfTarget(cell) ? roundsOfSource(cell) : consecutiveFailures(cell)),
  };
  return yield* flatMapInSteps(all.keys(), (proxy) => {
    const cells = judged.get(proxy);
    // Results that show nothing do not end a fault.
    const fault = cells
      ? proxyFault(proxy, cells, context)
      : decided.has(proxy)
        ? undefined
        : access.faultBefore(proxy);
    return fault ? [fault] : [];
  });
}

/** Whether the proxy fails everywhere, or refuses its user, and the pattern of all proxies need not decide. */
export const isDecidedAlone = (cells: readonly EvidenceCell[], context: AccessContext): boolean =>
  (isDead(cells) && sideOf(cells, context) !== 'pattern') || areOwnSettings(failingCells(cells));

const isDead = (cells: readonly EvidenceCell[]): boolean => failingCells(cells).length === cells.length;

/** `cells` are those of the proxy whose results show something. */
const proxyFault = (
  proxy: string,
  cells: readonly EvidenceCell[],
  context: ProxyFaultContext,
): AttributedFault | undefined => {
  // Only new results begin or end the fault of a proxy.
  if (!cells.some(({ at }) => at >= context.since)) return context.faultBefore(proxy);
  const failing = failingCells(cells).filter((cell) => endsBeforeTarget(cell) || !context.isOfTarget(cell));
  if (isOtherCause(failing, context.faultBefore(proxy), context.faultAfter))
    return context.faultBefore(proxy);
  if (failing.length > 0 && isDecidedAlone(cells, context))
    return faultOfDeadProxy(proxy, failing, sideOf(failingCells(cells), context), context);
  const found = context.faultByPattern(proxy);
  // A target explains all failures.
  if (failing.length === 0 && failingCells(cells).length > 0) return context.faultBefore(proxy);
  if (!found) return recoveringFault(proxy, cells, failing, context);
  return failing.length === 0
    ? { ...found, reason: passAgain('probes') }
    : withSide(found, cells, failing, context);
};

/** Whether a fault of the target cannot cause the failure, because the connection ended before the proxy tried to reach it. */
const endsBeforeTarget = (cell: EvidenceCell): boolean =>
  ownSettingOf(cell.errorCode) !== null ||
  causeOfCell(cell) === 'no_node' ||
  /^(resolve|connect)_/.test(cell.errorCode ?? '');

/** Rounds in which the proxy answered why it refuses say nothing about another cause, which needs rounds of its own. */
const isOtherCause = (
  failing: readonly EvidenceCell[],
  before: AttributedFault | undefined,
  faultAfter: number,
): boolean =>
  failing.length > 0 &&
  isAnswered(before?.code ?? '') &&
  !isAnswered(commonestCode(failing)) &&
  failing.every((cell) => roundsOfSource(cell) < faultAfter);

/** Whether the code is a refusal by the proxy itself, for the user or for the provider. */
const isAnswered = (code: string): boolean => /_(credentials|options|no_node|provider)$/.test(code);

/** The pattern shows that the proxy is the cause. The provider's testers show whether it is so from here only. */
const withSide = (
  found: AttributedFault,
  cells: readonly EvidenceCell[],
  failing: readonly EvidenceCell[],
  context: ProxyContext,
): AttributedFault | undefined => {
  const side = sideOf(failing, context);
  if (side === 'pattern') return faultByPattern(found, cells, failing, context);
  return side === 'access'
    ? accessFault(found.subject, failing, context.view)
    : faultOfDeadProxy(found.subject, failing, side, context);
};
