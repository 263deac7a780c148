// Statements of the matrix of last results, proxy × url × tester, and of when each proxy had its turn.

import type { TestCell, TestedProxy, TestStore, Uptime } from '../test-store.ts';
import type { Database } from './database.ts';
import type { Subjects } from './subjects.ts';
import { grouped, type NumberedBatch, type NumberedResult } from './test-batch.ts';
import {
  addRound,
  type CellsRow,
  hasFailed,
  packCells,
  roundsOf,
  type StoredCell,
  unpackCells,
} from './test-cell-pack.ts';
import { hourOf, plus, sumUp, type TestSums } from './test-sums.ts';
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
  readonly readings: Pick<TestStore, 'proxies' | 'cells'>;
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
  const putProxy = sql.prepare(
    `INSERT INTO tested_proxy VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET last_tested_at = excluded.last_tested_at,
       failing_rounds = iif(excluded.failing_rounds = 0, 0, failing_rounds + 1)`,
  );
  const passTurn = sql.prepare(
    `INSERT INTO tested_proxy VALUES (?, ?, ?, 0)
     ON CONFLICT DO UPDATE SET last_tested_at = excluded.last_tested_at`,
  );
  const proxiesOf = sql.prepare<[number], TestedProxy>(
    `SELECT subject.text AS proxy, last_tested_at AS lastTestedAt, failing_rounds AS failingRounds
     FROM tested_proxy JOIN subject ON subject.id = proxy WHERE account_id = ? ORDER BY subject.text`,
  );

  /** Cells of urls and testers that were forgotten go when their proxy is tested again. */
  const addOfProxy = (proxy: number, results: readonly NumberedResult[], batch: NumberedBatch): void => {
    const { accountId, now, known } = batch;
    const rows = new Map(rowsOf.all(accountId, proxy).map((row) => [row.url, row]));
    for (const { id, url } of rows.values()) if (!known.urls.has(url)) remove.run(id);
    for (const own of grouped(results, ({ url }) => url)) addToRow(rows.get(own[0].url), own, batch);
    putProxy.run(accountId, proxy, now, Number(results.some(({ isSuccessful }) => !isSuccessful)));
  };

  const addToRow = (
    row: StoredRow | undefined,
    results: readonly [NumberedResult, ...NumberedResult[]],
    { accountId, now, heldUntil, known }: NumberedBatch,
  ): void => {
    const [{ proxy, url }] = results;
    const before = row ? unpackCells(row).filter(({ tester }) => known.testers.has(tester)) : [];
    const packed = packCells(addRound(before, results, now, heldUntil));
    const columns = [packed.at, packed.heldUntil, packed.cells];
    const hour = hourOf(now);
    const isSameHour = row?.hour === hour;
    if (row && !isSameHour) sums.addHour(accountId, row.hour, proxy, url, row);
    const sum = isSameHour ? plus(row, sumUp(results)) : sumUp(results);
    columns.push(hour, sum.results, sum.successes, sum.sumMs);
    if (row) update.run(...columns, row.id);
    else insert.run(accountId, proxy, url, ...columns);
  };

  return {
    add: (batch) => {
      const { accountId, results, proxies, now } = batch;
      const answered = new Set<number>();
      for (const own of grouped(results, ({ proxy }) => proxy)) {
        const [{ proxy }] = own;
        addOfProxy(proxy, own, batch);
        answered.add(proxy);
      }
      for (const proxy of proxies) if (!answered.has(proxy)) passTurn.run(accountId, proxy, now);
    },
    readings: {
      proxies: async (account) => db.read(() => proxiesOf.all(db.knownAccountId(account))),
      cells: async (account, proxies) =>
        db.read(() => {
          const accountId = db.knownAccountId(account);
          const known = urlTesters.known(accountId);
          // Names are put in afterwards: joining and sorting them takes ten times the reading.
          const cellsOf = (proxy: string, row: StoredRow): TestCell[] =>
            unpackCells(row)
              .filter(({ tester }) => known.testers.has(tester))
              .map((cell) => toCell(cell, proxy, subjects.name(row.url), subjects.name(cell.tester)));
          return proxies.flatMap((proxy) =>
            rowsOf
              .all(accountId, subjects.find(proxy))
              .filter(({ url }) => known.urls.has(url))
              .flatMap((row) => cellsOf(proxy, row))
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
  };
};

const byUrlAndTester = (a: TestCell, b: TestCell): number =>
  compare(a.url, b.url) || compare(a.tester, b.tester);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
