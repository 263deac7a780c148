// Corrects whose fault stored failures are, after a round has shown the faults.

import { DAY, HOUR } from '../../../lib/time.ts';
import type { ChangedCause, FaultKind, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { writeInSlices } from '../slices.ts';
import { ALL_SUBJECTS as ALL, type Subjects } from './subjects.ts';
import { hourOf } from './uptime.ts';

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
