// Groups the evidence of a round by proxy, and leaves out what shows nothing about the proxies.

import { flatMapInSteps, type Steps } from '../../../lib/steps.ts';
import type { StoredControl } from '../../../store/probe-store.ts';
import {
  type AttributedFault,
  type Attribution,
  type FaultLookup,
  type FaultOptions,
  faultLookup,
  isOfOneProxy,
} from '../../faults/attribution.ts';
import { isPolicy } from '../../faults/own-setting.ts';
import { areControlsBlocked, type EvidenceCell, type ProbeEvidence } from '../evidence.ts';
import type { AccessContext } from './access.ts';
import { lastingTestFaults } from './contradicted-tests.ts';
import { asOneRound, comparedWithControls, decidedCells } from './outcomes.ts';
import { isRefusedByProvider, providerFault } from './provider-fault.ts';
import { testerView } from './tester-view.ts';

export type CellsByProxy = ReadonlyMap<string, readonly EvidenceCell[]>;

export interface ProbeRound {
  readonly evidence: ProbeEvidence;
  readonly options: FaultOptions;
  readonly access: AccessContext;
  readonly all: CellsByProxy;
  /** Cells whose newest result shows something. */
  readonly decided: CellsByProxy;
  /** The fault of the provider; undefined if there is none. */
  readonly provider: AttributedFault | undefined;
  /** Cells that can count against the proxy: neither the policy nor a fault of the provider explains them. */
  readonly judged: CellsByProxy;
  readonly failing: readonly StoredControl[];
}

export function* readRound(
  evidence: ProbeEvidence,
  previous: Attribution,
  options: FaultOptions,
): Steps<ProbeRound> {
  const { probes, controls } = evidence;
  const testFaults = lastingTestFaults(evidence);
  const before = faultLookup(previous.faults);
  const faultBefore = (proxy: string) => before('access', proxy) ?? before('proxy', proxy);
  const access = {
    view: testerView(evidence, options.faultAfter, faultBefore),
    ...{ faultAfter: options.faultAfter, before, faultBefore, isTestedAtFault: testedAtFault(testFaults) },
  };
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
  const failing = failingControls(evidence, options.since);
  return {
    evidence: { ...evidence, testFaults },
    ...{ options, access, all, decided, provider, judged, failing },
  };
}

/** A fault of the provider explains the failures of all proxies. */
const testedAtFault = (faults: ProbeEvidence['testFaults']): AccessContext['isTestedAtFault'] => {
  if (faults.some(({ kind }) => kind === 'provider')) return () => true;
  const proxies = new Set(faults.flatMap(({ kind, subject }) => (isOfOneProxy({ kind }) ? subject : [])));
  return (proxy) => proxies.has(proxy);
};

/** The controls that fail. None counts if all do while probes pass: the direct way to the targets is blocked then. */
const failingControls = (
  { controls, probes }: Pick<ProbeEvidence, 'controls' | 'probes'>,
  since: number,
): StoredControl[] => {
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
  before: FaultLookup,
  { faultAfter, since }: FaultOptions,
): AttributedFault | undefined => {
  const proxies = [...decided.values()];
  const isNew = proxies.some((cells) => cells.some(({ at }) => at >= since));
  return isNew
    ? providerFault(proxies, faultAfter, before('provider', '') !== undefined)
    : before('provider', '');
};

const isJudged =
  (provider: AttributedFault | undefined) =>
  (cell: EvidenceCell): boolean =>
    !isPolicy(cell) && !(provider && isRefusedByProvider(cell));
