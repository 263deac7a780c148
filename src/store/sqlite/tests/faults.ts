// Stores the current faults, the failures whose cause is inconclusive, and causes that a later round shows.

import { DAY, HOUR } from '../../../lib/time.ts';
import type { ChangedCause, Fault, FaultKind, FaultScope, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { writeInSlices } from '../slices.ts';
import { ALL_SUBJECTS as ALL, type Subjects } from './subjects.ts';
import { hourOf } from './sums.ts';

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
  const clearInconclusive = db.sql.prepare('DELETE FROM inconclusive_failure WHERE account_id = ?');
  const putInconclusive = db.sql.prepare(
    'INSERT INTO inconclusive_failure (account_id, url, proxies, reason) VALUES (?, ?, ?, ?)',
  );
  const keyOf = ({ kind, subject }: Pick<Fault, 'kind' | 'subject'>): string => `${kind} ${subject}`;

  const save = (accountId: number, faults: readonly Omit<Fault, 'since'>[], now: number): void => {
    const current = new Map(faults.map((fault) => [keyOf(fault), faultRow(fault, now)]));
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
    faults: db.readOf((accountId) => faultsOf.all(accountId).map(faultOf)),
    inconclusiveFailures: db.rowsOf(
      'SELECT url, proxies, reason FROM inconclusive_failure WHERE account_id = ? ORDER BY url',
    ),
    saveFaults: db.writeOf((accountId, faults, now, inconclusive = []) => {
      save(accountId, faults, now);
      clearInconclusive.run(accountId);
      for (const { url, proxies, reason } of inconclusive)
        putInconclusive.run(accountId, url, proxies, reason);
    }),
    correctFaults: db.writeOf((accountId, correct, now) => {
      const corrected = faultsOf.all(accountId).flatMap((row) => correct(faultOf(row)) ?? []);
      save(accountId, corrected, now);
    }),
  };
};

const faultRow = (
  { kind, subject, reason, scope, code, inventory }: Omit<Fault, 'since'>,
  since: number,
): FaultRow => ({
  ...{ kind, subject, since, reason },
  scope: scope || code || inventory ? JSON.stringify({ ...scope, code, inventory }) : null,
});

const faultOf = ({ scope, ...fault }: FaultRow): Fault => {
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

/** By how much the failures of a proxy and URL, a URL, or a tester change. Other columns have the id of all subjects. */
interface Growth {
  readonly proxy: number;
  readonly url: number;
  readonly tester: number;
  readonly hour: number;
  own: number;
  other: number;
}

export const createChangedCauses = (db: Database, subjects: Subjects): Pick<TestStore, 'changeCauses'> => {
  // A null stays null. A result whose tester is stored under another name may have had another cause, so that a sum
  // could become negative.
  const add = (column: string, growth: string): string => `${column} = max(0, ${column} + ${growth})`;
  const growCells = db.sql.prepare(
    `UPDATE test_cells SET ${add('hour_own_failures', '@own')}, ${add('hour_other_failures', '@other')}
     WHERE account_id = @accountId AND proxy = @proxy AND url = @url AND hour = @hour`,
  );
  const growSum = db.sql.prepare(
    `UPDATE test_sum SET ${add('own_failures', '@own')}, ${add('other_failures', '@other')}
     WHERE account_id = @accountId AND hours = @hours AND first_hour = @firstHour AND proxy = @proxy AND url = @url
       AND tester = @tester`,
  );

  return {
    changeCauses: async (account, changes) => {
      const accountId = db.accountId(account);
      await writeInSlices(db, changes, (slice) => {
        for (const growth of growthsOf(slice, subjects)) {
          const { hour, ...row } = growth;
          if (row.proxy !== ALL) growCells.run({ accountId, ...growth });
          else
            for (const hours of [1, DAY / HOUR])
              growSum.run({ accountId, ...row, hours, firstHour: hour - (hour % hours) });
        }
      });
    },
  };
};

const growthsOf = (changes: readonly ChangedCause[], subjects: Subjects): Growth[] => {
  const growths = new Map<string, Growth>();
  const grow = (
    kind: FaultKind,
    ids: Pick<Growth, 'proxy' | 'url' | 'tester'>,
    { at, before, after }: ChangedCause,
  ): void => {
    const hour = hourOf(at);
    const key = [ids.proxy, ids.url, ids.tester, hour].join(' ');
    const growth = growths.get(key) ?? { ...ids, hour, own: 0, other: 0 };
    growths.set(key, growth);
    growth.own += Number(after === kind) - Number(before === kind);
    growth.other += Number(isOther(after, kind)) - Number(isOther(before, kind));
  };
  for (const change of changes) {
    const [proxy, url, tester] = [change.proxy, change.url, change.tester].map(subjects.idOf) as [
      number,
      number,
      number,
    ];
    grow('proxy', { proxy, url, tester: ALL }, change);
    grow('target', { proxy: ALL, url, tester: ALL }, change);
    grow('tester', { proxy: ALL, url: ALL, tester }, change);
  }
  return [...growths.values()].filter(({ own, other }) => own !== 0 || other !== 0);
};

const isOther = (cause: FaultKind | null, kind: FaultKind): boolean => cause !== null && cause !== kind;
