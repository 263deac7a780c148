// Statements of the matrix of last results, proxy × url × tester.

import type { TestCell, TestStore, Uptime } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import {
  addRound,
  type CellsRow,
  forgottenCell,
  hasFailed,
  packCells,
  roundsOf,
  type StoredCell,
  unpackCells,
} from './cell-pack.ts';
import { FORGOTTEN, type Subjects } from './subjects.ts';
import { hourOf, plus, sumUp, type TestSums } from './sums.ts';
import { grouped, type NumberedBatch, type NumberedResult } from './test-batch.ts';
import type { UrlTesters } from './url-testers.ts';

/** With the sums of its hour, which is not among the others yet. */
interface StoredRow extends CellsRow, Uptime {
  readonly id: number;
  readonly url: number;
  readonly hour: number;
}

export interface TestCells {
  /** Inside a transaction. */
  add(batch: NumberedBatch): void;
  readonly readings: Pick<TestStore, 'cells'>;
}

export const createTestCells = (
  db: Database,
  subjects: Subjects,
  urlTesters: UrlTesters,
  sums: TestSums,
): TestCells => {
  const { sql } = db;
  const rowsOf = sql.prepare<[number, number], StoredRow>(
    `SELECT id, url, at, held_until AS heldUntil, cells, hour, hour_results AS results, hour_successes AS successes,
       hour_sum_ms AS sumMs
     FROM test_cells WHERE account_id = ? AND proxy = ?`,
  );
  const insert = sql.prepare(
    `INSERT INTO test_cells (account_id, proxy, url, at, held_until, cells, hour, hour_results, hour_successes,
       hour_sum_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = sql.prepare(
    `UPDATE test_cells SET at = ?, held_until = ?, cells = ?, hour = ?, hour_results = ?, hour_successes = ?,
       hour_sum_ms = ?
     WHERE id = ?`,
  );
  const remove = sql.prepare('DELETE FROM test_cells WHERE id = ?');

  const addOfProxy = (proxy: number, results: readonly NumberedResult[], batch: NumberedBatch): void => {
    const { accountId, known } = batch;
    const rows = new Map(rowsOf.all(accountId, proxy).map((row) => [row.url, row]));
    const gone: StoredCell[] = [];
    for (const row of rows.values()) {
      if (known.urls.has(row.url) || row.url === FORGOTTEN) continue;
      gone.push(...unpackCells(row));
      remove.run(row.id);
    }
    for (const own of grouped(results, ({ url }) => url)) {
      const row = rows.get(own[0].url);
      const cells = row ? unpackCells(row) : [];
      const before = cells.filter(({ tester }) => known.testers.has(tester));
      if (before.length < cells.length) gone.push(...cells.filter((cell) => !before.includes(cell)));
      addToRow(row, before, own, batch);
    }
    if (gone.length > 0) putForgotten(proxy, rows.get(FORGOTTEN), gone, batch);
  };

  const addToRow = (
    row: StoredRow | undefined,
    cells: readonly StoredCell[],
    results: readonly [NumberedResult, ...NumberedResult[]],
    { accountId, now, heldUntil }: NumberedBatch,
  ): void => {
    const [{ proxy, url }] = results;
    const hour = hourOf(now);
    const isSameHour = row?.hour === hour;
    if (row && !isSameHour) sums.addHour(accountId, row.hour, proxy, url, row);
    const sum = isSameHour ? plus(row, sumUp(results)) : sumUp(results);
    const packed = packCells(addRound(cells, results, now, heldUntil));
    const columns = [packed.at, packed.heldUntil, packed.cells, hour, sum.results, sum.successes, sum.sumMs];
    if (row) update.run(...columns, row.id);
    else insert.run(accountId, proxy, url, ...columns);
  };

  /** Cells of urls and testers that were forgotten become one when their proxy is tested again. */
  const putForgotten = (
    proxy: number,
    row: StoredRow | undefined,
    gone: readonly StoredCell[],
    { accountId }: NumberedBatch,
  ): void => {
    if (row) remove.run(row.id);
    const { at, heldUntil, cells } = packCells([forgottenCell([...(row ? unpackCells(row) : []), ...gone])]);
    insert.run(accountId, proxy, FORGOTTEN, at, heldUntil, cells, 0, 0, 0, 0);
  };

  return {
    add: (batch) => {
      for (const own of grouped(batch.results, ({ proxy }) => proxy)) addOfProxy(own[0].proxy, own, batch);
    },
    readings: {
      cells: async (account, proxies) =>
        db.read(() => {
          const accountId = db.knownAccountId(account);
          const known = urlTesters.known(accountId);
          // Names are put in afterwards: joining and sorting them takes ten times the reading.
          const named = (proxy: string, { url }: StoredRow, cell: StoredCell): TestCell =>
            known.urls.has(url) && known.testers.has(cell.tester)
              ? toCell(cell, proxy, subjects.name(url), subjects.name(cell.tester))
              : toCell(cell, proxy, '', '');
          return proxies.flatMap((proxy) =>
            rowsOf
              .all(accountId, subjects.find(proxy))
              .flatMap((row) => unpackCells(row).map((cell) => named(proxy, row, cell)))
              .sort(byUrlAndTester),
          );
        }),
    },
  };
};

const toCell = (cell: StoredCell, proxy: string, url: string, tester: string): TestCell => {
  const { history, rounds } = roundsOf(cell.history);
  return {
    proxy,
    url,
    tester,
    isSuccessful: !hasFailed(cell.history),
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
