// Statements of the matrix of last results, proxy × url × tester, and of when each proxy had its turn.

import type { TestCell, TestedProxy, TestStore } from '../test-store.ts';
import type { Database } from './database.ts';
import type { Subjects } from './subjects.ts';
import type { NumberedBatch } from './test-batch.ts';

/** Rounds whose outcomes are remembered in a cell. */
const HISTORY_ROUNDS = 8;
const HISTORY_MASK = (1 << HISTORY_ROUNDS) - 1;

type CellRow = Omit<TestCell, 'proxy' | 'url' | 'tester' | 'isSuccessful'> & {
  readonly url: number;
  readonly tester: number;
};

export interface TestCells {
  /** Inside a transaction. */
  add(batch: NumberedBatch): void;
  readonly readings: Pick<TestStore, 'proxies' | 'cells'>;
}

export const createTestCells = (db: Database, subjects: Subjects): TestCells => {
  const { sql } = db;
  const putCell = sql.prepare(
    `INSERT INTO test_cell (account_id, proxy, url, tester, error_source, error_code, response_time_ms, at, results,
       successes, held_until, history, rounds)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET
       error_source = excluded.error_source, error_code = excluded.error_code,
       response_time_ms = excluded.response_time_ms, at = excluded.at,
       results = results + 1, successes = successes + excluded.successes,
       history = ((history << 1) | excluded.history) & ${HISTORY_MASK}, rounds = min(rounds + 1, ${HISTORY_ROUNDS})`,
  );
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
  // Names are put in afterwards: joining and sorting them takes ten times the reading.
  const cellsOf = sql.prepare<[number, number], CellRow>(
    `SELECT url, tester, error_source AS errorSource, error_code AS errorCode, response_time_ms AS responseTimeMs, at,
       results, successes, held_until AS heldUntil, history, rounds
     FROM test_cell WHERE account_id = ? AND proxy = ?`,
  );

  return {
    add: ({ accountId, results, proxies, now, heldUntil }) => {
      const answered = new Set<number>();
      const failed = new Set<number>();
      for (const { proxy, url, tester, isSuccessful, errorSource, errorCode, responseTimeMs } of results) {
        const [success, failure] = isSuccessful ? [1, 0] : [0, 1];
        // biome-ignore format: in the order of the columns
        putCell.run(accountId, proxy, url, tester, errorSource, errorCode, responseTimeMs, now, success, heldUntil, failure);
        answered.add(proxy);
        if (!isSuccessful) failed.add(proxy);
      }
      for (const proxy of proxies) {
        if (answered.has(proxy)) putProxy.run(accountId, proxy, now, Number(failed.has(proxy)));
        else passTurn.run(accountId, proxy, now);
      }
    },
    readings: {
      proxies: async (account) => db.read(() => proxiesOf.all(db.knownAccountId(account))),
      cells: async (account, proxies) =>
        db.read(() => {
          const accountId = db.knownAccountId(account);
          return proxies.flatMap((proxy) =>
            cellsOf
              .all(accountId, subjects.find(proxy))
              .map((row) => toCell(row, proxy, subjects.name(row.url), subjects.name(row.tester)))
              .sort(byUrlAndTester),
          );
        }),
    },
  };
};

const toCell = (row: CellRow, proxy: string, url: string, tester: string): TestCell => ({
  ...row,
  proxy,
  url,
  tester,
  isSuccessful: (row.history & 1) === 0,
});

const byUrlAndTester = (a: TestCell, b: TestCell): number =>
  compare(a.url, b.url) || compare(a.tester, b.tester);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
