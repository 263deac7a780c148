// What speaks for the cause where all tests of a proxy failed: the matrix, or the error source where there is none.
//
// The matrix needs several targets and several testers. With one of either, a proxy that fails everywhere is compared
// with nothing but other proxies. Then the error source decides, as far as it names somebody.

import { NAMED_SOURCES } from '../../store/test-store.ts';
import { type FaultCell, hasFailed, type ProxyRound } from './proxy-round.ts';

/** `open` where neither the matrix nor the results tell. */
export type Cause = 'proxy' | 'target' | 'open';

/** Undefined where some test got through, or none was made. */
export const causeOf = (round: ProxyRound, depth: number): Cause | undefined => {
  const cells = round.cells.filter((cell) => cell.rounds > depth);
  if (cells.length === 0 || !cells.every((cell) => hasFailed(cell, depth))) return undefined;
  return isCompared(cells) ? 'proxy' : namedBy(cells, depth);
};

/** Whether a proxy failed in all tests of its last rounds, and each time for itself. */
export const namesItself = (round: ProxyRound, rounds: number): boolean => {
  const known = round.cells.reduce((most, cell) => Math.max(most, cell.rounds), 0);
  const depths = Array.from({ length: Math.min(rounds, known) }, (_, depth) => depth);
  return depths.every((depth) => causeOf(round, depth) === 'proxy');
};

/** Whether nothing but another proxy was compared with this one, which failed in all tests. */
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
