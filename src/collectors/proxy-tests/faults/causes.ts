// The cause when all tests of a proxy failed: from the matrix, or from the error source if nothing can be compared.
//
// The matrix needs several targets and several testers. With one of either, a proxy that fails everywhere is compared
// with nothing but other proxies. Then the error source decides, if it names the proxy or the target.

import { NAMED_SOURCES } from '../../../store/test-store.ts';
import { type FaultCell, hasFailed, type ProxyRound } from './proxy-round.ts';

/** `open`: neither the matrix nor the results show the cause. */
export type Cause = 'proxy' | 'target' | 'open';

/** Undefined if some test succeeded, or none was made. */
export const causeOf = (round: ProxyRound, depth: number): Cause | undefined => {
  const cells = round.cells.filter((cell) => cell.rounds > depth);
  if (cells.length === 0 || !cells.every((cell) => hasFailed(cell, depth))) return undefined;
  return isCompared(cells) ? 'proxy' : namedBy(cells, depth);
};

/** Whether a proxy failed in all tests of its last rounds, each time with itself as the cause. */
export const namesItself = (round: ProxyRound, rounds: number): boolean => {
  const known = round.cells.reduce((most, cell) => Math.max(most, cell.rounds), 0);
  const depths = Array.from({ length: Math.min(rounds, known) }, (_, depth) => depth);
  return depths.every((depth) => causeOf(round, depth) === 'proxy');
};

/** Whether this proxy failed in all tests and can only be compared with other proxies. */
export const isAlone = (round: ProxyRound, depth: number): boolean => {
  const cells = round.cells.filter((cell) => cell.rounds > depth);
  return !isCompared(cells) && causeOf(round, depth) !== undefined;
};

/** A proxy that fails at several targets from several testers has no other suspect but the provider. */
const isCompared = (cells: readonly FaultCell[]): boolean =>
  hasSeveral(cells, 'url') && hasSeveral(cells, 'tester');

export const hasSeveral = (cells: readonly FaultCell[], field: 'url' | 'tester'): boolean =>
  cells.some((cell) => cell[field] !== cells[0]?.[field]);

const namedBy = (cells: readonly FaultCell[], depth: number): Cause => {
  const isNamed = (source: number): boolean =>
    2 * cells.filter((cell) => ((cell.sources >> (2 * depth)) & 3) === source).length > cells.length;
  if (isNamed(NAMED_SOURCES.proxy)) return 'proxy';
  return isNamed(NAMED_SOURCES.target) ? 'target' : 'open';
};
