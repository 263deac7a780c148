// Stores the last result of each proxy × URL × tester.

import type { Uptime } from '../../test-history-store.ts';
import type { TestCell, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import {
  addRound,
  type CellsRow,
  hasLastRoundFailed,
  mergePrunedCells,
  packCells,
  type StoredCell,
  unpackCells,
  unpackHistory,
} from './cell-pack.ts';
import {
  groupBy,
  PRUNED_SUBJECT,
  type ResolvedBatch,
  type ResolvedResult,
  type Subjects,
} from './subjects.ts';
import { addUptime, HOUR_SUM, HOUR_SUM_COLUMNS, hourOf, type TestSums, uptimeOf } from './sums.ts';
import type { UrlTesters } from './totals.ts';

/** A row also holds the sums of its newest hour, which `test_sum` does not contain yet. */
interface StoredRow extends CellsRow, Uptime {
  readonly id: number;
  readonly url: number;
  readonly hour: number;
}

export const createTestCells = (db: Database, subjects: Subjects, urlTesters: UrlTesters, sums: TestSums) => {
  const { sql } = db;
  const rowsOf = sql.prepare<[number, number], StoredRow>(
    `SELECT id, url, at, held_until AS heldUntil, cells, ${HOUR_SUM} FROM test_cells WHERE account_id = ? AND proxy = ?`,
  );
  const columns = `at, held_until, cells, ${HOUR_SUM_COLUMNS}`;
  const insert = sql.prepare(
    `INSERT INTO test_cells (account_id, proxy, url, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = sql.prepare(`UPDATE test_cells SET (${columns}) = (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?`);
  const remove = sql.prepare('DELETE FROM test_cells WHERE id = ?');

  const addProxyResults = (proxy: number, results: readonly ResolvedResult[], batch: ResolvedBatch): void => {
    const { accountId, known } = batch;
    const rows = new Map(rowsOf.all(accountId, proxy).map((row) => [row.url, row]));
    const prunedCells: StoredCell[] = [];
    for (const row of rows.values()) {
      if (known.urls.has(row.url) || row.url === PRUNED_SUBJECT) continue;
      prunedCells.push(...unpackCells(row));
      remove.run(row.id);
    }
    for (const group of groupBy(results, ({ url }) => url)) {
      const row = rows.get(group[0].url);
      const cells = row ? unpackCells(row) : [];
      const knownCells = cells.filter(({ tester }) => known.testers.has(tester));
      if (knownCells.length < cells.length)
        prunedCells.push(...cells.filter((cell) => !knownCells.includes(cell)));
      addToRow(row, knownCells, group, batch);
    }
    if (prunedCells.length > 0) savePrunedCells(proxy, rows.get(PRUNED_SUBJECT), prunedCells, batch);
  };

  const addToRow = (
    row: StoredRow | undefined,
    cells: readonly StoredCell[],
    results: readonly [ResolvedResult, ...ResolvedResult[]],
    { accountId, now, heldUntil }: ResolvedBatch,
  ): void => {
    const [{ proxy, url }] = results;
    const hour = hourOf(now);
    const isSameHour = row?.hour === hour;
    if (row && !isSameHour) sums.addHour(accountId, row.hour, proxy, url, row);
    const added = uptimeOf(results, 'proxy');
    const sum = isSameHour ? addUptime(row, added) : added;
    const packed = packCells(addRound(cells, results, now, heldUntil));
    const values = [
      ...[packed.at, packed.heldUntil, packed.cells],
      ...[hour, sum.results, sum.successes, sum.sumMs, sum.ownFailures, sum.otherFailures],
    ];
    if (row) update.run(...values, row.id);
    else insert.run(accountId, proxy, url, ...values);
  };

  /** Cells of pruned URLs and testers are merged into one when their proxy is tested again. */
  const savePrunedCells = (
    proxy: number,
    row: StoredRow | undefined,
    prunedCells: readonly StoredCell[],
    { accountId }: ResolvedBatch,
  ): void => {
    if (row) remove.run(row.id);
    const { at, heldUntil, cells } = packCells([
      mergePrunedCells([...(row ? unpackCells(row) : []), ...prunedCells]),
    ]);
    insert.run(accountId, proxy, PRUNED_SUBJECT, at, heldUntil, cells, 0, 0, 0, 0, 0, 0);
  };

  return {
    /** Must run inside a transaction. */
    add: (batch: ResolvedBatch): void => {
      for (const group of groupBy(batch.results, ({ proxy }) => proxy))
        addProxyResults(group[0].proxy, group, batch);
    },
    queries: {
      cells: db.readOf((accountId, proxies) => {
        const known = urlTesters.known(accountId);
        // Names are added after the query: joining and sorting them in SQL takes ten times as long as reading.
        const toNamedCell = (proxy: string, { url }: StoredRow, cell: StoredCell): TestCell =>
          known.urls.has(url) && known.testers.has(cell.tester)
            ? toCell(cell, proxy, subjects.nameOf(url), subjects.nameOf(cell.tester))
            : toCell(cell, proxy, '', '');
        return proxies.flatMap((proxy) =>
          rowsOf
            .all(accountId, subjects.idOf(proxy))
            .flatMap((row) => unpackCells(row).map((cell) => toNamedCell(proxy, row, cell)))
            .sort(byUrlAndTester),
        );
      }),
    } satisfies Pick<TestStore, 'cells'>,
  };
};

const toCell = (cell: StoredCell, proxy: string, url: string, tester: string): TestCell => {
  const { history, rounds } = unpackHistory(cell.history);
  // Written out, because a copy of the cell that is changed takes twice as long.
  return {
    proxy,
    url,
    tester,
    isSuccessful: !hasLastRoundFailed(cell.history),
    errorSource: cell.errorSource,
    errorCode: cell.errorCode,
    responseTimeMs: cell.responseTimeMs,
    at: cell.at,
    results: cell.results,
    successes: cell.successes,
    heldUntil: cell.heldUntil,
    history,
    rounds,
    sources: cell.sources,
  };
};

const byUrlAndTester = (a: TestCell, b: TestCell): number =>
  compare(a.url, b.url) || compare(a.tester, b.tester);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
