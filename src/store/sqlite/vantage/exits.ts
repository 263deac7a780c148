// Stores whether the exit of each proxy is the expected one, and since when.

import type { ExitResult, ProbeExit, ProbeStore } from '../../probe-store.ts';
import type { Database } from '../file/database.ts';

export interface Exits {
  /** Must run inside a transaction. */
  add(accountId: number, exits: readonly ExitResult[], now: number): void;
  readonly queries: Pick<ProbeStore, 'exits' | 'forgetExit'>;
}

interface ExitRow extends Omit<ProbeExit, 'isMismatch'> {
  readonly isMismatch: number;
}

export const createExits = (db: Database): Exits => {
  const put = db.sql.prepare(
    `INSERT INTO probe_exit VALUES (@accountId, @proxy, @expected, @seen, @isMismatch, @now, @now)
     ON CONFLICT DO UPDATE SET expected = excluded.expected, seen = excluded.seen, at = excluded.at,
       since = iif(is_mismatch = excluded.is_mismatch, since, excluded.since), is_mismatch = excluded.is_mismatch`,
  );
  const exitsOf = db.sql.prepare<[number], ExitRow>(
    `SELECT proxy, expected, seen, is_mismatch AS isMismatch, since, at
     FROM probe_exit WHERE account_id = ? ORDER BY proxy`,
  );
  const forget = db.sql.prepare('DELETE FROM probe_exit WHERE account_id = ? AND proxy = ?');
  return {
    add: (accountId, exits, now) => {
      for (const exit of exits) put.run({ accountId, now, ...exit, isMismatch: Number(exit.isMismatch) });
    },
    queries: {
      exits: async (account) =>
        db
          .read(() => exitsOf.all(db.knownAccountId(account)))
          .map((row) => ({ ...row, isMismatch: row.isMismatch === 1 })),
      forgetExit: async (account, proxy) => {
        const accountId = db.accountId(account);
        db.write(() => forget.run(accountId, proxy));
      },
    },
  };
};
