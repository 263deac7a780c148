// Stores the last result of each control, and in how many rounds in a row it failed or got no answer.

import type { ProbeStore, StoredControl } from '../../probe-store.ts';
import type { Database } from '../file/database.ts';

interface ControlRow extends Omit<StoredControl, 'isSuccessful'> {
  readonly isSuccessful: number;
}

export const createControls = (db: Database): Pick<ProbeStore, 'controls' | 'saveControls'> => {
  const controlsOf = db.sql.prepare<[number], ControlRow>(
    `SELECT url, is_successful AS isSuccessful, failing_rounds AS failingRounds,
       unreached_rounds AS unreachedRounds, at, error
     FROM probe_control WHERE account_id = ? ORDER BY url`,
  );
  const put = db.sql.prepare(
    `INSERT INTO probe_control (account_id, url, is_successful, failing_rounds, unreached_rounds, error, at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET is_successful = excluded.is_successful, error = excluded.error, at = excluded.at,
       failing_rounds = iif(excluded.failing_rounds = 0, 0, failing_rounds + 1),
       unreached_rounds = iif(excluded.unreached_rounds = 0, 0, unreached_rounds + 1)`,
  );
  return {
    controls: async (account) =>
      db
        .read(() => controlsOf.all(db.knownAccountId(account)))
        .map((row) => ({ ...row, isSuccessful: row.isSuccessful === 1 })),
    saveControls: async (account, results, now) => {
      const accountId = db.accountId(account);
      db.write(() => {
        for (const { url, isSuccessful, isUnreached, error } of results)
          put.run(
            accountId,
            url,
            Number(isSuccessful),
            Number(!isSuccessful),
            Number(isUnreached),
            error,
            now,
          );
      });
    },
  };
};
