// Ledger and proxy users: they agree with the traffic and move as it does.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { type Desk, openDesk, type Row, sumOf } from './ask.ts';

const AT = '2026-07-10T12:34:00Z';
const TODAY = Date.parse('2026-07-10T00:00:00Z');

const usageRows = async (desk: Desk): Promise<Row[]> => {
  const query = { residential_ledger_reason: 'usage', sort_by: 'residential_ledger_period_date_desc' };
  return (await desk.get('residential_ledger/search', query)).body.data;
};

describe('the ledger', () => {
  test('uses what the residential graph shows but for smartpath', async () => {
    await using desk = await openDesk({}, AT);
    const rows = await usageRows(desk);
    expect(rows).toHaveLength(31);
    const [today] = rows;
    const { bytes, smartpathBytes } = desk.simulator.truth.traffic(
      { network: 'residential' },
      TODAY,
      TODAY + DAY,
    );
    expect(smartpathBytes).toBeGreaterThan(0);
    expect(today).toMatchObject({
      residential_ledger_period_date: '2026-07-10',
      residential_ledger_bytes: smartpathBytes - bytes,
      residential_ledger_last_update_datetime: '2026-07-10 12:34:00',
      service_id: null,
    });
  });

  test('edits one row during the day and keeps its id and its creation', async () => {
    await using desk = await openDesk({ traffic: { revised: { ratio: 0 } } }, AT);
    const [before] = await usageRows(desk);
    desk.clock.advance(HOUR);
    const [after, ...others] = await usageRows(desk);
    expect(others).toHaveLength(30);
    expect(after?.residential_ledger_id).toBe(before?.residential_ledger_id);
    expect(after?.residential_ledger_creation_datetime).toBe(before?.residential_ledger_creation_datetime);
    expect(Number(after?.residential_ledger_bytes)).toBeLessThan(Number(before?.residential_ledger_bytes));
    expect(after?.residential_ledger_last_update_datetime).toBe('2026-07-10 13:34:00');
  });

  test('a day that is over is edited only when its traffic is revised', async () => {
    await using desk = await openDesk({ traffic: { revised: { ratio: 0.01 } } }, AT);
    const before = (await usageRows(desk)).find((row) => row.residential_ledger_period_date === '2026-07-08');
    desk.clock.advance(DAY);
    const after = (await usageRows(desk)).find((row) => row.residential_ledger_period_date === '2026-07-08');
    expect(after?.residential_ledger_bytes).not.toBe(before?.residential_ledger_bytes);
    desk.clock.advance(10 * DAY);
    const rows = await usageRows(desk);
    const rested = rows.find((row) => row.residential_ledger_period_date === '2026-07-08');
    expect(String(rested?.residential_ledger_last_update_datetime) < '2026-07-13').toBe(true);
  });

  test('adds what was bought and sets right, each with an id of its own', async () => {
    await using desk = await openDesk({ ledger: { top_up_bytes: 5_000 } }, AT);
    const { data } = (await desk.get('residential_ledger/search')).body;
    const reasons = new Map(Map.groupBy(data, (row) => String(row.residential_ledger_reason)));
    expect(reasons.get('service_purchase')).toHaveLength(1);
    expect(reasons.get('adjustment')?.length).toBeGreaterThan(1);
    expect(reasons.get('top_up')?.every((row) => row.residential_ledger_bytes === 5_000)).toBe(true);
    expect(new Set(data.map((row) => row.residential_ledger_id)).size).toBe(data.length);
    expect(desk.simulator.truth.ledger()).toEqual(data);
  });

  test('writes usage positive, or by service, where the scenario says so', async () => {
    await using positive = await openDesk({ ledger: { usage_sign: 'positive' } }, AT);
    expect((await usageRows(positive)).every((row) => Number(row.residential_ledger_bytes) > 0)).toBe(true);
    await using split = await openDesk({ services: 8, ledger: { per_service: true } }, AT);
    const rows = (await usageRows(split)).filter(
      (row) => row.residential_ledger_period_date === '2026-07-05',
    );
    expect(new Set(rows.map((row) => row.service_id)).size).toBe(2);
  });
});

describe('proxy users', () => {
  const used = async (desk: Desk, field: string) =>
    sumOf((await desk.get('proxy_user/search')).body.data, `proxy_user_${field}_bytes_used`);

  test('together used the traffic of their product types', async () => {
    await using desk = await openDesk({ monthly_reset_ratio: 0 }, AT);
    for (const network of ['residential', 'mobile'] as const) {
      const { bytes } = desk.simulator.truth.traffic({ network }, 0, desk.clock.now());
      expect(Math.abs(bytes - (await used(desk, network)))).toBeLessThanOrEqual(40);
    }
  });

  test('use more as time goes, and as their graphs say', async () => {
    await using desk = await openDesk({ monthly_reset_ratio: 0, traffic: { revised: { ratio: 0 } } }, AT);
    const { truth } = desk.simulator;
    const before = truth.users().get('user-000001');
    desk.clock.advance(HOUR);
    const after = truth.users().get('user-000001');
    expect(after?.residential).toBeGreaterThan(Number(before?.residential));
    const filter = { proxyUserId: 'user-000001', network: 'residential' };
    const { bytes } = truth.traffic(filter, 0, desk.clock.now());
    expect(Math.abs(bytes - Number(after?.residential)) / bytes).toBeLessThan(0.001);
  });

  test('some start anew with the month', async () => {
    await using desk = await openDesk({ monthly_reset_ratio: 0.5 }, '2026-06-30T23:50:00Z');
    const before = desk.simulator.truth.users();
    desk.clock.advance(20 * MINUTE);
    const fell = [...desk.simulator.truth.users()].filter(
      ([id, { residential }]) => residential < Number(before.get(id)?.residential),
    );
    expect(fell.length).toBeGreaterThan(10);
    expect(fell.length).toBeLessThan(30);
  });

  test('have limits of every kind; what is left is limit less used', async () => {
    await using desk = await openDesk({ users: 100 });
    const { data } = (await desk.get('proxy_user/search')).body;
    const limits = data.map((user) => user.proxy_user_residential_bytes_limit);
    expect(limits.filter((limit) => limit === null)).toHaveLength(30);
    expect(limits.filter((limit) => limit === 0)).toHaveLength(4);
    expect(data.some((user) => Number(user.residential_bytes_left) < 0)).toBe(true);
    for (const user of data.filter((one) => one.proxy_user_residential_bytes_limit !== null)) {
      const left =
        Number(user.proxy_user_residential_bytes_limit) - Number(user.proxy_user_residential_bytes_used);
      expect(user.residential_bytes_left).toBe(left);
    }
    expect(data.filter((user) => user.proxy_user_is_default)).toHaveLength(1);
    expect(data.every((user) => /^pw-/.test(String(user.proxy_user_password)))).toBe(true);
  });
});
