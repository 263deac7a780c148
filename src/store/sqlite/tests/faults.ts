// Stores the current faults, and the failures whose cause is inconclusive.

import type { Fault, FaultScope, InconclusiveFailures, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';

/** The column has the scope and these details together, because only few faults have any. */
type FaultRow = Omit<Fault, 'scope' | keyof Details> & { readonly scope: string | null };
type Details = Pick<Fault, 'code' | 'inventory'>;

export const createFaults = (
  db: Database,
): Pick<TestStore, 'faults' | 'saveFaults' | 'correctFaults' | 'inconclusiveFailures'> => {
  const faultsOf = db.sql.prepare<[number], FaultRow>(
    'SELECT kind, subject, since, reason, scope FROM fault WHERE account_id = ? ORDER BY kind, subject',
  );
  const put = db.sql.prepare(
    `INSERT INTO fault (account_id, kind, subject, since, reason, scope) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reason = excluded.reason, scope = excluded.scope`,
  );
  const remove = db.sql.prepare('DELETE FROM fault WHERE account_id = ? AND kind = ? AND subject = ?');
  const inconclusiveOf = db.sql.prepare<[number], InconclusiveFailures>(
    'SELECT url, proxies, reason FROM inconclusive_failure WHERE account_id = ? ORDER BY url',
  );
  const clearInconclusive = db.sql.prepare('DELETE FROM inconclusive_failure WHERE account_id = ?');
  const putInconclusive = db.sql.prepare(
    'INSERT INTO inconclusive_failure (account_id, url, proxies, reason) VALUES (?, ?, ?, ?)',
  );
  const keyOf = ({ kind, subject }: Pick<Fault, 'kind' | 'subject'>): string => `${kind} ${subject}`;

  const save = (accountId: number, faults: readonly Omit<Fault, 'since'>[], now: number): void => {
    const current = new Map(faults.map((fault) => [keyOf(fault), rowOf(fault, now)]));
    for (const stored of faultsOf.all(accountId)) {
      const row = current.get(keyOf(stored));
      if (!row) remove.run(accountId, stored.kind, stored.subject);
      // Thousands of faults last for many rounds, so only changes are written.
      else if (row.reason === stored.reason && row.scope === stored.scope) current.delete(keyOf(stored));
    }
    for (const { kind, subject, since, reason, scope } of current.values())
      put.run(accountId, kind, subject, since, reason, scope);
  };

  return {
    faults: async (account) => db.read(() => faultsOf.all(db.knownAccountId(account))).map(fromRow),
    inconclusiveFailures: async (account) => db.read(() => inconclusiveOf.all(db.knownAccountId(account))),
    saveFaults: async (account, faults, now, inconclusive = []) => {
      const accountId = db.accountId(account);
      db.write(() => {
        save(accountId, faults, now);
        clearInconclusive.run(accountId);
        for (const { url, proxies, reason } of inconclusive)
          putInconclusive.run(accountId, url, proxies, reason);
      });
    },
    correctFaults: async (account, correct, now) => {
      const accountId = db.accountId(account);
      db.write(() => {
        const corrected = faultsOf.all(accountId).map((row) => correct(fromRow(row)));
        save(
          accountId,
          corrected.filter((fault) => fault !== null),
          now,
        );
      });
    },
  };
};

const rowOf = (
  { kind, subject, reason, scope, code, inventory }: Omit<Fault, 'since'>,
  since: number,
): FaultRow => ({
  ...{ kind, subject, since, reason },
  scope: scope || code || inventory ? JSON.stringify({ ...scope, code, inventory }) : null,
});

const fromRow = ({ scope, ...fault }: FaultRow): Fault => {
  if (scope === null) return fault;
  const {
    productTypes,
    isNamed = false,
    code,
    inventory,
  } = JSON.parse(scope) as Partial<FaultScope> & Details;
  return {
    ...fault,
    ...(productTypes && { scope: { productTypes, isNamed } }),
    ...(code && { code }),
    ...(inventory && { inventory }),
  };
};
