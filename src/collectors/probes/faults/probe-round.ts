// Groups the evidence of a round by proxy, and leaves out what shows nothing about the proxies.

import { flatMapInSteps, type Steps } from '../../../lib/steps.ts';
import type { AttributedFault, Attribution, FaultOptions } from '../../faults/attribution.ts';
import { isPolicy } from '../../faults/own-setting.ts';
import { areControlsBlocked, type ControlState, type EvidenceCell, type ProbeEvidence } from '../evidence.ts';
import type { AccessContext } from './access.ts';
import { lastingTestFaults } from './contradicted-tests.ts';
import { asOneRound, comparedWithControls, decidedCells } from './outcomes.ts';
import { isRefusedByProvider, providerFault } from './provider-fault.ts';
import { testerView } from './tester-view.ts';

export type CellsByProxy = ReadonlyMap<string, readonly EvidenceCell[]>;

export interface ProbeRound {
  readonly evidence: ProbeEvidence;
  readonly options: FaultOptions;
  readonly before: PreviousFaults;
  readonly access: AccessContext;
  readonly all: CellsByProxy;
  /** Cells whose newest result shows something. */
  readonly decided: CellsByProxy;
  /** The fault of the provider; undefined if there is none. */
  readonly provider: AttributedFault | undefined;
  /** Cells that can count against the proxy: neither the policy nor a fault of the provider explains them. */
  readonly judged: CellsByProxy;
  readonly failing: readonly ControlState[];
}

export function* readRound(
  evidence: ProbeEvidence,
  previous: Attribution,
  options: FaultOptions,
): Steps<ProbeRound> {
  const { probes, controls } = evidence;
  const testFaults = lastingTestFaults(evidence);
  const before = previousFaults(previous);
  const view = testerView(evidence, options.faultAfter, before.ofProxy);
  yield;
  const grouped = Map.groupBy(probes, ({ proxy }) => proxy);
  yield;
  const all = yield* mapCells(grouped, asOneRound);
  const usable = areControlsBlocked(controls) ? [] : controls;
  const decided = yield* mapCells(all, (cells) => decidedCells(cells, usable));
  const provider = providerFaultOf(decided, before, options);
  const judged = yield* mapCells(decided, (cells) =>
    comparedWithControls(cells.filter(isJudged(provider)), usable),
  );
  const { faultAfter } = options;
  const access = { view, faultAfter, wasFound: before.wasFound, isTestedAtFault: testedAtFault(testFaults) };
  const failing = failingControls(evidence, options.since);
  return {
    evidence: { ...evidence, testFaults },
    options,
    before,
    access,
    all,
    decided,
    provider,
    judged,
    failing,
  };
}

/** A fault of the provider explains the failures of all proxies. */
const testedAtFault = (faults: ProbeEvidence['testFaults']): AccessContext['isTestedAtFault'] => {
  if (faults.some(({ kind }) => kind === 'provider')) return () => true;
  const proxies = new Set(
    faults.flatMap(({ kind, subject }) => (kind === 'proxy' || kind === 'access' ? subject : [])),
  );
  return (proxy) => proxies.has(proxy);
};

/**
 * The controls that fail. If none gets an answer and probes still pass, the way to the targets without a proxy is blocked,
 * so none counts as failing.
 */
const failingControls = (
  { controls, probes }: Pick<ProbeEvidence, 'controls' | 'probes'>,
  since: number,
): ControlState[] => {
  const isBlocked =
    areControlsBlocked(controls) && probes.some((cell) => cell.isSuccessful && cell.at >= since);
  return isBlocked ? [] : controls.filter(({ isSuccessful }) => !isSuccessful);
};

/** Leaves out the proxies without any cell. */
function* mapCells(
  cells: CellsByProxy,
  map: (ofProxy: readonly EvidenceCell[]) => readonly EvidenceCell[],
): Steps<CellsByProxy> {
  const entries = yield* flatMapInSteps(cells, ([proxy, ofProxy]) => {
    const mapped = map(ofProxy);
    return mapped.length > 0 ? [[proxy, mapped] as const] : [];
  });
  return new Map(entries);
}

/** Without new results that show something, a fault of the provider neither begins nor ends. */
const providerFaultOf = (
  decided: CellsByProxy,
  before: PreviousFaults,
  { faultAfter, since }: FaultOptions,
): AttributedFault | undefined => {
  const proxies = [...decided.values()];
  const isNew = proxies.some((cells) => cells.some(({ at }) => at >= since));
  return isNew
    ? providerFault(proxies, faultAfter, before.wasFound('provider', ''))
    : before.get('provider', '');
};

const isJudged =
  (provider: AttributedFault | undefined) =>
  (cell: EvidenceCell): boolean =>
    !isPolicy(cell) && !(provider && isRefusedByProvider(cell));

type Kind = AttributedFault['kind'];

interface PreviousFaults {
  /** Whether there was a fault of this kind. The subject of the provider is empty. */
  wasFound(kind: Kind, subject: string): boolean;
  /** The earlier fault; undefined if there was none. */
  get(kind: Kind, subject: string): AttributedFault | undefined;
  /** The earlier fault of the access to a proxy, or of the proxy itself; undefined if there was none. */
  ofProxy(proxy: string): AttributedFault | undefined;
}

const previousFaults = ({ faults }: Attribution): PreviousFaults => {
  const keyOf = (kind: Kind, subject: string): string => `${kind} ${subject}`;
  const byKey = new Map(faults.map((fault) => [keyOf(fault.kind, fault.subject), fault]));
  const get = (kind: Kind, subject: string): AttributedFault | undefined => byKey.get(keyOf(kind, subject));
  return {
    wasFound: (kind, subject) => byKey.has(keyOf(kind, subject)),
    get,
    ofProxy: (proxy) => get('access', proxy) ?? get('proxy', proxy),
  };
};
