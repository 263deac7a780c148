// Tests that the sums of use match its rows while passes, corrections and deletions of users run during maintenance.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { checkFile } from '../../src/store/sqlite/file/check.ts';
import { createDatabase } from '../../src/store/sqlite/file/database.ts';
import { openFile } from '../../src/store/sqlite/file/open.ts';
import { createUseRetention } from '../../src/store/sqlite/user-use/use-retention.ts';
import { createUserUseStore } from '../../src/store/sqlite/user-use/user-use.ts';
import { createUserStore } from '../../src/store/sqlite/users/users.ts';
import { makeFolder, openStore, START } from './support.ts';
import { list, NEVER, user } from './user-use-support.ts';

const RETENTION = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
const IDS = Array.from({ length: 300 }, (_, n) => `user-${String(n).padStart(3, '0')}`);
const usersAt = (bytes: number) => IDS.map((id, n) => user(id, bytes * (n + 1)));
const NEXT_DAY = START + DAY;

/** What the daemon does to the rows of use, step by step. */
interface Rows {
  /** Stores the next hour, in which all users use bytes or, with a negative number, get bytes back. */
  pass(bytes: number): Promise<unknown>;
  limit(maxRows: number): Promise<unknown>;
  expire(): Promise<unknown>;
  deleteUsers(count: number): void;
}

/** The content of a store whose 300 users have a row of one day. */
let withOneDay: Buffer;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-store-'));
  const path = join(folder, 'store.db');
  {
    using store = openStore(path);
    for (const hour of [0, 1]) await list({ store }, usersAt(100 + hour), START + hour * HOUR);
  }
  withOneDay = readFileSync(path);
  rmSync(folder, { recursive: true });
});

/** Opens a store whose 300 users have a row of one day, and checks the store in the end. */
const withRows = async (test: (rows: Rows) => Promise<void>): Promise<void> => {
  const path = join(makeFolder(), 'store.db');
  writeFileSync(path, withOneDay);
  {
    using file = new DisposableStack();
    const sql = file.adopt(openFile(path, { isDurable: false }), (open) => open.close());
    const db = createDatabase(sql, 0, () => {});
    const [users, userUse] = [createUserStore(db), createUserUseStore(db)];
    let [bytes, at] = [200, NEXT_DAY];
    const retention = (maxRows: number, now: number) =>
      createUseRetention(db, maxRows)({ now, retention: RETENTION, signal: NEVER });
    await test({
      pass: async (growth) => {
        [bytes, at] = [Math.max(0, bytes + growth), at + HOUR];
        const [page, now] = [usersAt(bytes), at];
        await users.savePage('main', page, now);
        await users.countListing('main', now, now);
        await userUse.store('main', 'UTC', NEVER);
      },
      limit: (maxRows) => retention(maxRows, NEXT_DAY),
      expire: () => retention(5_000_000, NEXT_DAY + 402 * DAY),
      deleteUsers: (count) => {
        const remove = sql.prepare(
          'DELETE FROM proxy_user WHERE rowid IN (SELECT rowid FROM proxy_user LIMIT ?)',
        );
        db.write(() => remove.run(count));
      },
    });
  }
  expect([...checkFile(path)].filter(({ damage }) => damage !== null)).toEqual([]);
};

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'a pass that begins %i turns after the limit of rows adds no row that the limit forgets',
  (count) =>
    withRows(async ({ pass, limit }) => {
      const limiting = limit(100);
      await turns(count);
      await pass(1);
      await limiting;
    }),
);

it('the sums match the rows whatever runs during maintenance', async () => {
  const step = fc.record({
    wait: fc.nat(6),
    kind: fc.constantFrom('pass', 'correction', 'deletion' as const),
    size: fc.integer({ min: 1, max: 60 }),
  });
  const maintenance = fc.constantFrom('limit', 'expire' as const);
  await fc.assert(
    fc.asyncProperty(
      maintenance,
      fc.nat(250),
      fc.array(step, { minLength: 1, maxLength: 4 }),
      (kind, maxRows, steps) =>
        withRows(async ({ pass, limit, expire, deleteUsers }) => {
          const maintaining = kind === 'limit' ? limit(maxRows) : expire();
          for (const { wait, kind, size } of steps) {
            await turns(wait);
            if (kind === 'deletion') deleteUsers(size);
            else await pass(kind === 'pass' ? size : -size);
          }
          await maintaining;
          await limit(maxRows);
        }),
    ),
    { numRuns: 15 },
  );
});
