// Stores the last failure of each proxy and url, with what its proxy answered.

import type { ProbeFailureDetails, ProbeStore } from '../../probe-store.ts';
import type { Database } from '../file/database.ts';

export interface ProbeFailures {
  /** Must run inside a transaction. */
  add(accountId: number, failures: readonly Omit<ProbeFailureDetails, 'at'>[], now: number): void;
  readonly queries: Pick<ProbeStore, 'failures'>;
}

const COLUMNS = 'proxy, url, at, phase, cause, message, status, code, request_id AS requestId';

export const createProbeFailures = (db: Database): ProbeFailures => {
  const put = db.sql.prepare(
    `INSERT OR REPLACE INTO probe_failure VALUES
       (@accountId, @proxy, @url, @now, @phase, @cause, @message, @status, @code, @requestId)`,
  );
  const failuresOf = db.sql.prepare<[number], ProbeFailureDetails>(
    `SELECT ${COLUMNS} FROM probe_failure WHERE account_id = ?`,
  );
  const failuresOfProxy = db.sql.prepare<[number, string], ProbeFailureDetails>(
    `SELECT ${COLUMNS} FROM probe_failure WHERE account_id = ? AND proxy = ?`,
  );
  return {
    add: (accountId, failures, now) => {
      for (const failure of failures) put.run({ accountId, now, ...failure });
    },
    queries: {
      failures: async (account, proxy) =>
        db
          .read(() => {
            const accountId = db.knownAccountId(account);
            return proxy === undefined ? failuresOf.all(accountId) : failuresOfProxy.all(accountId, proxy);
          })
          .sort((a, b) => b.at - a.at),
    },
  };
};
