// Tests the invoice of a ledger that was never read, the rows that are late, and the months that can be requested.

import { expect, test } from 'vitest';
import type { Invoice } from '../../../src/http/api/invoice/invoice-json.ts';
import { readLedgerMonth } from '../../../src/http/api/invoice/ledger-month.ts';
import { datesUntil, lastMonth, monthOf } from '../../../src/lib/calendar.ts';
import { HOUR } from '../../../src/lib/time.ts';
import type { LedgerRow } from '../../../src/store/ledger-store.ts';
import { TestStore } from '../../store/support.ts';
import { ALL_COLLECTORS, ApiHarness } from './api-harness.ts';

const OFF = Object.fromEntries(
  Object.keys(ALL_COLLECTORS)
    .filter((name) => !['traffic', 'residential_ledger', 'mobile_ledger', 'proxy_users'].includes(name))
    .map((name) => [name, false]),
);

test('a month with a change of the clocks has its days and bounds in the zone', () => {
  const month = monthOf('2026-10', 'Europe/Berlin');
  expect(month.dates.length).toBe(31);
  expect([month.dates[0], month.dates[30]]).toEqual(['2026-10-01', '2026-10-31']);
  expect(month.from).toBe(Date.parse('2026-10-01T00:00:00+02:00'));
  expect(month.to).toBe(Date.parse('2026-11-01T00:00:00+01:00'));
  expect(datesUntil(month, 'Europe/Berlin', month.from + 26 * HOUR)).toEqual(['2026-10-01']);
  expect(datesUntil(month, 'Europe/Berlin', month.to)).toEqual(month.dates);
  expect(monthOf('2028-02', 'UTC').dates.at(-1)).toBe('2028-02-29');
});

test('the default is the newest month that is over in the zone', () => {
  const now = Date.parse('2026-01-31T23:30:00Z');
  expect(lastMonth('UTC', now)).toBe('2025-12');
  expect(lastMonth('Europe/Berlin', now)).toBe('2026-01');
});

test('rows are late if they come or change after the month, and some hours after their day', async () => {
  using store = new TestStore();
  const at = (time: string): number => Date.parse(`${time}Z`);
  const row = (id: string, values: Partial<LedgerRow>): LedgerRow => ({
    ...{
      id,
      reason: 'usage',
      serviceId: null,
      periodDate: '2026-03-31',
      periodEnd: at('2026-04-01T00:00:00'),
    },
    ...{ bytes: -10, addedBytes: 0, usedBytes: 10, requests: 1, adjustmentId: null },
    ...{ createdAt: at('2026-03-31T00:00:00'), updatedAt: null, ...values },
  });
  const rows = [
    row('before', { periodDate: '2026-02-28', updatedAt: at('2026-04-09T00:00:00') }),
    row('after', { periodDate: '2026-04-01', createdAt: at('2026-04-02T00:00:00') }),
    row('grown', { updatedAt: at('2026-04-01T02:59:59') }),
    row('corrected', { updatedAt: at('2026-04-01T03:00:00') }),
    row('old', { periodDate: '2026-03-02', updatedAt: at('2026-04-01T00:00:00') }),
    row('adjusted', {
      ...{ reason: 'adjustment', serviceId: 'API-1', addedBytes: 5, usedBytes: 0, requests: null },
      ...{ createdAt: at('2026-04-20T10:00:00'), adjustmentId: 7 },
    }),
    row('untimed', { createdAt: null }),
  ];
  await store.store.ledgers.residential.savePage('main', rows, at('2026-04-21T00:00:00'));
  const month = monthOf('2026-03', 'UTC');
  const found = await readLedgerMonth(store.store.ledgers.residential, 'main', 'UTC', month);
  expect(found.lateRows.map(({ id }) => id)).toEqual(['old', 'adjusted', 'corrected']);
  expect(found).toMatchObject({
    untimedRows: 1,
    reasons: [
      { reason: 'adjustment', added_bytes: 5, used_bytes: 0, requests: null },
      { reason: 'usage', added_bytes: 0, used_bytes: 40, requests: 4 },
    ],
    services: [
      { service_id: null, reason: 'usage', used_bytes: 40 },
      { service_id: 'API-1', reason: 'adjustment', added_bytes: 5 },
    ],
  });

  const many = Array.from({ length: 2_500 }, (_, index) => row(`many-${index}`, {}));
  await store.store.ledgers.residential.savePage('main', many, at('2026-04-21T00:00:00'));
  const { reasons } = await readLedgerMonth(store.store.ledgers.residential, 'main', 'UTC', month);
  expect(reasons[1]?.used_bytes).toBe(10 * (4 + 2_500));
});

test('sums of a ledger that was never read are unknown', async () => {
  await using api = await ApiHarness.build(
    {},
    { ...OFF, reconciliation: false, residential_ledger: false, proxy_users: false },
  );
  const invoice = (await api.answer('accounts/main/invoice')) as unknown as Invoice;
  expect(invoice).toMatchObject({ added_bytes: null, used_bytes: null, ledger_read_at: null, use: null });
  expect(invoice.unknown.map(({ message }) => message)).toContain('residential_ledger is off');
});
