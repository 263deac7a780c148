// Decides for each proxy whether it is at fault, cannot be used from here, or neither.

import { flatMapInSteps, type Steps } from '../../../lib/steps.ts';
import type { AttributedFault, Attribution } from '../../faults/attribution.ts';
import { type CauseLookup, causeLookup } from '../../faults/failure-causes.ts';
import type { EvidenceCell } from '../evidence.ts';
import {
  type AccessContext,
  accessFault,
  failingCells,
  faultByPattern,
  faultOfDeadProxy,
  recoveringFault,
  sideOf,
} from './access.ts';
import { commonestCode } from './access-reasons.ts';
import { roundsOfSource } from './outcomes.ts';
import type { ProbeRound } from './probe-round.ts';

interface ProxyFaultContext extends AccessContext {
  readonly since: number;
  /** Finds the fault of a target that explains a failure. */
  readonly targetOf: CauseLookup;
  /** The fault that the probes found before; undefined if there was none. */
  faultBefore(proxy: string): AttributedFault | undefined;
  /** The fault that the pattern of all proxies shows; undefined if there is none. */
  faultByPattern(proxy: string): AttributedFault | undefined;
}

/** `targets` are the faults of targets, which explain failures of the proxies. */
export function* proxyFaults(
  { evidence, access, options, before, all, judged, decided }: ProbeRound,
  pattern: Attribution,
  targets: readonly AttributedFault[],
): Steps<AttributedFault[]> {
  const byPattern = new Map(
    pattern.faults.filter(({ kind }) => kind === 'proxy').map((fault) => [fault.subject, fault]),
  );
  // What the testers found to be down for everybody also explains failures from here.
  const known = [...targets, ...evidence.testFaults.filter(({ kind }) => kind === 'target')];
  const context: ProxyFaultContext = {
    ...{ ...access, since: options.since, targetOf: causeLookup(known), faultBefore: before.ofProxy },
    faultByPattern: (proxy) => byPattern.get(proxy),
  };
  return yield* flatMapInSteps(all.keys(), (proxy) => {
    const cells = judged.get(proxy);
    // Results that show nothing do not end a fault.
    const fault = cells
      ? proxyFault(proxy, cells, context)
      : decided.has(proxy)
        ? undefined
        : before.ofProxy(proxy);
    return fault ? [fault] : [];
  });
}

/** Whether the proxy fails everywhere, and the pattern of all proxies need not decide. */
export const isDecidedAlone = (cells: readonly EvidenceCell[], context: AccessContext): boolean =>
  isDead(cells) && sideOf(cells, context) !== 'pattern';

const isDead = (cells: readonly EvidenceCell[]): boolean => failingCells(cells).length === cells.length;

/** `cells` are those of the proxy whose results show something. */
const proxyFault = (
  proxy: string,
  cells: readonly EvidenceCell[],
  context: ProxyFaultContext,
): AttributedFault | undefined => {
  // Only new results begin or end the fault of a proxy.
  if (!cells.some(({ at }) => at >= context.since)) return context.faultBefore(proxy);
  const failing = failingCells(cells).filter(
    (cell) => context.targetOf({ ...cell, isProxyDead: false }) === null,
  );
  if (isOtherCause(failing, context.faultBefore(proxy), context.faultAfter))
    return context.faultBefore(proxy);
  if (failing.length > 0 && isDecidedAlone(cells, context))
    return faultOfDeadProxy(proxy, failing, sideOf(cells, context), context);
  const found = context.faultByPattern(proxy);
  if (!found) return recoveringFault(proxy, cells, failing, context);
  // A target explains all failures. Without any, the fault is about to end.
  if (failing.length === 0) return failingCells(cells).length > 0 ? context.faultBefore(proxy) : found;
  return withSide(found, failing, context);
};

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
  failing: readonly EvidenceCell[],
  context: AccessContext,
): AttributedFault | undefined => {
  const side = sideOf(failing, context);
  if (side === 'pattern') return faultByPattern(found, failing, context);
  return side === 'access'
    ? accessFault(found.subject, failing, context.view)
    : faultOfDeadProxy(found.subject, failing, side, context);
};
