// Tests the exit code of the invoice command, and what it prints of an account with many users, services and late rows.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type InvoiceOptions, invoice } from '../../src/cli/invoice.ts';
import type { MeteredType } from '../../src/lib/product-types.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { LedgerRow } from '../../src/store/ledger-store.ts';
import { createFolder } from '../config/support.ts';
import { TestStore } from '../store/support.ts';
import { list, user } from '../store/user-use-support.ts';
import { configText, runCommand } from './run-command.ts';

const MONTH = '2026-03';
const [FROM, TO] = [Date.parse('2026-03-01T00:00:00Z'), Date.parse('2026-04-01T00:00:00Z')];
const PROVIDER = { baseUrl: 'http://192.0.2.1/1.0', publicKey: 'public', privateKey: 'private' };

const row = (id: string, values: Partial<LedgerRow> = {}): LedgerRow => ({
  ...{ id, reason: 'usage', serviceId: null, periodDate: '2026-03-31', periodEnd: TO },
  ...{ bytes: -10, addedBytes: 0, usedBytes: 10, requests: 1, adjustmentId: null },
  ...{ createdAt: FROM, updatedAt: null, ...values },
});

/** Stores a whole listing of the ledger that began at this time. */
const readLedger = async (
  { store }: TestStore,
  startedAt: number,
  rows: readonly LedgerRow[],
  undecodedIds: readonly string[] = [],
  account = 'main',
  type: MeteredType = 'residential',
) => {
  await store.ledgers[type].savePage(account, rows, startedAt);
  await store.ledgers[type].completeListing(account, ['usage'], startedAt, startedAt, undecodedIds);
};

const run = (
  store: TestStore,
  format: InvoiceOptions['format'] = 'text',
  account: Record<string, unknown> = {},
) => {
  const text = configText(PROVIDER, account, { store: { path: store.path } });
  const config = join(createFolder({ 'config.yaml': text }), 'config.yaml');
  return runCommand(invoice, { config, month: MONTH, format });
};

test('the result is unknown until the ledger was read some hours after the month', async () => {
  using store = new TestStore();
  await readLedger(store, TO + 15 * MINUTE, [row('1')]);
  const early = await run(store);
  expect([early.code, early.stderr]).toEqual([2, '']);
  expect(early.stdout).toContain('the end of these days, or before it: 2026-03-31\n');
  await readLedger(store, TO + 3 * HOUR, [row('1')]);
  expect((await run(store)).code).toBe(0);
});

test('the result is unknown if a row of the ledger could not be read', async () => {
  using store = new TestStore();
  await readLedger(store, TO + 4 * HOUR, [row('1')], ['2']);
  const { code, stdout } = await run(store, 'json');
  expect([code, JSON.parse(stdout)[0].unread_rows]).toEqual([2, 1]);
});

test('the mobile ledger has sums of its own, and leaves the result unknown until it was read too', async () => {
  using store = new TestStore();
  await readLedger(store, TO + 4 * HOUR, [row('1')]);
  const mobile = { mobile_ledger: {} };
  expect((await run(store, 'text', mobile)).code).toBe(2);
  const rows = [row('1', { usedBytes: 3e9 }), row('2', { addedBytes: 5e9, usedBytes: 0, reason: 'top_up' })];
  await readLedger(store, TO + 4 * HOUR, rows, ['3'], 'main', 'mobile');
  expect((await run(store, 'text', mobile)).code).toBe(2);
  await readLedger(store, TO + 4 * HOUR, rows, [], 'main', 'mobile');
  const { code, stdout } = await run(store, 'text', mobile);
  expect(code).toBe(0);
  expect(stdout).toContain('mobile ledger\n  added GB  used GB\n     5.000    3.000\n');
  expect((await run(store, 'csv', mobile)).stdout).toMatch(
    /^main,2026-03,mobile_total,,,,,,,5000000000,3000000000,/m,
  );
  expect((await run(store, 'text', { ...mobile, residential_ledger: false })).code).toBe(0);
});

test('an account without the ledger has no result that could be unknown', async () => {
  using store = new TestStore();
  const { code, stdout } = await run(store, 'text', { residential_ledger: false });
  expect(code).toBe(0);
  expect(stdout).toContain('ledger: residential_ledger is off\n');
});

test('use and services that are not those of the month are named', async () => {
  using store = new TestStore();
  await list(store, [user('a', 0)], FROM);
  await list(store, [user('a', 5)], TO - 12 * HOUR);
  await list(store, [user('a', 9)], TO + 9 * HOUR);
  await store.store.services.saveNotFound('main', 'API-1', FROM);
  const { stdout } = await run(store, 'text', { services: {} });
  expect(stdout).toContain(
    '\n  users: the use after 2026-03-31T12:00:00.000Z was counted together with 2026-04-01, after the month: 2026-03-31\n',
  );
  expect(stdout).toContain('\n  services: proxywatch has not read the services yet\n');
});

test('long lists are cut, and say so', { timeout: 30_000 }, async () => {
  using store = new TestStore();
  const rows = Array.from({ length: 1_200 }, (_, index) =>
    row(`${index}`, { serviceId: `API-${index}`, updatedAt: TO + 4 * HOUR }),
  );
  await readLedger(store, TO + 5 * HOUR, rows);
  const users = (bytes: number) => Array.from({ length: 1_100 }, (_, index) => user(`u${index}`, bytes));
  await list(store, users(0), FROM);
  await list(store, users(1_000), FROM + HOUR);

  const { stdout } = await run(store);
  expect(stdout).toContain('\n  more users: --format csv has the first 1,000 of them\n');
  for (const unknown of [
    'ledger: only the first 1000 of 1200 late rows are listed',
    'ledger: only the first 1000 of 1200 sums by service are listed',
    'users: only the 1000 users with the most bytes are listed',
  ])
    expect(stdout).toContain(`\n  ${unknown}\n`);

  const lines = (await run(store, 'csv')).stdout.split('\r\n');
  const linesOf = (name: string) => lines.filter((line) => line.startsWith(`main,${MONTH},${name},`));
  expect(['late_row', 'ledger_service'].map((name) => linesOf(name).length)).toEqual([1_000, 1_000]);
  expect(linesOf('all_users').map((line) => line.replace(/,+/g, ','))).toEqual([
    `main,${MONTH},all_users,residential,1100000,`,
    `main,${MONTH},all_users,mobile,0,`,
  ]);
  const [{ late_row_count, ledger_service_count }] = JSON.parse((await run(store, 'json')).stdout);
  expect([late_row_count, ledger_service_count]).toEqual([1_200, 1_200]);
});
