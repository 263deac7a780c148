// Statements of the matrix of last results, proxy × url × tester, and of when each proxy had its turn.

import type { TestCell, TestedProxy, TestStore } from '../test-store.ts';
import type { Database } from './database.ts';
import type { Subjects } from './subjects.ts';
import type { NumberedBatch } from './test-batch.ts';

/** Rounds whose outcomes are remembered in a cell. */
const HISTORY_ROUNDS = 8;
const HISTORY_MASK = (1 << HISTORY_ROUNDS) - 1;

type CellRow = Omit<TestCell, 'proxy' | 'isSuccessful' | 'rounds'>;

export interface TestCells {
  /** Inside a transaction. */
  add(batch: NumberedBatch): void;
  readonly readings: Pick<TestStore, 'proxies' | 'cells'>;
}

export const createTestCells = (db: Database, subjects: Subjects): TestCells => {
  const { sql } = db;
  const putCell = sql.prepare(
    `INSERT INTO test_cell (account_id, proxy, url, tester, error_source, error_code, response_time_ms, at, results,
       successes, held_until, history)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       error_source = excluded.error_source, error_code = excluded.error_code,
       response_time_ms = excluded.response_time_ms, at = excluded.at,
       results = results + 1, successes = successes + excluded.successes,
       history = ((history << 1) | excluded.history) & ${HISTORY_MASK}`,
  );
  const putProxy = sql.prepare(
    `INSERT INTO tested_proxy VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET last_tested_at = excluded.last_tested_at,
       failing_rounds = iif(excluded.failing_rounds = 0, 0, failing_rounds + 1)`,
  );
  const proxiesOf = sql.prepare<[number], TestedProxy>(
    `SELECT subject.text AS proxy, last_tested_at AS lastTestedAt, failing_rounds AS failingRounds
     FROM tested_proxy JOIN subject ON subject.id = proxy WHERE account_id = ? ORDER BY subject.text`,
  );
  const cellsOf = sql.prepare<[number, number], CellRow>(
    `SELECT u.text AS url, t.text AS tester, error_source AS errorSource, error_code AS errorCode,
       response_time_ms AS responseTimeMs, at, results, successes, held_until AS heldUntil, history
     FROM test_cell JOIN subject u ON u.id = url JOIN subject t ON t.id = tester
     WHERE account_id = ? AND proxy = ? ORDER BY u.text, t.text`,
  );

  return {
    add: ({ accountId, results, proxies, now, heldUntil }) => {
      const failed = new Set<number>();
      for (const { proxy, url, tester, isSuccessful, errorSource, errorCode, responseTimeMs } of results) {
        const [success, failure] = isSuccessful ? [1, 0] : [0, 1];
        // biome-ignore format: in the order of the columns
        putCell.run(accountId, proxy, url, tester, errorSource, errorCode, responseTimeMs, now, success, heldUntil, failure);
        if (!isSuccessful) failed.add(proxy);
      }
      for (const proxy of proxies) putProxy.run(accountId, proxy, now, Number(failed.has(proxy)));
    },
    readings: {
      proxies: async (account) => db.read(() => proxiesOf.all(db.knownAccountId(account))),
      cells: async (account, proxies) =>
        db.read(() => {
          const accountId = db.knownAccountId(account);
          return proxies.flatMap((proxy) =>
            cellsOf.all(accountId, subjects.find(proxy)).map((row) => toCell(proxy, row)),
          );
        }),
    },
  };
};

const toCell = (proxy: string, row: CellRow): TestCell => ({
  ...row,
  proxy,
  isSuccessful: (row.history & 1) === 0,
  rounds: Math.min(row.results, HISTORY_ROUNDS),
});
