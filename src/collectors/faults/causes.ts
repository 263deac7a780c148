// Finds the cause when all tests of a proxy failed: from the matrix, or from the error source if nothing can be compared.
//
// The matrix needs several targets and several testers. With only one of either, a proxy that fails everywhere can be
// compared only with other proxies. Then the error source decides, if it names the proxy or the target.

import { ERROR_SOURCE_CODES } from '../../store/test-store.ts';
import { type FaultCell, hasFailed, type ProxyRound } from './proxy-round.ts';

/** `unknown`: neither the matrix nor the error sources show the cause. */
export type Cause = 'proxy' | 'target' | 'unknown';

/** The cause at `depth` rounds before the newest; undefined if a test succeeded, or none was made. */
export const causeOf = (round: ProxyRound, depth: number): Cause | undefined => {
  const cells = round.cells.filter((cell) => cell.rounds > depth);
  if (cells.length === 0 || !cells.every((cell) => hasFailed(cell, depth))) return undefined;
  return canCompare(cells) ? 'proxy' : causeByErrorSource(cells, depth);
};

/** Whether the proxy failed in all tests of its last `rounds` rounds, each time with itself as the cause. */
export const isCausedByProxy = (round: ProxyRound, rounds: number): boolean => {
  const known = round.cells.reduce((most, cell) => Math.max(most, cell.rounds), 0);
  const depths = Array.from({ length: Math.min(rounds, known) }, (_, depth) => depth);
  return depths.every((depth) => causeOf(round, depth) === 'proxy');
};

/** Whether the proxy failed in all tests and can be compared only with other proxies. */
export const isUncompared = (round: ProxyRound, depth: number): boolean => {
  const cells = round.cells.filter((cell) => cell.rounds > depth);
  return !canCompare(cells) && causeOf(round, depth) !== undefined;
};

/** If a proxy fails at several targets from several testers, only the proxy or the provider can be the cause. */
const canCompare = (cells: readonly FaultCell[]): boolean =>
  hasSeveral(cells, 'url') && hasSeveral(cells, 'tester');

export const hasSeveral = (cells: readonly FaultCell[], field: 'url' | 'tester'): boolean =>
  cells.some((cell) => cell[field] !== cells[0]?.[field]);

const causeByErrorSource = (cells: readonly FaultCell[], depth: number): Cause => {
  const isNamed = (source: number): boolean =>
    2 * cells.filter((cell) => ((cell.sources >> (2 * depth)) & 3) === source).length > cells.length;
  if (isNamed(ERROR_SOURCE_CODES.proxy)) return 'proxy';
  return isNamed(ERROR_SOURCE_CODES.target) ? 'target' : 'unknown';
};
