// Tests that the invoice of a month equals the simulated provider's own numbers to the byte, also after late corrections, and in
// a month with a change of the clocks, and that unknown parts are said.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { invoice as invoiceCommand } from '../../../src/cli/invoice.ts';
import type { Invoice } from '../../../src/http/api/invoice/invoice-json.ts';
import { endOfLocalDay, localDayOf } from '../../../src/lib/local-days.ts';
import { DAY } from '../../../src/lib/time.ts';
import { configText, runCommand } from '../../cli/run-command.ts';
import { createFolder } from '../../config/support.ts';
import { parseCsv } from '../lists/parse-csv.ts';
import { ApiHarness } from './api-harness.ts';

const ZONE = 'Europe/Berlin';
const MONTH = '2026-03';
const [FROM, TO] = [Date.parse('2026-03-01T00:00:00+01:00'), Date.parse('2026-04-01T00:00:00+02:00')];
/** On a day, the provider charges for more than the traffic. */
const CORRECTED = '2026-03-15';

const OFF = Object.fromEntries(
  ['proxy_tests', 'probes', 'catalog', 'quotes', 'geography', 'inventory', 'usage'].map((name) => [
    name,
    false,
  ]),
);
const ACCOUNT = {
  ...OFF,
  time_zone: ZONE,
  traffic: {
    ...{ schedule: '0 * * * *', interval: 'hour', reread: '12h', catch_up: '3d', concurrency: false },
    graphs: [{ name: 'residential', product_type: 'residential' }],
  },
  reconciliation: { schedule: '30 * * * *' },
  ...{ services: {}, mobile_ledger: {} },
};

const build = () =>
  ApiHarness.build(
    {
      ...{ start: '2026-02-24T00:00:00Z', time_zone: ZONE, users: 4, monthly_reset_ratio: 0, services: 3 },
      traffic: { revised: { ratio: 0.02 } },
      discrepancies: [
        {
          ...{ kind: 'ledger_correction', bytes: 2_000_000_000 },
          ...{ from: `${CORRECTED}T00:00:00+01:00`, until: `${CORRECTED}T12:00:00+01:00` },
        },
      ],
    },
    ACCOUNT,
    { now: '2026-02-27T12:00:00Z' },
  );

const advanceTo = async ({ harness }: ApiHarness, time: number): Promise<void> => {
  const { clock } = harness;
  while (clock.now() < time)
    await harness.advance(endOfLocalDay(ZONE, localDayOf(ZONE, clock.now())) - clock.now());
};

const read = async (api: ApiHarness): Promise<Invoice> =>
  (await api.answer(`accounts/main/invoice?month=${MONTH}`)) as unknown as Invoice;

/** The provider's rows of the month, as it has them at the present time. */
const truthOf = ({ harness: { simulator } }: ApiHarness) =>
  simulator.truth.ledger().filter((row) => row.residential_ledger_period_date.startsWith(MONTH));

/** Sums bytes by the sign that they have in the simulated ledger, whose use is below 0. */
const sumsOf = (rows: ReturnType<typeof truthOf>) => {
  const sum = (sign: 1 | -1) =>
    rows.reduce((all, row) => all + Math.max(0, sign * row.residential_ledger_bytes), 0);
  return { added_bytes: sum(1), used_bytes: sum(-1) };
};

const expectTruth = (invoice: Invoice, truth: ReturnType<typeof truthOf>): void => {
  expect(invoice).toMatchObject({ ...sumsOf(truth), is_over: true });
  const reasons = Map.groupBy(truth, (row) => row.residential_ledger_reason);
  expect(invoice.reasons.map(({ reason }) => reason)).toEqual([...reasons.keys()].toSorted());
  for (const { reason, ...sums } of invoice.reasons)
    expect(sums).toMatchObject(sumsOf(reasons.get(reason) ?? []));
  for (const { service_id, reason, ...sums } of invoice.ledger_services)
    expect(sums).toMatchObject(
      sumsOf((reasons.get(reason) ?? []).filter((row) => row.service_id === service_id)),
    );
};

test('the invoice of a month equals the ledger to the byte, with late corrections', {
  timeout: 240_000,
}, async () => {
  await using api = await build();
  await advanceTo(api, TO);
  const atEnd = await read(api);
  expectTruth(atEnd, truthOf(api));
  // The rows of the last day still grow.
  expect(atEnd).toMatchObject({ late_rows: [], ledger_read_after_end: false });

  await advanceTo(api, TO + 4 * DAY);
  const truth = truthOf(api);
  const later = await read(api);
  expectTruth(later, truth);
  expect(later.ledger_read_after_end).toBe(true);
  expect(later.used_bytes).not.toBe(atEnd.used_bytes);
  const lateRows = truth.filter((row) => row.residential_ledger_last_update_datetime >= '2026-04-01 03:00');
  expect(lateRows.length).toBeGreaterThan(1);
  const ids = (rows: Invoice['late_rows']) => rows.map((row) => row.residential_ledger_id).toSorted();
  expect(ids(later.late_rows)).toEqual(lateRows.map((row) => row.residential_ledger_id).toSorted());

  // The listings are at the midnights, so the use of the month is the growth between two of them.
  const { truth: provider } = api.harness.simulator;
  const [before, after] = [provider.users(FROM), provider.users(TO)];
  expect(later.users.length).toBe(after.size);
  for (const { proxy_user_id, bytes } of later.users)
    for (const type of ['residential', 'mobile'] as const)
      expect(bytes[type]).toBe(
        (after.get(proxy_user_id)?.[type] ?? 0) - (before.get(proxy_user_id)?.[type] ?? 0),
      );
  expect(later.use).toMatchObject({ counted_days: 31, counted_since: new Date(FROM).toISOString() });

  expect(later.differences.map(({ date, pair }) => [date, pair])).toEqual([
    [CORRECTED, 'residential_buckets_ledger'],
    [CORRECTED, 'users_ledger'],
  ]);
  expect(later.pairs).toContainEqual({
    ...{ pair: 'buckets_coarse', ok_days: 31, differing_days: 0, unknown_days: 0 },
  });
  const mobile = provider
    .mobileLedger()
    .filter((row) => row.mobile_ledger_period_date.startsWith(MONTH))
    .map(({ mobile_ledger_bytes: bytes }) => bytes);
  expect(mobile.length).toBeGreaterThan(31);
  const mobileSum = (sign: 1 | -1) => mobile.reduce((sum, bytes) => sum + Math.max(0, sign * bytes), 0);
  expect(later).toMatchObject({ mobile_added_bytes: mobileSum(1), mobile_used_bytes: mobileSum(-1) });
  expect(later.unknown.map(({ part }) => part)).toEqual(['services']);
  await expectCommand(api, later);
});

/** The command prints the same from the store alone. */
const expectCommand = async (api: ApiHarness, expected: Invoice): Promise<void> => {
  const { simulator, storePath } = api.harness;
  const text = configText(simulator, ACCOUNT, { store: { path: storePath } });
  const config = join(createFolder({ 'config.yaml': text }), 'config.yaml');
  const requests = simulator.requests.count();
  const run = (format: 'text' | 'csv' | 'json', account?: string) =>
    runCommand(invoiceCommand, { config, month: MONTH, format, ...(account && { account }) });

  const json = await run('json');
  const { freshness: _, ...invoice } = expected as Invoice & { freshness: unknown };
  expect([json.code, json.stderr, JSON.parse(json.stdout)]).toEqual([1, '', [invoice]]);

  const csv = await run('csv', 'main');
  const answer = await fetch(`${api.url}/api/v1/accounts/main/invoice?month=${MONTH}&format=csv`);
  expect(csv.stdout).toBe(await answer.text());
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="invoice.csv"');
  const [header = [], ...lines] = parseCsv(csv.stdout);
  const used = (name: string) =>
    lines
      .filter((cells) => cells[header.indexOf('line')] === name)
      .reduce((sum, cells) => sum + Number(cells[header.indexOf('used_bytes')]), 0);
  for (const name of ['total', 'reason', 'ledger_service']) expect(used(name)).toBe(expected.used_bytes);

  const { stdout } = await run('text');
  expect(stdout).toMatch(/^account main: 2026-03, days of Europe\/Berlin, 1 GB is 1,000,000,000 bytes\n/);
  expect(stdout).toMatch(/\n {2}total +1,601\.855 +399\.886\n/);
  expect(stdout).toMatch(/\n {2}2026-03-15 +residential_buckets_ledger +-1\.540 +-1\.540\n/);
  expect(simulator.requests.count()).toBe(requests);
  expect(await run('text', 'shop')).toEqual({
    ...{ code: 1, stdout: '', stderr: 'error: --account: there is no account shop; expected one of main\n' },
  });
};

const UNREAD = { ...OFF, services: false, reconciliation: false };

test('what is not known of a month is said, and not 0', { timeout: 60_000 }, async () => {
  await using api = await ApiHarness.build({ start: '2026-06-20T00:00:00Z', users: 3 }, UNREAD);
  await api.run(13);
  const readMonth = async (query = '') =>
    (await api.answer(`accounts/main/invoice${query}`)) as unknown as Invoice;
  const partsOf = ({ unknown }: Invoice) => unknown.map(({ part, dates }) => [part, dates.length]);

  const june = await readMonth();
  expect(june).toMatchObject({ month: '2026-06', is_over: true, ledger_read_after_end: true });
  expect(june).toMatchObject({ use: { bytes: null, counted_days: 0 }, users: [], services: [], pairs: [] });
  expect(june.used_bytes).toBeGreaterThan(0);
  expect(partsOf(june)).toEqual([
    ['users', 30],
    ['services', 0],
    ['reconciliation', 0],
  ]);

  const july = await readMonth('?month=2026-07');
  expect(july).toMatchObject({ is_over: false, ledger_read_after_end: false, use: { counted_days: 2 } });
  expect(july.unknown.slice(0, 3)).toEqual([
    {
      part: 'ledger',
      message:
        'proxywatch last read the ledger less than three hours after the end of these days, or before it',
      dates: july.unknown[0]?.dates,
    },
    {
      part: 'users',
      message: 'the use of these days was not counted',
      dates: ['2026-07-01', '2026-07-02', '2026-07-03', '2026-07-04'],
    },
    {
      part: 'users',
      message: 'the use before 2026-07-05T12:01:30.000Z was not counted',
      dates: ['2026-07-05'],
    },
  ]);
  // The rows of 5 July still grow at 01:00.
  expect(july.unknown[0]?.dates[0]).toBe('2026-07-05');

  for (const month of ['2026-13', '1999-12', '2026', '2026-07-01'])
    expect(await api.request(`accounts/main/invoice?month=${month}`)).toMatchObject({
      ...{ status: 400, body: { error: 'month: expected one month such as 2026-03' } },
    });
});
