// Reads the outcomes of probes, and leaves out those that show nothing about proxy, target or provider.

import type { Cause, Phase } from '../../../prober/probe.ts';
import type { StoredControl } from '../../../store/probe-store.ts';
import { ERROR_SOURCE_CODES } from '../../../store/test-store.ts';
import { areOwnSettings, causeOfErrorCode } from '../../faults/own-setting.ts';
import { depthsOf, hasFailed, KNOWN_ROUNDS, sourceAt, withSource } from '../../faults/proxy-round.ts';
import { canBeOfTarget, type EvidenceCell, hasControlFailed } from '../evidence.ts';

/** 0 is the newest. */
const DEPTHS = depthsOf(KNOWN_ROUNDS);

/** The cause of the newest result; null if it succeeded, or if the cause is not known. */
export const causeOfCell = ({
  isSuccessful,
  errorCode,
}: Pick<EvidenceCell, 'isSuccessful' | 'errorCode'>): Cause | null =>
  isSuccessful ? null : (causeOfErrorCode(errorCode) ?? null);

/** Gives all cells of a proxy the time of its newest result, because its urls are probed one after the other. */
export const asOneRound = (cells: readonly EvidenceCell[]): EvidenceCell[] => {
  const at = cells.reduce((newest, cell) => Math.max(newest, cell.at), 0);
  return cells.map((cell) => ({ ...cell, at }));
};

/**
 * Keeps the cells whose newest result shows something, without the earlier outcomes that show nothing. If the control of a
 * url fails too, a failure there shows something only if it is the proxy's own, whatever the url is.
 */
export const decidedCells = (
  cells: readonly EvidenceCell[],
  controls: readonly StoredControl[],
): EvidenceCell[] => {
  const isProxyDead = cells.every((cell) => hasFailed(cell, 0));
  const isOfUrl = (cell: EvidenceCell): boolean =>
    hasFailed(cell, 0) && (isOfTarget(cell) || !(isProxyDead || isRefusal(cell)));
  return cells.flatMap((cell) => {
    if (showsNothing(cell, 0)) return [];
    return hasControlFailed(cell.url, controls) && isOfUrl(cell) ? [] : [withoutVoid(cell)];
  });
};

/** Whether the newest result is a failure that a target that is down can cause. Of an unknown code, it is assumed. */
export const isOfTarget = (cell: EvidenceCell): boolean => {
  if (!hasFailed(cell, 0)) return false;
  const cause = causeOfCell(cell);
  return cause === null || canBeOfTarget(phaseOf(cell), cause);
};

/** Whether the proxy itself answered that it does not serve this user. */
export const isRefusal = (cell: EvidenceCell): boolean =>
  areOwnSettings([cell]) || causeOfCell(cell) === 'no_node';

export const phaseOf = ({ errorCode }: Pick<EvidenceCell, 'errorCode'>): Phase =>
  errorCode?.split('_', 1)[0] as Phase;

/** The newest cause is asked too, because a store of before may have another source for it. */
export const showsNothing = (cell: EvidenceCell, depth: number): boolean => {
  if (!hasFailed(cell, depth)) return false;
  const cause = depth === 0 ? causeOfCell(cell) : null;
  return sourceAt(cell, depth) === ERROR_SOURCE_CODES.here || cause === 'quota' || cause === 'local';
};

const withoutVoid = (cell: EvidenceCell): EvidenceCell => {
  if (cell.history === 0) return cell;
  const all = DEPTHS.slice(0, cell.rounds);
  const depths = all.filter((depth) => !showsNothing(cell, depth));
  if (depths.length === all.length) return cell;
  return {
    ...cell,
    rounds: depths.length,
    history: depths.reduce((packed, depth, index) => packed | (Number(hasFailed(cell, depth)) << index), 0),
    sources: depths.reduce((packed, depth, index) => withSource(packed, index, sourceAt(cell, depth)), 0),
  };
};

/**
 * Names one proxy as the source of failures at several urls in the same round, while a control works. The control shows
 * that this machine and its line work, and a proxy that fails at all of several targets is not blocked by a target.
 */
export const comparedWithControls = (
  cells: readonly EvidenceCell[],
  controls: readonly StoredControl[],
): readonly EvidenceCell[] => {
  if (cells.every(({ history }) => history === 0)) return cells;
  if (!controls.some(({ isSuccessful }) => isSuccessful)) return cells;
  const depths = DEPTHS.filter((depth) => isProxyShown(cells, depth));
  return cells.map((cell) => ({ ...cell, sources: depths.reduce(nameProxy(cell), cell.sources) }));
};

/** Whether the proxy failed at all of several targets in that round, and most failures do not name the target. */
export const isProxyShown = (cells: readonly EvidenceCell[], depth: number): boolean => {
  const known = cells.filter(({ rounds }) => rounds > depth);
  const urls = new Set(known.map(({ url }) => url));
  const named = known.filter((cell) => sourceAt(cell, depth) === ERROR_SOURCE_CODES.target);
  return urls.size > 1 && known.every((cell) => hasFailed(cell, depth)) && 2 * named.length <= known.length;
};

const nameProxy =
  (cell: EvidenceCell) =>
  (sources: number, depth: number): number =>
    cell.rounds > depth && sourceAt(cell, depth) === 0
      ? withSource(sources, depth, ERROR_SOURCE_CODES.proxy)
      : sources;
