// Attributes failing probes to a target, the provider, a proxy, or the access from here to a proxy.
//
// The vantage is a tester of its own. Two comparisons decide what its failures mean.
//
// 1. The controls, which are asked without a proxy. If none of them gets an answer and no proxy answers, the fault is of
//    this machine or its line, and nothing changes. If the control of one url fails, probes of this url decide nothing,
//    unless the provider's testers fail there too.
// 2. The provider's testers. If a proxy passes from them after it began to fail from here, the cause is the access from
//    here. A proxy that fails from both is at fault itself, until the proxy tests have found it too.
//
// Refusals for quota belong to the user's bytes, and refusals for policy to the target. Only its own answers show a fault of
// the provider. The pattern of all proxies decides the rest, as in the proxy tests.

import { flatMapInSteps, type Steps } from '../../../lib/steps.ts';
import type { InconclusiveFailures } from '../../../store/test-store.ts';
import {
  type AttributedFault,
  type Attribution,
  attributeFaults,
  byKindAndSubject,
  type FaultOptions,
  isOfOneProxy,
} from '../../faults/attribution.ts';
import { hasFailed } from '../../faults/proxy-round.ts';
import { isLineDown, type ProbeEvidence } from '../evidence.ts';
import { causeOfCell } from './outcomes.ts';
import { type ProbeRound, readRound } from './probe-round.ts';
import { isDecidedAlone, proxyFaults } from './proxy-faults.ts';
import { targetFaults, withSharedReason } from './shared-faults.ts';

/** `previous` is the attribution of the probes before this round. The order of the cells does not matter. */
export function* attributeProbes(
  evidence: ProbeEvidence,
  previous: Attribution,
  options: FaultOptions,
): Steps<Attribution> {
  const isNew = evidence.probes.some(({ at }) => at >= options.since);
  if (!isNew || isLineDown(evidence.controls)) return previous;
  const round = yield* readRound(evidence, previous, options);
  const pattern = yield* faultsByPattern(round, previous);
  const targets = targetFaults(round, pattern);
  yield;
  const found = yield* proxyFaults(round, pattern, targets);
  const proxies = yield* withSharedReason(found, round);
  const faults = [...(round.provider ? [round.provider] : []), ...targets, ...proxies];
  return {
    faults: faults.sort(byKindAndSubject),
    inconclusive: inconclusiveFailures(round, pattern, faults),
  };
}

/** A failing control says more about a url than the pattern does. A fault of the target explains the failures. */
const inconclusiveFailures = (
  round: ProbeRound,
  { inconclusive }: Attribution,
  faults: readonly AttributedFault[],
): InconclusiveFailures[] => {
  const faultyTargets = new Set(faults.flatMap(({ kind, subject }) => (kind === 'target' ? [subject] : [])));
  const unexplained = [...inconclusive, ...undecidedFailures(round, faults)];
  const byUrl = new Map(
    unexplained.filter(({ url }) => !faultyTargets.has(url)).map((each) => [each.url, each]),
  );
  return [...byUrl.values()].sort((a, b) => (a.url < b.url ? -1 : 1));
};

/** Without new results, nothing is compared, and what was inconclusive stays so. */
function* faultsByPattern(
  { judged, access, options }: ProbeRound,
  previous: Attribution,
): Steps<Attribution> {
  const cells = yield* flatMapInSteps(judged.values(), (ofProxy) =>
    isDecidedAlone(ofProxy, access) ? [] : ofProxy,
  );
  return cells.some(({ at }) => at >= options.since)
    ? yield* attributeFaults(cells, previous, { ...options, findsOutages: false })
    : { faults: [], inconclusive: previous.inconclusive };
}

/** `faults` are those that explain failures. */
const undecidedFailures = (
  { all, decided, failing }: Pick<ProbeRound, 'all' | 'decided' | 'failing'>,
  faults: readonly AttributedFault[],
): InconclusiveFailures[] => {
  const atFault = new Set(faults.flatMap(({ kind, subject }) => (isOfOneProxy({ kind }) ? [subject] : [])));
  const isUndecided = (url: string, proxy: string): boolean =>
    !atFault.has(proxy) &&
    !decided.get(proxy)?.some((cell) => cell.url === url) &&
    all
      .get(proxy)
      ?.some((cell) => cell.url === url && hasFailed(cell, 0) && causeOfCell(cell) !== 'quota') === true;
  return failing.flatMap(({ url, error }) => {
    const proxies = [...all.keys()].filter((proxy) => isUndecided(url, proxy)).length;
    return proxies === 0 ? [] : [{ url, proxies, reason: reasonOf(error) }];
  });
};

const reasonOf = (error: string | null): string =>
  `the target also fails from here without a proxy${error ? ` (${error})` : ''}, so its probes show nothing about the proxies. Next: open the target without a proxy`;
