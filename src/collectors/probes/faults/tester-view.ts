// Says whether a proxy that fails from here passes from the provider's testers.

import { ERROR_SOURCE_CODES } from '../../../store/test-store.ts';
import { newestRounds } from '../../faults/proxy-round.ts';
import type { EvidenceCell } from '../evidence.ts';
import { sourceAt } from './outcomes.ts';

/** `unknown`: the provider's testers have no result of the last 24 hours that can be compared. */
export type View = 'passes' | 'fails' | 'unknown';

export interface TesterView {
  /** What the testers show about a failure from here. */
  ofCell(cell: EvidenceCell): View;
  /** What they show about several failures of one proxy. One that passes from them is enough. */
  ofCells(cells: readonly EvidenceCell[]): View;
  /** The number of proxies that fail from them at this url, and of those that have results there. */
  atUrl(url: string): { readonly failing: number; readonly tested: number };
}

export const testerView = (providerTests: readonly EvidenceCell[]): TesterView => {
  const byProxy = new Map(newestRounds(providerTests).map(({ proxy, cells }) => [proxy, cells]));
  const byUrl = (url: string) =>
    [...byProxy.values()].flatMap((cells) => {
      const atUrl = cells.filter((cell) => cell.url === url);
      return atUrl.length > 0 ? [viewOf(atUrl)] : [];
    });

  const ofCell = (cell: EvidenceCell): View => {
    const tests = byProxy.get(cell.proxy) ?? [];
    const view = viewOf(tests.filter(({ url }) => url === cell.url));
    // A refusal by the target says nothing about other targets.
    const isRefusedByTarget = sourceAt(cell, 0) === ERROR_SOURCE_CODES.target;
    return view !== 'unknown' || isRefusedByTarget ? view : viewOf(tests);
  };
  const ofCells = (cells: readonly EvidenceCell[]): View => {
    const views = new Set(cells.map(ofCell));
    return (['passes', 'fails'] as const).find((view) => views.has(view)) ?? 'unknown';
  };
  const atUrl = (url: string) => {
    const views = byUrl(url);
    return { failing: views.filter((view) => view === 'fails').length, tested: views.length };
  };
  return { ofCell, ofCells, atUrl };
};

/** A proxy passes if it passes at least half of the tests. */
const viewOf = (tests: readonly Pick<EvidenceCell, 'history'>[]): View => {
  if (tests.length === 0) return 'unknown';
  const failing = tests.filter(({ history }) => (history & 1) === 1);
  return 2 * failing.length <= tests.length ? 'passes' : 'fails';
};
