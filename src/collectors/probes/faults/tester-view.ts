// Says whether a proxy that fails from here passes from the provider's testers.

import { ERROR_SOURCE_CODES } from '../../../store/test-store.ts';
import { consecutiveFailures, type FaultCell, newestRounds } from '../../faults/proxy-round.ts';
import type { EvidenceCell } from '../evidence.ts';
import { sourceAt } from './outcomes.ts';

/** `unknown`: the provider's testers have no result of the last 24 hours that can be compared. */
export type View = 'passes' | 'fails' | 'unknown';

export interface TesterView {
  /** What the testers show about a failure from here. */
  ofCell(cell: EvidenceCell): View;
  /** What they show about several failures of one proxy. One that passes from them is enough. */
  ofCells(cells: readonly EvidenceCell[]): View;
  /** Whether a proxy passes in their newest results, also if these are from before its failures. */
  passedBefore(cells: readonly EvidenceCell[]): boolean;
  /** The number of proxies that fail from them at this url, and of those that have results there. */
  atUrl(url: string): { readonly failing: number; readonly tested: number };
}

/** `intervalMs` is the time between two rounds of probes. */
export const testerView = (providerTests: readonly EvidenceCell[], intervalMs: number): TesterView => {
  const byProxy = new Map(newestRounds(providerTests).map(({ proxy, cells }) => [proxy, cells]));
  const byUrl = (url: string) =>
    [...byProxy.values()].flatMap((cells) => {
      const atUrl = cells.filter((cell) => cell.url === url);
      return atUrl.length > 0 ? [viewOf(atUrl)] : [];
    });

  const ofCell = (cell: EvidenceCell): View => {
    const tests = byProxy.get(cell.proxy) ?? [];
    const view = viewFor(cell, tests);
    // A proxy that passed before it began to fail from here may fail from everywhere now.
    return view === 'passes'
      ? viewFor(
          cell,
          tests.filter(({ at }) => at >= beginOfFailures(cell, intervalMs)),
        )
      : view;
  };
  const ofCells = (cells: readonly EvidenceCell[]): View => bestOf(cells.map(ofCell));
  const passedBefore = (cells: readonly EvidenceCell[]): boolean =>
    cells.some((cell) => viewFor(cell, byProxy.get(cell.proxy) ?? []) === 'passes');
  const atUrl = (url: string) => {
    const views = byUrl(url);
    return { failing: views.filter((view) => view === 'fails').length, tested: views.length };
  };
  return { ofCell, ofCells, passedBefore, atUrl };
};

const viewFor = (cell: EvidenceCell, tests: readonly FaultCell[]): View => {
  const view = viewOf(tests.filter(({ url }) => url === cell.url));
  // A refusal by the target says nothing about other targets.
  const isRefusedByTarget = sourceAt(cell, 0) === ERROR_SOURCE_CODES.target;
  return view !== 'unknown' || isRefusedByTarget ? view : viewOfUrls(tests);
};

/**
 * The store has the outcomes of eight rounds, so the begin of more failures in a row is that of the eighth. A test that
 * passed between the true begin and this one was counted in the round after it, and the fault of access that it showed
 * stays as long as the testers have no newer result (`passedBefore`).
 */
const beginOfFailures = (cell: EvidenceCell, intervalMs: number): number =>
  cell.at - (Math.max(1, consecutiveFailures(cell)) - 1) * intervalMs;

/** A proxy that passes at one url works. At the others the target may be at fault. */
const viewOfUrls = (tests: readonly FaultCell[]): View => {
  const views = [...Map.groupBy(tests, ({ url }) => url).values()].map(viewOf);
  return bestOf(views);
};

const bestOf = (views: readonly View[]): View =>
  (['passes', 'fails'] as const).find((view) => views.includes(view)) ?? 'unknown';

/** A proxy passes if it passes at least half of the tests. */
const viewOf = (tests: readonly Pick<EvidenceCell, 'history'>[]): View => {
  if (tests.length === 0) return 'unknown';
  const failing = tests.filter(({ history }) => (history & 1) === 1);
  return 2 * failing.length <= tests.length ? 'passes' : 'fails';
};
