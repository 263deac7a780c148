// Groups the cells of the matrix into the newest round of tests of each proxy, with the outcomes of earlier rounds.

import type { TestCell } from '../../store/test-store.ts';

/** One test (proxy × url × tester) with its last outcomes. */
export type FaultCell = Pick<
  TestCell,
  'proxy' | 'url' | 'tester' | 'errorSource' | 'errorCode' | 'at' | 'history' | 'rounds' | 'sources'
> & { readonly productType: string };

/** The tests that the newest round of one proxy ran. */
export interface ProxyRound<C extends FaultCell = FaultCell> {
  readonly proxy: string;
  readonly productType: string;
  /** When the round was stored (ms). */
  readonly at: number;
  readonly cells: readonly C[];
}

/**
 * Returns the newest round of each proxy, newest first. Tests that it no longer ran, such as those of an old tester, are left
 * out. `keepMs` older results count as part of the round, because a late result is not the same as a tester that is gone.
 */
export const newestRounds = <C extends FaultCell>(cells: Iterable<C>, keepMs = 0): ProxyRound<C>[] => {
  const byProxy = Map.groupBy(cells, (cell) => cell.proxy);
  const rounds = [...byProxy].map(([proxy, all]) => {
    const at = all.reduce((newest, cell) => Math.max(newest, cell.at), Number.NEGATIVE_INFINITY);
    return {
      proxy,
      productType: all[0]?.productType ?? '',
      at,
      cells: all.filter((cell) => cell.at >= at - keepMs),
    };
  });
  return rounds.sort((a, b) => b.at - a.at || (a.proxy < b.proxy ? -1 : 1));
};

export const hasFailed = (cell: FaultCell, depth: number): boolean => ((cell.history >> depth) & 1) === 1;

/** 0, the newest round, and the rounds before it. */
export const depthsOf = (rounds: number): number[] => Array.from({ length: rounds }, (_, depth) => depth);

/** Whether the test failed in one of so many rounds, with the newest one. */
export const hasFailedWithin = (cell: FaultCell, rounds: number): boolean =>
  depthsOf(rounds).some((depth) => hasFailed(cell, depth));

/** The number of rounds in a row in which the test failed, up to the newest. */
export const consecutiveFailures = (cell: FaultCell): number => {
  let failures = 0;
  while (failures < cell.rounds && hasFailed(cell, failures)) failures++;
  return failures;
};

/** The store keeps the outcomes of so many rounds. */
export const KNOWN_ROUNDS = 8;
const SOURCE_BITS = 2;
const SOURCE_MASK = 3;

/** The code of the error source (ERROR_SOURCE_CODES) at `depth` rounds before the newest. */
export const sourceAt = ({ sources }: Pick<FaultCell, 'sources'>, depth: number): number =>
  (sources >> (SOURCE_BITS * depth)) & SOURCE_MASK;

/** The error sources with that of one round set to `code`. */
export const withSource = (sources: number, depth: number, code: number): number =>
  sources | (code << (SOURCE_BITS * depth));

/** The number of rounds in a row in which the test failed with the error source of the newest one. */
export const roundsOfSource = (cell: FaultCell): number => {
  let depth = 0;
  const known = Math.min(cell.rounds, KNOWN_ROUNDS);
  while (depth < known && hasFailed(cell, depth) && sourceAt(cell, depth) === sourceAt(cell, 0)) depth++;
  return depth;
};

export const testKeyOf = ({ url, tester }: FaultCell): string => `${url}\n${tester}`;
