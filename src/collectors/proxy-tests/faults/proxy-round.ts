// The newest round of tests of each proxy, with the outcomes of those before it.

import type { TestCell } from '../../../store/test-store.ts';

/** One test, proxy × url × tester, with its last outcomes. */
export type FaultCell = Pick<
  TestCell,
  'proxy' | 'url' | 'tester' | 'errorSource' | 'errorCode' | 'at' | 'history' | 'rounds' | 'sources'
> & { readonly productType: string };

/** The tests of one proxy that its newest round ran. */
export interface ProxyRound {
  readonly proxy: string;
  readonly productType: string;
  /** When the round was stored (ms). */
  readonly at: number;
  readonly cells: readonly FaultCell[];
}

/** The newest round of each proxy, newest first. What a round no longer ran, such as a retired tester, is left out. */
export const newestRounds = (cells: Iterable<FaultCell>): ProxyRound[] => {
  const byProxy = Map.groupBy(cells, (cell) => cell.proxy);
  const rounds = [...byProxy].map(([proxy, all]) => {
    const at = all.reduce((newest, cell) => Math.max(newest, cell.at), Number.NEGATIVE_INFINITY);
    return { proxy, productType: all[0]?.productType ?? '', at, cells: all.filter((cell) => cell.at === at) };
  });
  return rounds.sort((a, b) => b.at - a.at || (a.proxy < b.proxy ? -1 : 1));
};

export const hasFailed = (cell: FaultCell, depth: number): boolean => ((cell.history >> depth) & 1) === 1;

/** Rounds in a row in which the test failed, up to the newest. */
export const failingRow = (cell: FaultCell): number => {
  let row = 0;
  while (row < cell.rounds && hasFailed(cell, row)) row++;
  return row;
};

export const testOf = ({ url, tester }: FaultCell): string => `${url}\n${tester}`;
