// Finds the cause when all tests of a proxy failed: from the matrix, or from the error source if nothing can be compared.
//
// The matrix needs several targets and several testers. With only one of either, a proxy that fails everywhere can be
// compared only with other proxies. Then the error source decides, if it names the proxy or the target. Several targets
// or testers can also be down at the same time, so the cause is unknown if half of the error sources name these.

import { ERROR_SOURCE_CODES } from '../../store/test-store.ts';
import { areOwnSettings, ownSettingOf } from './own-setting.ts';
import { depthsOf, type FaultCell, hasFailed, type ProxyRound, sourceAt } from './proxy-round.ts';

/** `unknown`: neither the matrix nor the error sources show the cause. */
export type Cause = 'proxy' | 'target' | 'unknown';

/** The cause at `depth` rounds before the newest; undefined if a test succeeded, or none was made. */
export const causeOf = (round: ProxyRound, depth: number): Cause | undefined => {
  const cells = round.cells.filter((cell) => cell.rounds > depth);
  if (cells.length === 0 || !cells.every((cell) => hasFailed(cell, depth))) return undefined;
  return canCompare(cells) ? causeByMatrix(cells, depth) : causeByErrorSource(cells, depth);
};

/** Whether the proxy failed in all tests of its last `rounds` rounds, each time with itself as the cause. */
export const isCausedByProxy = (round: ProxyRound, rounds: number): boolean => {
  const known = round.cells.reduce((most, cell) => Math.max(most, cell.rounds), 0);
  return depthsOf(Math.min(rounds, known)).every((depth) => causeOf(round, depth) === 'proxy');
};

/** Whether the proxy failed in all tests, and only a comparison with other proxies can show that it is the cause. */
export const isUncompared = (round: ProxyRound, depth: number): boolean => {
  const cause = causeOf(round, depth);
  return (
    cause !== undefined &&
    (cause !== 'proxy' || !canCompare(round.cells.filter((cell) => cell.rounds > depth)))
  );
};

/** If a proxy fails at several targets from several testers, only the proxy or the provider can be the cause. */
const canCompare = (cells: readonly FaultCell[]): boolean =>
  hasSeveral(cells, 'url') && hasSeveral(cells, 'tester');

export const hasSeveral = (cells: readonly FaultCell[], field: 'url' | 'tester'): boolean =>
  cells.some((cell) => cell[field] !== cells[0]?.[field]);

const causeByMatrix = (cells: readonly FaultCell[], depth: number): Cause => {
  const ofOthers = cells.filter((cell) => isOfTarget(cell, depth) || isOfTester(cell, depth));
  return 2 * ofOthers.length >= cells.length ? 'unknown' : 'proxy';
};

const causeByErrorSource = (cells: readonly FaultCell[], depth: number): Cause => {
  const isMost = (isNamed: (cell: FaultCell, depth: number) => boolean): boolean =>
    2 * cells.filter((cell) => isNamed(cell, depth)).length > cells.length;
  if (isMost((cell) => isOfProxy(cell, depth) || isOfOwnSetting(cell, depth))) return 'proxy';
  return isMost(isOfTarget) ? 'target' : 'unknown';
};

export const isOfProxy = (cell: FaultCell, depth: number): boolean =>
  sourceAt(cell, depth) === ERROR_SOURCE_CODES.proxy;

/** Whether the proxy refuses the user. Of earlier rounds, only the error source is known, so that it must be the same. */
const isOfOwnSetting = (cell: FaultCell, depth: number): boolean =>
  areOwnSettings([cell]) && sourceAt(cell, depth) === sourceAt(cell, 0);

const isOfTarget = (cell: FaultCell, depth: number): boolean =>
  sourceAt(cell, depth) === ERROR_SOURCE_CODES.target;

/**
 * Whether a tester failed before it reached the proxy. Of earlier rounds, the store does not know it, so they count as the
 * newest one. Refused credentials have this source in probes, and are not meant.
 */
export const isOfTester = (cell: FaultCell, depth: number): boolean =>
  cell.errorSource === 'client' && sourceAt(cell, depth) === 0 && ownSettingOf(cell.errorCode) === null;
