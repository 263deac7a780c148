// Finds many proxies that fail from here together, and makes one problem of them.
//
// From here, a firewall of this machine looks the same as an outage of the provider. So if many proxies pass nothing, and
// the provider's testers have no results of them, the access from here is at fault, and all of them have the same reason.

import { flatMapInSteps, type Steps } from '../../../lib/steps.ts';
import { MIN_PROXIES_FOR_OUTAGE } from '../../faults/assessment.ts';
import type { AttributedFault } from '../../faults/attribution.ts';
import { OUTAGE_SAMPLE_SIZE, Tally } from '../../faults/round-tallies.ts';
import type { EvidenceCell } from '../evidence.ts';
import { failingCells } from './access.ts';
import { commonestCode, sharedReason } from './access-reasons.ts';
import type { CellsByProxy, ProbeRound } from './probe-round.ts';
import type { TesterView } from './tester-view.ts';

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
