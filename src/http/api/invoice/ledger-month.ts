// Adds up the rows of a ledger of a month, and finds those that came late.

import { setImmediate } from 'node:timers/promises';
import { endOfDate, type Period } from '../../../lib/calendar.ts';
import {
  LATE_ROWS_MS,
  type LedgerPosition,
  type LedgerStore,
  type StoredLedgerRow,
} from '../../../store/ledger-store.ts';
import { MOST_LISTED } from './invoice-json.ts';

export interface LedgerSums {
  readonly added_bytes: number;
  readonly used_bytes: number;
  readonly requests: number | null;
}

export type LedgerMonth = Awaited<ReturnType<typeof readLedgerMonth>>;

const PAGE_ROWS = 1_000;

/** Returns the sums by reason, those of the first `most` services and reasons, in order, and the first late rows. */
export const readLedgerMonth = async (
  ledger: LedgerStore,
  account: string,
  zone: string,
  month: Period,
  most = MOST_LISTED,
) => {
  const reasons = new Map<string, LedgerSums & { reason: string }>();
  const services = new Map<string, LedgerSums & { service_id: string | null; reason: string }>();
  const lateRows: StoredLedgerRow[] = [];
  // Rows that do not say when they were added or changed are untimed.
  let [lateRowCount, untimedRows] = [0, 0];
  for await (const row of rowsOf(ledger, account, month)) {
    const { reason, serviceId: service_id } = row;
    addTo(reasons, reason, { reason }, row);
    addTo(services, `${service_id ?? ''}\n${reason}`, { service_id, reason }, row);
    const changedAt = row.updatedAt ?? row.createdAt;
    if (changedAt === null) untimedRows += 1;
    else if (changedAt >= Math.max(month.to, endOfDate(zone, row.periodDate) + LATE_ROWS_MS)) {
      lateRowCount += 1;
      if (lateRowCount <= MOST_LISTED) lateRows.push(row);
    }
  }
  return {
    ...{ reasons: inOrder(reasons), services: inOrder(services).slice(0, most) },
    ...{ serviceCount: services.size, lateRows, lateRowCount, untimedRows },
  };
};

async function* rowsOf(
  ledger: LedgerStore,
  account: string,
  { name, dates }: Period,
): AsyncGenerator<StoredLedgerRow> {
  // The first date is before all dates of the month, and the second one after them.
  const [from, to] = [dates[0] ?? name, `${dates.at(-1)}~`];
  for (let after: LedgerPosition | null = null; ; ) {
    const page: StoredLedgerRow[] = await ledger.rows(account, from, to, after, PAGE_ROWS);
    yield* page;
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1) ?? null;
    await setImmediate();
  }
}

const addTo = <K extends object>(
  sums: Map<string, LedgerSums & K>,
  key: string,
  names: K,
  { addedBytes, usedBytes, requests }: StoredLedgerRow,
): void => {
  const known = sums.get(key);
  sums.set(key, {
    ...names,
    added_bytes: (known?.added_bytes ?? 0) + addedBytes,
    used_bytes: (known?.used_bytes ?? 0) + usedBytes,
    requests: requests === null ? (known?.requests ?? null) : (known?.requests ?? 0) + requests,
  });
};

const inOrder = <T>(sums: ReadonlyMap<string, T>): T[] =>
  [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
