// Reads the uptime of several proxies by hour in one transaction, for the rows of a list.

import type { TestHistoryStore, Uptime } from '../../test-history-store.ts';
import type { Database } from '../file/database.ts';
import type { Subjects } from './subjects.ts';
import { addUptime, HOUR_SUM, hourOf, NO_RESULTS, SUMS } from './sums.ts';

interface Row extends Uptime {
  readonly proxy: number;
  readonly hour: number;
}

export const createProxyHours = (db: Database, subjects: Subjects): Pick<TestHistoryStore, 'proxyHours'> => {
  // The order of a CROSS JOIN is kept: it searches each proxy in each hour, and does not read all proxies of the hours.
  const stored = db.sql.prepare<[hours: string, proxies: string, accountId: number], Row>(
    `SELECT test_sum.proxy, first_hour AS hour, ${SUMS} FROM json_each(?) AS wanted CROSS JOIN json_each(?) AS listed
     CROSS JOIN test_sum ON account_id = ? AND hours = 1 AND first_hour = wanted.value AND proxy = listed.value
     GROUP BY test_sum.proxy, first_hour`,
  );
  /** The newest hour of a proxy and URL is in its row of cells. */
  const newest = db.sql.prepare<[proxies: string, accountId: number], Row>(
    `SELECT test_cells.proxy, ${HOUR_SUM} FROM json_each(?) AS listed
     CROSS JOIN test_cells ON account_id = ? AND proxy = listed.value`,
  );
  const read = db.readOf((accountId, proxies: readonly string[], from: number, to: number) => {
    const hours = Array.from({ length: hourOf(to) - hourOf(from) }, (_, index) => hourOf(from) + index);
    const ids = JSON.stringify(proxies.map(subjects.idOf));
    const rows = [...stored.all(JSON.stringify(hours), ids, accountId), ...newest.all(ids, accountId)];
    const found = new Map<number, Uptime[]>();
    for (const { proxy, hour, ...sum } of rows) {
      const index = hour - hourOf(from);
      if (sum.results === 0 || index < 0 || index >= hours.length) continue;
      const uptimes = found.get(proxy) ?? hours.map(() => NO_RESULTS);
      uptimes[index] = addUptime(uptimes[index] ?? NO_RESULTS, sum);
      found.set(proxy, uptimes);
    }
    return new Map([...found].map(([id, uptimes]) => [subjects.nameOf(id), uptimes]));
  });
  return { proxyHours: read };
};
