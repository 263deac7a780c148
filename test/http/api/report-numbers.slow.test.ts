// Tests the report of a week or month: its bounds, that its numbers are those of other answers, alerts and uptime of a period.

import { expect, test } from 'vitest';
import { createView } from '../../../src/daemon/http-view.ts';
import type { Invoice } from '../../../src/http/api/invoice/invoice-json.ts';
import { readFaults } from '../../../src/http/api/report/changes.ts';
import { daysBefore, periodBefore, periodOf } from '../../../src/http/api/report/period.ts';
import { readReport } from '../../../src/http/api/report/report.ts';
import { report } from '../../../src/http/api/report/report-json.ts';
import { readUptime } from '../../../src/http/api/report/uptime.ts';
import type { AccountView } from '../../../src/http/daemon-view.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { AlertEvent, StoredAlert } from '../../../src/store/alert-store.ts';
import { TestStore } from '../../store/support.ts';
import { failure, result, save } from '../../store/test-results.ts';
import { ApiHarness } from './api-harness.ts';

const ZONE = 'Europe/Berlin';
const at = (time: string): number => Date.parse(time);

test.each([
  ['2026-03-29', '2026-03-23T00:00:00+01:00', '2026-03-30T00:00:00+02:00', 7 * 24 - 1],
  ['2026-10-19', '2026-10-19T00:00:00+02:00', '2026-10-26T00:00:00+01:00', 7 * 24 + 1],
  ['2026-01-01', '2025-12-29T00:00:00+01:00', '2026-01-05T00:00:00+01:00', 7 * 24],
])('the week with %s begins on its Monday in the zone', (date, from, to, hours) => {
  const week = periodOf({ unit: 'week', date }, ZONE, 0);
  expect([week.from, week.to]).toEqual([at(from), at(to)]);
  expect((week.to - week.from) / HOUR).toBe(hours);
  expect([week.dates.length, week.dates[0], week.name]).toEqual([7, from.slice(0, 10), from.slice(0, 10)]);
  expect(periodBefore(week, ZONE).to).toBe(week.from);
});

test('the default is the newest week or month that is over in the zone', () => {
  const lastOf = (unit: 'week' | 'month', now: string, zone = ZONE) =>
    periodOf({ unit }, zone, at(now)).dates[0];
  expect(lastOf('week', '2026-03-29T21:59:59Z')).toBe('2026-03-16');
  expect(lastOf('week', '2026-03-29T22:00:00Z')).toBe('2026-03-23');
  expect(lastOf('week', '2026-03-29T22:00:00Z', 'UTC')).toBe('2026-03-16');
  expect(lastOf('month', '2026-03-31T22:00:00Z')).toBe('2026-03-01');
  expect(lastOf('month', '2026-03-31T22:00:00Z', 'UTC')).toBe('2026-02-01');
  const march = periodOf({ unit: 'month', date: '2026-03-31' }, ZONE, 0);
  expect(periodBefore(march, ZONE).dates.length).toBe(28);
  expect(daysBefore(march, ZONE, at('2026-03-02T23:00:00Z'))).toEqual(['2026-03-01', '2026-03-02']);
});

const [FROM, TO] = [at('2026-03-02T00:00:00Z'), at('2026-03-09T00:00:00Z')];

test('alerts count with their time in the period', async () => {
  using test = new TestStore();
  const alertOf = (id: string, firingSince: number, alert = 'Low'): StoredAlert => ({
    ...{ account: 'main', alert, labels: { id }, severity: 'warning', value: 1, step: 0 },
    ...{ since: firingSince, firingSince, absentSince: null, skippedMs: 0, endedAt: null },
  });
  const episode = (alert: StoredAlert, end?: number): AlertEvent[] => [
    { kind: 'fired', alert, at: alert.firingSince ?? 0 },
    ...(end === undefined ? [] : [{ kind: 'resolved' as const, alert, at: end }]),
  ];
  const events = [
    ...episode(alertOf('before', FROM - DAY), FROM),
    ...episode(alertOf('into', FROM - DAY), FROM + HOUR),
    ...episode(alertOf('within', FROM + HOUR), FROM + 3 * HOUR),
    ...episode(alertOf('within', FROM + DAY), FROM + DAY + HOUR),
    ...episode(alertOf('out', TO - HOUR, 'High')),
    ...episode(alertOf('after', TO)),
    ...episode({ ...alertOf('other', FROM), account: 'shop' }),
  ];
  await test.store.alerts.save({ put: [], removed: [], notifications: [], events });
  const { alertHistory } = test.store;
  const read = (now: number) => readFaults(alertHistory, 'main', { from: FROM, to: TO }, now);
  const { alerts, longest_alerts, unknown } = await read(TO + DAY);
  expect(alerts).toEqual([
    { alert: 'Low', began: 2, firing: 0, subjects: 2, seconds: 4 * 3_600 },
    { alert: 'High', began: 1, firing: 1, subjects: 1, seconds: 3_600 },
  ]);
  expect(longest_alerts.map(({ labels, seconds }) => [labels.id, seconds])).toEqual([
    ['within', 7_200],
    ['out', 3_600],
    ['within', 3_600],
    ['into', 3_600],
  ]);
  expect(unknown).toEqual([]);
  expect((await read(TO - MINUTE)).alerts?.at(-1)?.seconds).toBe(59 * 60);
});

test('uptime is the share of all results, with the proxies by what their failures were', async () => {
  using test = new TestStore();
  const of = (proxy: string, part = {}) => ({ ...result({ proxy }), ...part });
  const failed = (proxy: string, cause: 'proxy' | 'target' | null) => failure({ proxy, cause });
  await save(test, [failed('before', 'proxy')], FROM - MINUTE);
  await save(
    test,
    [of('good'), of('own'), failed('own', 'proxy'), failed('others', 'target'), failed('odd', null)],
    FROM + HOUR,
  );
  await save(test, [failed('good', 'proxy')], TO);
  const urls = [{ name: 'shop', url: { reveal: () => 'https://shop.example/' } }];
  const found = {
    settings: { name: 'main', time_zone: 'UTC', proxy_tests: { urls } },
    ...{ store: test.store, clock: { now: () => TO + HOUR } },
  } as unknown as Parameters<typeof readUptime>[0];
  const week = periodOf({ unit: 'week', date: '2026-03-02' }, 'UTC', 0);
  const { uptime, unknown } = await readUptime(found, 'proxy_tests', week);
  expect(uptime).toMatchObject({ source: 'proxy_tests', results: 5, successes: 2, ratio: 0.4 });
  expect(uptime.proxies).toEqual({
    ...{ without_failures: 1, own_failures: 1, unexplained_failures: 1, other_failures: 1, unknown: 0 },
  });
  expect(uptime.worst).toEqual([{ proxy_id: 'own', results: 2, ratio: 0.5, own_ratio: 0.5 }]);
  expect(unknown).toEqual([
    {
      part: 'proxy_tests',
      message: 'no test of the configured urls had a result on these days',
      dates: week.dates.slice(1),
    },
  ]);
});

test('its numbers are those of other answers, and what they lack is unknown', {
  timeout: 90_000,
}, async () => {
  await using api = await ApiHarness.build();
  await api.run(26);
  const read = async (query: string) => report.parse(await api.answer(`accounts/main/report${query}`));
  const july = await read('?period=month&from=2026-07-20');
  expect([july.first_day, july.last_day, july.is_over]).toEqual(['2026-07-01', '2026-07-31', false]);

  const invoice = (await api.answer('accounts/main/invoice?month=2026-07')) as unknown as Invoice;
  const [span] = [`from=${july.from}&to=${july.to}&step=day`];
  const { totals } = (await api.answer(`accounts/main/traffic?${span}`)) as { totals?: object };
  expect(july.amounts).toMatchObject({
    ...{ ledger_added_bytes: invoice.added_bytes, ledger_used_bytes: invoice.used_bytes },
    residential_users_bytes: invoice.use?.bytes?.residential,
    mobile_users_bytes: invoice.use?.bytes?.mobile,
  });
  expect(totals).toMatchObject({
    bytes: july.amounts.traffic_bytes,
    requests: july.amounts.traffic_requests,
  });
  expect(july.users).toEqual(invoice.users.slice(0, 5));
  const [ledger] = await api.items('ledger');
  expect(july.balance).toEqual(ledger?.balance);
  const [mobile] = await api.items('mobile-ledger');
  expect(july.mobile_balance).toEqual(mobile?.balance);
  const proxies = await api.items('proxies');
  const results = proxies.map(({ uptime }) => (uptime as { '7d': { results: number } })['7d'].results);
  expect(july.uptime[0]?.results).toBe(results.reduce((sum, count) => sum + count, 0));
  expect(july.uptime[0]?.worst[0]?.proxy_id).toBe('fr-3');
  expect(july.inventory_changes).toMatchObject({ address: 1, asn: 1, gone: 0 });
  expect(july.services?.next.count).toBe(3);

  expect(july.amounts_before).toMatchObject({ residential_users_bytes: null, traffic_bytes: null });
  expect(july.unknown.map(({ part, dates }) => [part, dates.length])).toEqual([
    ['ledger', 26],
    ['users', 4],
    ['users', 1],
    ['traffic', 3],
    ...['users', 'traffic'].map(() => ['comparison', 0]),
    ['alerts', 5],
    ['proxy_tests', 4],
    ['inventory', 5],
  ]);
  expect(july.comparable).toEqual([]);
  // The daemon is down for so long that its collectors count as watched from the next start on.
  await api.harness.stop();
  api.harness.clock.advance(20 * DAY);
  await api.harness.start();
  const view = { revision: () => '' };
  const found = createView({ app: api.harness.app, clock: api.harness.clock, version: '1.2.3' }).account(
    'main',
  );
  const later = await readReport(
    view,
    { ...(found as AccountView), isEvaluated: true },
    { unit: 'month', date: '2026-07-01' },
  );
  expect(later.inventory_changes).toMatchObject({ address: july.inventory_changes?.address });
  expect(later.uptime[0]?.results).toBeGreaterThanOrEqual(july.uptime[0]?.results ?? 0);
  expect(later.alerts?.map(({ alert }) => alert)).toContain('ProxyFailing');
  expect(later.unknown.filter(({ part }) => part === 'inventory')[0]?.dates.length).toBe(5);
});

test('a report is answered, revalidated and refused', { timeout: 60_000 }, async () => {
  await using api = await ApiHarness.build();
  const read = async (query: string) => report.parse(await api.answer(`accounts/main/report${query}`));
  expect(await read('')).toMatchObject({ period: 'week', first_day: '2026-06-22', is_over: true });
  const { etag } = await api.request('accounts/main/report');
  expect(await api.request('accounts/main/report', etag ?? '')).toMatchObject({ status: 304 });
  expect(await api.request('accounts/main/report?period=year')).toMatchObject({
    ...{ status: 400, body: { error: 'period: expected one of week, month' } },
  });
});
