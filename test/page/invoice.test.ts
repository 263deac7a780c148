// Tests what the page shows of a month: one verdict, sums with their total, all users, corrections, and what is unknown.

import { expect, it } from 'vitest';
import type { Invoice } from '../../src/page/answers.ts';
import { invoiceView } from '../../src/page/views/invoice.ts';
import { iso, NOW, textOf } from './overview-support.ts';

const sums = { added_bytes: 225_000_000_000, used_bytes: 271_136_000_000, requests: 6_778_412 };
const PAIR = { pair: 'users_ledger', ok_days: 28, differing_days: 0, unknown_days: 0 } as const;
const users = Array.from({ length: 25 }, (_, index) => ({
  ...{ account: 'main', proxy_user_id: `user-${index}`, is_removed: false, share: 0.04 },
  bytes: { residential: 4_000_000, mobile: null },
}));
const use = {
  ...{
    account: 'main',
    from: '2026-02-01',
    to: '2026-02-28',
    counted_days: 28,
    deleted_users: 0,
    users: 1_234,
  },
  ...{ counted_since: iso(-700), counted_until: iso(-12), bytes: { residential: 1_000_000, mobile: null } },
};
const INVOICE: Invoice = {
  ...{ account: 'main', month: '2026-02', time_zone: 'Europe/Berlin', currency: 'USD', is_over: true },
  ...{ from: iso(-700), to: iso(-12), ledger_read_at: iso(-1), ledger_read_after_end: true, unread_rows: 0 },
  ledgers_complete: true,
  ...{ added_bytes: sums.added_bytes, used_bytes: sums.used_bytes, reasons: [{ reason: 'usage', ...sums }] },
  ...{ ledger_services: [{ service_id: null, reason: 'usage', ...sums }], ledger_service_count: 1 },
  ...{ mobile_added_bytes: null, mobile_used_bytes: null },
  ...{ late_rows: [], late_row_count: 0, use, users, services: [], pairs: [PAIR], differences: [] },
  unknown: [{ part: 'mobile', message: 'not charged by a known rule', dates: ['2026-02-01', '2026-02-02'] }],
  freshness: [],
};

const shown = (part: Partial<Invoice> = {}): string => textOf(invoiceView({ ...INVOICE, ...part }, NOW));

it('shows the sums to the MB, with a total, and how many users there are', () => {
  const text = shown();
  expect(text).toContain('usage 225.000 271.136 6,778,412 Total 225.000 271.136');
  expect(text).toContain('Whole account usage 225.000');
  expect(text).toMatch(/user-19 0\.004 unknown 4% All 1,234 users 0\.001 unknown – 1,214 more users/);
  expect(text).not.toContain('user-20');
  expect(text).toContain('mobile: not charged by a known rule: 2026-02-01 to 2026-02-02');
});

it.each<[string, Partial<Invoice>]>([
  ['✓ All days add up', {}],
  ['– The month is not over.', { is_over: false }],
  ['– Known in part', { ledgers_complete: false }],
  ['– Known in part', { pairs: [] }],
  ['– Known in part', { pairs: [{ ...PAIR, unknown_days: 1 }] }],
])('has one verdict: %s %o', (verdict, part) => {
  const text = shown(part);
  expect(text).toContain(verdict);
  expect(text.match(/[✓✕] /g) ?? []).toHaveLength(verdict.startsWith('✓') ? 1 : 0);
});

it('shows which days differ, and counts each once', () => {
  const day = { account: 'main', date: '2026-02-20', unexplained_bytes: -1_255_000_000 };
  const differences = ['users_ledger', 'buckets_coarse'].map((pair) => ({
    ...{ ...day, pair, from: iso(0), to: iso(0), difference_bytes: -1_255_000_000 },
  })) as unknown as Invoice['differences'];
  const text = shown({ differences, is_over: false });
  expect(text).toContain('✕ 1 day does not add up');
  expect(text).toContain('2026-02-20 users_ledger -1.255 -1.255');
});

it('does not say that there are no corrections before the ledger was read after the month', () => {
  expect(shown()).toContain('No row of the ledger is known to have come or changed after the month.');
  expect(shown({ ledger_read_after_end: false })).toContain('Unknown until the ledger is read');
  const row = { date: '2026-02-27', reason: 'usage', service_id: 'API-1', ...sums, created_at: null };
  const late_rows = [{ ...row, updated_at: iso(-2) }] as Invoice['late_rows'];
  expect(shown({ late_rows })).toMatch(/2026-02-27 usage API-1 225\.000 271\.136 6,778,412 2026-03-01/);
});

it('says that the use is unknown, and not that nobody used anything', () => {
  const text = shown({ use: { ...use, users: 0, bytes: null }, users: [] });
  expect(text).toContain('The use of this month is unknown.');
  expect(text).not.toMatch(/0 users|with use/);
});
