// The testers' cells of one proxy and url as their row holds them: short, since a round of tests writes them all.

import { NAMED_SOURCES } from '../../test-store.ts';
import { FORGOTTEN } from './subjects.ts';
import type { NumberedResult } from './test-batch.ts';

/** Rounds whose outcomes are remembered in a cell. */
const HISTORY_ROUNDS = 8;
const FULL_HISTORY = 1 << HISTORY_ROUNDS;
/** A history without a round: its highest bit stands before the oldest outcome. */
const NO_ROUNDS = 1;
const BITS_OF_SOURCE = 2;
const CODES = new Map<string, number>(Object.entries(NAMED_SOURCES));

export interface StoredCell {
  readonly tester: number;
  at: number;
  responseTimeMs: number | null;
  results: number;
  successes: number;
  readonly heldUntil: number;
  /** A 1, and after it the outcomes of the last rounds, the newest in bit 0; 1 is a failure. */
  history: number;
  errorSource: string | null;
  errorCode: string | null;
  /** What the last rounds named as the source of their error, two bits each, the newest lowest. */
  sources: number;
}

export interface CellsRow {
  /** The newest of the cells' times (ms). */
  readonly at: number;
  /** The earliest of the cells' (ms). */
  readonly heldUntil: number;
  readonly cells: string;
}

/** Times are stored as differences from that of the row, which most cells share; errors only if a round of the history failed. */
type Packed = readonly [
  tester: number,
  ageMs: number,
  responseTimeMs: number | null,
  results: number,
  successes: number,
  heldLaterMs: number,
  history: number,
  errorSource?: string | null,
  errorCode?: string | null,
  sources?: number,
];

export const packCells = (cells: readonly StoredCell[]): CellsRow => {
  const at = Math.max(...cells.map((cell) => cell.at));
  const heldUntil = Math.min(...cells.map((cell) => cell.heldUntil));
  const pack = (cell: StoredCell): Packed => {
    const { tester, responseTimeMs, results, successes, history, errorSource, errorCode, sources } = cell;
    const [ageMs, heldLaterMs] = [at - cell.at, cell.heldUntil - heldUntil];
    const sound = [tester, ageMs, responseTimeMs, results, successes, heldLaterMs, history] as const;
    if (sources > 0) return [...sound, errorSource, errorCode, sources];
    return hasFailed(history) ? [...sound, errorSource, errorCode] : sound;
  };
  return { at, heldUntil, cells: JSON.stringify(cells.map(pack)) };
};

export const unpackCells = ({ at, heldUntil, cells }: CellsRow): StoredCell[] =>
  (JSON.parse(cells) as Packed[]).map(
    ([tester, ageMs, responseTimeMs, results, successes, heldLaterMs, history, source, code, sources]) => ({
      tester,
      at: at - ageMs,
      responseTimeMs,
      results,
      successes,
      heldUntil: heldUntil + heldLaterMs,
      history,
      errorSource: source ?? null,
      errorCode: code ?? null,
      sources: sources ?? 0,
    }),
  );

/**
 * Adds a round's results to the cells of their proxy and url. Several from one tester are one round, failed when one
 * of them has: else a single round of the testers that share a name would look like many.
 */
export const addRound = (
  cells: readonly StoredCell[],
  results: readonly NumberedResult[],
  now: number,
  heldUntil: number,
): StoredCell[] => {
  const byTester = new Map(cells.map((cell) => [cell.tester, cell]));
  const inRound = new Set<number>();
  for (const result of results) {
    const { tester, isSuccessful } = result;
    const cell = byTester.get(tester) ?? newCell(tester, now, heldUntil);
    byTester.set(tester, cell);
    cell.results += 1;
    cell.successes += Number(isSuccessful);
    if (!inRound.has(tester)) beginRound(cell);
    else if (isSuccessful && hasFailed(cell.history)) continue;
    inRound.add(tester);
    cell.history |= Number(!isSuccessful);
    cell.at = now;
    cell.responseTimeMs = result.responseTimeMs;
    cell.errorSource = result.errorSource;
    cell.errorCode = result.errorCode;
    cell.sources = (cell.sources & ~sourcesOf(1)) | namedSource(result);
  }
  return [...byTester.values()];
};

/** One cell for those of urls and testers that were forgotten: totals of their proxy go on with what they counted. */
export const forgottenCell = (cells: readonly StoredCell[]): StoredCell => {
  const sum = (of: 'results' | 'successes'): number => cells.reduce((sum, cell) => sum + cell[of], 0);
  const at = Math.max(...cells.map((cell) => cell.at));
  const heldUntil = Math.max(...cells.map((cell) => cell.heldUntil));
  const cell = newCell(FORGOTTEN, at, heldUntil);
  return { ...cell, results: sum('results'), successes: sum('successes'), history: nextRound(NO_ROUNDS) };
};

export const hasFailed = (history: number): boolean => (history & 1) === 1;

/** The outcomes alone, and how many they are. */
export const roundsOf = (history: number): { history: number; rounds: number } => {
  const rounds = 31 - Math.clz32(history);
  return { history: history ^ (1 << rounds), rounds };
};

const nextRound = (history: number): number =>
  history < FULL_HISTORY ? history << 1 : ((history << 1) & (FULL_HISTORY - 1)) | FULL_HISTORY;

const beginRound = (cell: StoredCell): void => {
  cell.history = nextRound(cell.history);
  cell.sources = (cell.sources << BITS_OF_SOURCE) & sourcesOf(HISTORY_ROUNDS);
};

/** The bits of so many rounds. */
const sourcesOf = (rounds: number): number => (1 << (BITS_OF_SOURCE * rounds)) - 1;

/** A code for a failure whose source says whose fault it is, else 0. */
const namedSource = ({ isSuccessful, errorSource }: NumberedResult): number => {
  return isSuccessful || errorSource === null ? 0 : (CODES.get(errorSource.toLowerCase()) ?? 0);
};

const newCell = (tester: number, now: number, heldUntil: number): StoredCell => ({
  tester,
  at: now,
  responseTimeMs: null,
  results: 0,
  successes: 0,
  heldUntil,
  history: NO_ROUNDS,
  errorSource: null,
  errorCode: null,
  sources: 0,
});
