// Tests that the ledger and the proxy users agree with the simulated traffic and change with it.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { openSimulator, type Row, type SimulatorClient, sumOf } from './simulator-client.ts';

const AT = '2026-07-10T12:34:00Z';
const TODAY = Date.parse('2026-07-10T00:00:00Z');

const usageRows = async (client: SimulatorClient): Promise<Row[]> => {
  const query = { residential_ledger_reason: 'usage', sort_by: 'residential_ledger_period_date_desc' };
  return (await client.get('residential_ledger/search', query)).body.data;
};

describe('the ledger', () => {
  test('has the usage of the residential graph without smartpath', async () => {
    await using client = await openSimulator({}, AT);
    const rows = await usageRows(client);
    expect(rows).toHaveLength(31);
    const [today] = rows;
    const { bytes, smartpathBytes } = client.simulator.truth.traffic(
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
    await using client = await openSimulator({ traffic: { revised: { ratio: 0 } } }, AT);
    const [before] = await usageRows(client);
    client.clock.advance(HOUR);
    const [after, ...others] = await usageRows(client);
    expect(others).toHaveLength(30);
    expect(after?.residential_ledger_id).toBe(before?.residential_ledger_id);
    expect(after?.residential_ledger_creation_datetime).toBe(before?.residential_ledger_creation_datetime);
    expect(Number(after?.residential_ledger_bytes)).toBeLessThan(Number(before?.residential_ledger_bytes));
    expect(after?.residential_ledger_last_update_datetime).toBe('2026-07-10 13:34:00');
  });

  test('edits a past day only when its traffic is revised', async () => {
    await using client = await openSimulator({ traffic: { revised: { ratio: 0.01 } } }, AT);
    const before = (await usageRows(client)).find(
      (row) => row.residential_ledger_period_date === '2026-07-08',
    );
    client.clock.advance(DAY);
    const after = (await usageRows(client)).find(
      (row) => row.residential_ledger_period_date === '2026-07-08',
    );
    expect(after?.residential_ledger_bytes).not.toBe(before?.residential_ledger_bytes);
    client.clock.advance(10 * DAY);
    const rows = await usageRows(client);
    const closed = rows.find((row) => row.residential_ledger_period_date === '2026-07-08');
    expect(String(closed?.residential_ledger_last_update_datetime) < '2026-07-13').toBe(true);
  });

  test('has purchases and adjustments, each with its own id', async () => {
    await using client = await openSimulator({ ledger: { top_up_bytes: 5_000 } }, AT);
    const { data } = (await client.get('residential_ledger/search')).body;
    const reasons = new Map(Map.groupBy(data, (row) => String(row.residential_ledger_reason)));
    expect(reasons.get('service_purchase')).toHaveLength(1);
    expect(reasons.get('adjustment')?.length).toBeGreaterThan(1);
    expect(reasons.get('top_up')?.every((row) => row.residential_ledger_bytes === 5_000)).toBe(true);
    expect(new Set(data.map((row) => row.residential_ledger_id)).size).toBe(data.length);
    expect(client.simulator.truth.ledger()).toEqual(data);
  });

  test('writes usage as positive or by service if the scenario says so', async () => {
    await using positive = await openSimulator({ ledger: { usage_sign: 'positive' } }, AT);
    expect((await usageRows(positive)).every((row) => Number(row.residential_ledger_bytes) > 0)).toBe(true);
    await using split = await openSimulator({ services: 8, ledger: { per_service: true } }, AT);
    const rows = (await usageRows(split)).filter(
      (row) => row.residential_ledger_period_date === '2026-07-05',
    );
    expect(new Set(rows.map((row) => row.service_id)).size).toBe(2);
  });
});

describe('proxy users', () => {
  const used = async (client: SimulatorClient, field: string) =>
    sumOf((await client.get('proxy_user/search')).body.data, `proxy_user_${field}_bytes_used`);

  test('together use the traffic of their product types', async () => {
    await using client = await openSimulator({ monthly_reset_ratio: 0 }, AT);
    for (const network of ['residential', 'mobile'] as const) {
      const { bytes } = client.simulator.truth.traffic({ network }, 0, client.clock.now());
      expect(Math.abs(bytes - (await used(client, network)))).toBeLessThanOrEqual(40);
    }
  });

  test('use more over time, in agreement with their graphs', async () => {
    await using client = await openSimulator(
      { monthly_reset_ratio: 0, traffic: { revised: { ratio: 0 } } },
      AT,
    );
    const { truth } = client.simulator;
    const before = truth.users().get('user-000001');
    client.clock.advance(HOUR);
    const after = truth.users().get('user-000001');
    expect(after?.residential).toBeGreaterThan(Number(before?.residential));
    const filter = { proxyUserId: 'user-000001', network: 'residential' };
    const { bytes } = truth.traffic(filter, 0, client.clock.now());
    expect(Math.abs(bytes - Number(after?.residential)) / bytes).toBeLessThan(0.001);
  });

  test('some are reset at the start of the month', async () => {
    await using client = await openSimulator({ monthly_reset_ratio: 0.5 }, '2026-06-30T23:50:00Z');
    const before = client.simulator.truth.users();
    client.clock.advance(20 * MINUTE);
    const reset = [...client.simulator.truth.users()].filter(
      ([id, { residential }]) => residential < Number(before.get(id)?.residential),
    );
    expect(reset.length).toBeGreaterThan(10);
    expect(reset.length).toBeLessThan(30);
  });

  test('have limits of every kind, and bytes left are limit - used', async () => {
    await using client = await openSimulator({ users: 100 });
    const { data } = (await client.get('proxy_user/search')).body;
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
