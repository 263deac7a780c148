// Finds many proxies that fail from here together, and makes one problem of them.
//
// From here, a firewall of this machine looks the same as an outage of the provider. So if many proxies pass nothing, and
// the provider's testers have no results of them, the access from here is at fault, and all of them have the same reason.

import { flatMapInSteps, type Steps } from '../../../lib/steps.ts';
import { MIN_PROXIES_FOR_OUTAGE } from '../../faults/assessment.ts';
import type { AttributedFault } from '../../faults/attribution.ts';
import { OUTAGE_SAMPLE_SIZE } from '../../faults/round-tallies.ts';
import { Tally } from '../../faults/tally.ts';
import type { EvidenceCell } from '../evidence.ts';
import { failingCells } from './access.ts';
import { sharedReason } from './access-reasons.ts';
import type { CellsByProxy, ProbeRound } from './probe-round.ts';
import type { TesterView } from './tester-view.ts';

/** Gives the faults of at least half of ten or more proxies one reason. */
export function* withSharedReason(
  faults: readonly AttributedFault[],
  { judged, access: { view }, options }: ProbeRound,
): Steps<AttributedFault[]> {
  const failing = yield* flatMapInSteps(faults, (fault) => {
    const cells = judged.get(fault.subject) ?? [];
    return failsFromHere(fault, cells, view) ? failingCells(cells) : [];
  });
  const subjects = new Set(failing.map(({ proxy }) => proxy));
  if (!areMany(subjects, judged, options.since)) return [...faults];
  yield;
  const reason = sharedReason(failing, judged.size);
  return faults.map((fault) =>
    subjects.has(fault.subject) ? { kind: 'access', subject: fault.subject, reason } : fault,
  );
}

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
const areMany = (proxies: ReadonlySet<string>, byProxy: CellsByProxy, since: number): boolean => {
  const tally = new Tally(since, OUTAGE_SAMPLE_SIZE);
  const times = [...byProxy].map(([proxy, cells]) => ({ proxy, at: cells[0]?.at ?? 0 }));
  for (const { proxy, at } of times.sort((a, b) => b.at - a.at || (a.proxy < b.proxy ? -1 : 1)))
    tally.add(at, Number(proxies.has(proxy)));
  return tally.votes >= MIN_PROXIES_FOR_OUTAGE && tally.isFaulty;
};
