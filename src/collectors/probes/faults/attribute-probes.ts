// Attributes failing probes to a target, the provider, a proxy, or the access from here to a proxy.
//
// The vantage is a tester of its own. Two comparisons decide what its failures mean.
//
// 1. The controls, which are asked without a proxy. If all of them fail, the fault is of this machine or its line, and
//    nothing changes. If the control of one url fails, probes of this url decide nothing, unless the provider's testers
//    fail there too.
// 2. The provider's testers. If a proxy passes from them after it began to fail from here, the cause is the access from
//    here. A proxy that fails from both is at fault itself, until the proxy tests have found it too.
//
// Refusals for quota belong to the user's bytes, and refusals for policy to the target. Only its own answers show a fault of
// the provider. The pattern of all proxies decides the rest, as in the proxy tests.

import {
  type AttributedFault,
  type Attribution,
  attributeFaults,
  type FaultOptions,
  type FaultSubject,
} from '../../faults/attribution.ts';
import { causeLookup } from '../../faults/failure-causes.ts';
import { type ControlState, type EvidenceCell, haveAllFailed, type ProbeEvidence } from '../evidence.ts';
import { asOneRound, comparedWithControls, decidedCells } from './outcomes.ts';
import { isRefusedByProvider, providerFault } from './provider-fault.ts';
import { isDecidedAlone, proxyFault } from './proxy-faults.ts';
import { withSharedReason } from './shared-faults.ts';
import {
  agreedFaults,
  blockedReason,
  failingControls,
  isRefusedByPolicy,
  policyFaults,
} from './target-faults.ts';
import { testerView } from './tester-view.ts';
import { undecidedFailures } from './undecided.ts';

type Cells = readonly EvidenceCell[];
type Faults = readonly AttributedFault[];

/** `previous` is the attribution of the probes before this round. The order of the cells does not matter. */
export const attributeProbes = (
  { probes, controls, providerTests, testedAtFault, intervalMs }: ProbeEvidence,
  previous: Attribution,
  options: FaultOptions,
): Attribution => {
  const cells = asOneRound(probes);
  if (haveAllFailed(controls) || !cells.some(({ at }) => at >= options.since)) return previous;
  const { faultAfter } = options;
  const before = new Map(previous.faults.map((fault) => [keyOf(fault), fault]));
  const wasFound = (kind: AttributedFault['kind'], subject: string): boolean =>
    before.has(keyOf({ kind, subject }));
  const wasTarget = (url: string): boolean => wasFound('target', url);
  const view = testerView(providerTests, intervalMs);
  const access = { view, faultAfter, wasFound, testedAtFault };

  const decided = decidedCells(cells, controls);
  // Without new results that show something, a fault of the provider does not end either.
  const provider = decided.some(({ at }) => at >= options.since)
    ? providerFault(decided, faultAfter, wasFound('provider', ''))
    : before.get(keyOf({ kind: 'provider', subject: '' }));
  const judged = comparedWithControls(
    decided.filter((cell) => !isRefusedByPolicy(cell) && !(provider && isRefusedByProvider(cell))),
    controls,
  );
  const byProxy = Map.groupBy(judged, ({ proxy }) => proxy);
  const compared = [...byProxy.values()].filter((ofProxy) => !isDecidedAlone(ofProxy, access)).flat();
  const pattern = patternOf(compared, previous, options);
  const targets = firstOfEachSubject([
    ...policyFaults(decided, faultAfter, wasTarget),
    ...agreedFaults(cells, controls, view, faultAfter, wasTarget),
    ...withControls(ofKind(pattern.faults, 'target'), controls),
    ...failingControls(controls).flatMap(
      ({ url }) => before.get(keyOf({ kind: 'target', subject: url })) ?? [],
    ),
  ]);
  const patternFaults = new Map(ofKind(pattern.faults, 'proxy').map((fault) => [fault.subject, fault]));
  const faultBefore = (proxy: string): AttributedFault | undefined =>
    before.get(keyOf({ kind: 'access', subject: proxy })) ??
    before.get(keyOf({ kind: 'proxy', subject: proxy }));
  const context = {
    ...{ ...access, since: options.since, faultBefore, targetOf: causeLookup(targets) },
    faultByPattern: (proxy: string) => patternFaults.get(proxy),
  };
  const proxies = [...byProxy].flatMap(([proxy, ofProxy]) => proxyFault(proxy, ofProxy, context) ?? []);
  const unknown = without(cells, decided).flatMap((proxy) => faultBefore(proxy) ?? []);
  const undecided = undecidedFailures(cells, controls, (url) =>
    targets.some(({ subject }) => subject === url),
  );
  return {
    faults: [
      ...(provider ? [provider] : []),
      ...targets,
      ...withSharedReason(proxies, byProxy, { view, since: options.since }),
      ...unknown,
    ].sort(byKey),
    inconclusive: [
      ...new Map([...pattern.inconclusive, ...undecided].map((each) => [each.url, each])).values(),
    ].sort((a, b) => (a.url < b.url ? -1 : 1)),
  };
};

/** Without new results, nothing is compared, and what was inconclusive stays so. */
const patternOf = (cells: Cells, previous: Attribution, options: FaultOptions): Attribution =>
  cells.some(({ at }) => at >= options.since)
    ? attributeFaults(cells, previous, { ...options, findsOutages: false })
    : { faults: [], inconclusive: previous.inconclusive };

const keyOf = ({ kind, subject }: FaultSubject): string => `${kind} ${subject}`;

const byKey = (a: FaultSubject, b: FaultSubject): number => (keyOf(a) < keyOf(b) ? -1 : 1);

const ofKind = (faults: Faults, kind: AttributedFault['kind']): AttributedFault[] =>
  faults.filter((fault) => fault.kind === kind);

/** A target has one fault. The reason that says the most comes first. */
const firstOfEachSubject = (faults: Faults): AttributedFault[] => [
  ...new Map(faults.toReversed().map((fault) => [fault.subject, fault])).values(),
];

/** The proxies without any result that shows something. */
const without = (cells: Cells, decided: Cells): string[] => {
  const known = new Set(decided.map(({ proxy }) => proxy));
  return [...new Set(cells.map(({ proxy }) => proxy))].filter((proxy) => !known.has(proxy));
};

const withControls = (faults: Faults, controls: readonly ControlState[]): AttributedFault[] => {
  const working = new Set(controls.filter(({ isSuccessful }) => isSuccessful).map(({ url }) => url));
  return faults.map((fault) =>
    working.has(fault.subject) ? { ...fault, reason: blockedReason(fault.reason) } : fault,
  );
};
