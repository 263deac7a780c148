// Packs the testers' cells of one proxy and URL into a short row, because a round of tests rewrites all of them.

import { ERROR_SOURCE_CODES, type TestCell } from '../../test-store.ts';
import { PRUNED_SUBJECT, type ResolvedResult } from './subjects.ts';

/** A cell keeps the outcomes of this many rounds. */
const HISTORY_ROUNDS = 8;
const FULL_HISTORY = 1 << HISTORY_ROUNDS;
/** A history without rounds. The highest bit of a history marks its start, before the oldest outcome. */
const EMPTY_HISTORY = 1;
const BITS_PER_SOURCE = 2;
const SOURCE_CODES = new Map<string, number>(Object.entries(ERROR_SOURCE_CODES));

/** A cell of a proxy and URL as it is stored: the tester is an id, and the history begins with a start bit. */
export type StoredCell = { readonly tester: number } & {
  -readonly [N in Exclude<
    keyof TestCell,
    'proxy' | 'url' | 'tester' | 'isSuccessful' | 'rounds'
  >]: TestCell[N];
};

export interface CellsRow {
  /** The newest of the cells' times (ms). */
  readonly at: number;
  /** The earliest `heldUntil` of the cells (ms). */
  readonly heldUntil: number;
  readonly cells: string;
}

/** Times are differences from the time of the row, which most cells share. Errors are stored only if a round of the history failed. */
type PackedCell = readonly [
  tester: number,
  ageMs: number,
  responseTimeMs: number | null,
  results: number,
  successes: number,
  holdOffsetMs: number,
  history: number,
  errorSource?: string | null,
  errorCode?: string | null,
  sources?: number,
];

export const packCells = (cells: readonly StoredCell[]): CellsRow => {
  const at = Math.max(...cells.map((cell) => cell.at));
  const heldUntil = Math.min(...cells.map((cell) => cell.heldUntil));
  const pack = (cell: StoredCell): PackedCell => {
    const { tester, responseTimeMs, results, successes, history, errorSource, errorCode, sources } = cell;
    const [ageMs, holdOffsetMs] = [at - cell.at, cell.heldUntil - heldUntil];
    const values = [tester, ageMs, responseTimeMs, results, successes, holdOffsetMs, history] as const;
    if (sources > 0) return [...values, errorSource, errorCode, sources];
    return hasLastRoundFailed(history) ? [...values, errorSource, errorCode] : values;
  };
  return { at, heldUntil, cells: JSON.stringify(cells.map(pack)) };
};

export const unpackCells = ({ at, heldUntil, cells }: CellsRow): StoredCell[] =>
  (JSON.parse(cells) as PackedCell[]).map(
    ([tester, ageMs, responseTimeMs, results, successes, holdOffsetMs, history, source, code, sources]) => ({
      tester,
      at: at - ageMs,
      responseTimeMs,
      results,
      successes,
      heldUntil: heldUntil + holdOffsetMs,
      history,
      errorSource: source ?? null,
      errorCode: code ?? null,
      sources: sources ?? 0,
    }),
  );

/**
 * Adds the results of a round to the cells of their proxy and URL. Several results of one tester are one round, which
 * failed if any of them failed. Otherwise one round of the testers that share a name would look like many rounds.
 */
export const addRound = (
  cells: readonly StoredCell[],
  results: readonly ResolvedResult[],
  now: number,
  heldUntil: number,
): StoredCell[] => {
  const byTester = new Map(cells.map((cell) => [cell.tester, cell]));
  const testersInRound = new Set<number>();
  for (const result of results) {
    const { tester, isSuccessful } = result;
    const cell = byTester.get(tester) ?? newCell(tester, now, heldUntil);
    byTester.set(tester, cell);
    cell.results += 1;
    cell.successes += Number(isSuccessful);
    if (!testersInRound.has(tester)) beginRound(cell);
    else if (isSuccessful && hasLastRoundFailed(cell.history)) continue;
    testersInRound.add(tester);
    cell.history |= Number(!isSuccessful);
    cell.at = now;
    cell.responseTimeMs = result.responseTimeMs;
    cell.errorSource = result.errorSource;
    cell.errorCode = result.errorCode;
    cell.sources = (cell.sources & ~sourceMask(1)) | sourceCodeOf(result);
  }
  return [...byTester.values()];
};

/** Merges the cells of pruned URLs and testers into one, so that the totals of their proxy keep their counts. */
export const mergePrunedCells = (cells: readonly StoredCell[]): StoredCell => {
  const sum = (of: 'results' | 'successes'): number => cells.reduce((sum, cell) => sum + cell[of], 0);
  const at = Math.max(...cells.map((cell) => cell.at));
  const heldUntil = Math.max(...cells.map((cell) => cell.heldUntil));
  return {
    ...newCell(PRUNED_SUBJECT, at, heldUntil),
    results: sum('results'),
    successes: sum('successes'),
    history: shiftHistory(EMPTY_HISTORY),
  };
};

export const hasLastRoundFailed = (history: number): boolean => (history & 1) === 1;

/** Returns the outcomes without the start bit, and the number of rounds. */
export const unpackHistory = (history: number): { history: number; rounds: number } => {
  const rounds = 31 - Math.clz32(history);
  return { history: history ^ (1 << rounds), rounds };
};

const shiftHistory = (history: number): number =>
  history < FULL_HISTORY ? history << 1 : ((history << 1) & (FULL_HISTORY - 1)) | FULL_HISTORY;

const beginRound = (cell: StoredCell): void => {
  cell.history = shiftHistory(cell.history);
  cell.sources = (cell.sources << BITS_PER_SOURCE) & sourceMask(HISTORY_ROUNDS);
};

const sourceMask = (rounds: number): number => (1 << (BITS_PER_SOURCE * rounds)) - 1;

/** Returns the code of a failure's source if the source is one of `NAMED_SOURCES`, otherwise 0. */
const sourceCodeOf = ({ isSuccessful, errorSource }: ResolvedResult): number =>
  isSuccessful || errorSource === null ? 0 : (SOURCE_CODES.get(errorSource.toLowerCase()) ?? 0);

const newCell = (tester: number, at: number, heldUntil: number): StoredCell => ({
  ...{ tester, at, heldUntil, responseTimeMs: null, results: 0, successes: 0 },
  ...{ history: EMPTY_HISTORY, errorSource: null, errorCode: null, sources: 0 },
});
