// Tests that the ledger of a store of the first schema keeps its rows and counters.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { APPLICATION_ID } from '../../../src/store/sqlite/file/open.ts';
import { FIRST } from '../../../src/store/sqlite/migrations/first.ts';
import { makeFolder, openStore, START } from '../support.ts';

const HISTORY = `
INSERT INTO account VALUES (1, 'main', 4711);
INSERT INTO listing VALUES (1, 'residential_ledger', ${START}, ${START}, ${START}, ${START});
INSERT INTO counter VALUES ('ledger/1/usage', 'usedBytes', 5, 5, 0);
INSERT INTO ledger VALUES (1, 'a', 'usage', NULL, '2026-03-01', 0, 30, 2);
`;

it('keeps the ledger and counts the growth of its rows', async () => {
  const path = join(makeFolder(), 'store.db');
  const sql = new SQLite(path);
  sql.exec(FIRST + HISTORY);
  sql.pragma(`application_id = ${APPLICATION_ID}`);
  sql.pragma('user_version = 1');
  sql.close();

  using store = openStore(path);
  const balanceOf = (_: string, bytes: number) => ({ addedBytes: 0, usedBytes: Math.abs(bytes) });
  await store.ledgers.residential.applyRule('main', { key: 'rule', usageReasons: ['usage'], balanceOf });
  const row = { id: 'a', reason: 'usage', serviceId: null, periodDate: '2026-03-01', periodEnd: START };
  const nothing = { adjustmentId: null, createdAt: null, updatedAt: null };
  await store.ledgers.residential.savePage(
    'main',
    [{ ...row, ...nothing, bytes: -37, addedBytes: 0, usedBytes: 37, requests: 2 }],
    START,
  );
  const { balance, listing, reasons } = await store.ledgers.residential.summary('main');
  expect(balance).toMatchObject({ addedBytes: 0, usedBytes: 37 });
  expect(listing).toMatchObject({ baselinedAt: START, undecodedRows: 0 });
  expect(reasons[0]?.counters.usedBytes.net).toBe(5 + 7);
});
