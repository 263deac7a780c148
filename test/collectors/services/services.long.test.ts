// Purchased services over HTTP: found in ledger and inventory, paused, expiring, short of proxies, gone.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { services } from '../../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../../src/simulator/scenario.ts';
import { House, type HouseOptions } from '../../support/house.ts';

const START = '2026-07-06T12:01:30Z';
const POLL = 30 * MINUTE;
const SCENARIO: ScenarioInput = { proxies: 80, services: 4, ledger: { per_service: true } };
const IDS = services(parseScenario(SCENARIO)).map(({ id }) => id);
const [DATACENTER = '', ISP = '', RESIDENTIAL = ''] = IDS;

const build = (
  options: Record<string, unknown> = {},
  account: HouseOptions['account'] = {},
): Promise<House> =>
  House.build({
    now: START,
    scenario: SCENARIO,
    account: {
      traffic: false,
      residential_ledger: false,
      proxy_users: false,
      services: { discover: false, ids: [DATACENTER, ISP], ...options },
      ...account,
    },
  });

const change = (subject: number, set: Record<string, unknown>) =>
  ({ kind: 'service', subject, set }) as const;

const callsOf = ({ simulator }: House): number =>
  simulator.requests.recent.filter(({ endpoint }) => endpoint === 'service/retrieve').length;

const valueFor = async (house: House, name: string, service_id = ISP): Promise<number | undefined> =>
  (await house.samples()).value(`proxywatch_service_${name}`, { service_id });

const statusOf = async (house: House, service_id = ISP): Promise<string | undefined> =>
  (await house.samples()).all('proxywatch_service_info', { service_id })[0]?.labels.status;

const resultOf = async (house: House): Promise<string | undefined> =>
  (await house.app.store.runs.states('main')).find(({ collector }) => collector === 'services')?.result;

const shownIds = async (house: House): Promise<(string | undefined)[]> =>
  (await house.samples()).all('proxywatch_service_info').map(({ labels }) => labels.service_id);

describe('a service', () => {
  test('shows all that the provider says of it', async () => {
    await using house = await build();
    const samples = await house.samples();
    const located = house.simulator.truth.proxies().filter(({ service_id }) => service_id === ISP);
    const inUse = located.filter(({ proxy_status }) => proxy_status === 'in_use');
    expect(samples.all('proxywatch_service_info', { service_id: ISP })[0]?.labels).toEqual({
      account: 'main',
      service_id: ISP,
      service_name: `isp ${ISP.slice(-4)}`,
      product_type: 'isp',
      protocol: 'ipv4',
      status: 'active',
      country_id: 'gb',
      cycle: '1:month',
    });
    expect(await valueFor(house, 'quantity')).toBe(inUse.length);
    expect(await valueFor(house, 'price')).toBeGreaterThan(0);
    expect(await valueFor(house, 'paused')).toBe(0);
    expect(await valueFor(house, 'open_invoice')).toBe(0);
    expect(await valueFor(house, 'expiry_timestamp_seconds')).toBeGreaterThan(Date.parse(START) / 1_000);
    expect(samples.by('status', 'proxywatch_service_proxies', { service_id: ISP })).toEqual(
      countBy(located, ({ proxy_status }) => proxy_status),
    );
    expect(samples.by('country_id', 'proxywatch_service_line_item_quantity', { service_id: ISP })).toEqual(
      countBy(inUse, ({ country_id }) => country_id),
    );
  });

  test('is paused, pending cancellation with an open invoice, and expires', async () => {
    await using house = await build();
    house.simulator.changes.add(
      change(1, { service_status: 'paused', service_subscription_is_paused: true }),
    );
    await house.advance(POLL);
    expect([await statusOf(house), await valueFor(house, 'paused')]).toEqual(['paused', 1]);
    expect(await valueFor(house, 'paused', DATACENTER)).toBe(0);
    house.simulator.changes.replace([
      change(1, {
        service_is_pending_cancellation: true,
        service_is_automatic_collection: false,
        open_invoice_id: 'in_1',
        service_expiry_datetime: '2026-07-08 00:00:00',
        service_earliest_cancellation_datetime: '2026-07-07 00:00:00',
      }),
    ]);
    await house.advance(POLL);
    for (const [name, value] of [
      ['paused', 0],
      ['pending_cancellation', 1],
      ['automatic_collection', 0],
      ['open_invoice', 1],
      ['expiry_timestamp_seconds', Date.parse('2026-07-08T00:00:00Z') / 1_000],
      ['earliest_cancellation_timestamp_seconds', Date.parse('2026-07-07T00:00:00Z') / 1_000],
    ] as const)
      expect([name, await valueFor(house, name)]).toEqual([name, value]);
  });

  test('shows nothing that was not given', async () => {
    await using house = await build();
    const fields = ['service_quantity', 'service_total', 'service_subscription_is_paused'];
    house.simulator.faults.add({ kind: 'null_fields', endpoint: 'service', fields });
    await house.advance(POLL);
    for (const name of ['quantity', 'price', 'paused'])
      expect([name, await valueFor(house, name)]).toEqual([name, undefined]);
    expect(await valueFor(house, 'pending_cancellation')).toBe(0);
  });

  test('that has lost its proxies has none in use, and one sold by the byte never had any', async () => {
    const ids = [ISP, RESIDENTIAL];
    await using house = await build({ ids });
    house.simulator.changes.replace(
      Array.from({ length: 80 }, (_, subject) => ({ kind: 'proxy', subject, absent: true })),
    );
    await house.advance(POLL);
    const samples = await house.samples();
    expect(samples.by('status', 'proxywatch_service_proxies', { service_id: ISP })).toEqual({ in_use: 0 });
    expect(samples.all('proxywatch_service_proxies', { service_id: RESIDENTIAL })).toEqual([]);
    expect(await valueFor(house, 'quantity')).toBeGreaterThan(0);
  });

  test('keeps its count of proxies when some do not decode', async () => {
    await using house = await build();
    const before = (await house.samples()).by('status', 'proxywatch_service_proxies', { service_id: ISP });
    const broken = { kind: 'set_fields', endpoint: 'service', fields: { proxy_http_port: 'http' } } as const;
    house.simulator.faults.add(broken);
    await house.advance(POLL);
    const samples = await house.samples();
    expect(samples.by('status', 'proxywatch_service_proxies', { service_id: ISP })).toEqual(before);
    expect(samples.value('proxywatch_items_skipped_total', { collector: 'services' })).toBe(40);
  });
});

describe('a service that is not found', () => {
  test('fails alone and keeps its values; the second time it is gone', async () => {
    await using house = await build();
    house.simulator.changes.add({ kind: 'service', subject: 1, absent: true });
    house.simulator.changes.add(change(0, { service_quantity: 99 }));
    await house.advance(POLL);
    expect(await resultOf(house)).toBe('partial');
    // The others are as current as ever.
    expect((await house.samples()).value('proxywatch_collector_success', { collector: 'services' })).toBe(1);
    expect((await shownIds(house)).toSorted()).toEqual([DATACENTER, ISP].toSorted());
    expect(await valueFor(house, 'quantity', DATACENTER)).toBe(99);
    await house.restart();
    await house.advance(POLL);
    expect(await shownIds(house)).toEqual([DATACENTER]);
    house.simulator.changes.clear();
    await house.advance(POLL);
    expect(await resultOf(house)).toBe('ok');
    expect(await shownIds(house)).toHaveLength(2);
  });

  test('for once is not gone', async () => {
    await using house = await build();
    for (let turn = 0; turn < 3; turn += 1) {
      house.simulator.changes.add({ kind: 'service', subject: 1, absent: true });
      await house.advance(POLL);
      house.simulator.changes.clear();
      await house.advance(POLL);
      expect(await shownIds(house)).toHaveLength(2);
    }
  });

  test('though it was found is no failure where it never was, and asked for once a day', async () => {
    await using house = await build({ discover: true, ids: [ISP] }, { residential_ledger: {} });
    house.simulator.changes.add({ kind: 'service', subject: 2, absent: true });
    for (let turn = 0; turn < 2; turn += 1) await house.advance(POLL);
    expect(await resultOf(house)).toBe('partial');
    const gone = callsOf(house);
    for (let slot = 0; slot < DAY / POLL; slot += 1) await house.advance(POLL);
    expect(await resultOf(house)).toBe('ok');
    expect(callsOf(house) - gone).toBe(DAY / POLL + 1);
  });

  test('that is refused leaves the others be', async () => {
    await using house = await build({ ids: [DATACENTER, ISP, RESIDENTIAL] });
    house.simulator.changes.add(change(1, { service_status: 'overdue' }));
    house.simulator.changes.add(change(2, { service_status: 'overdue' }));
    house.simulator.faults.add({ kind: 'status', endpoint: 'service', status: 403, count: 1 });
    await house.advance(POLL);
    expect(await resultOf(house)).toBe('partial');
    const samples = await house.samples();
    expect(samples.value('proxywatch_collector_success', { collector: 'services' })).toBe(1);
    expect(samples.value('proxywatch_collector_failing_parts', { collector: 'services' })).toBe(1);
    expect(await statusOf(house)).toBe('overdue');
    expect(await statusOf(house, RESIDENTIAL)).toBe('overdue');
    await house.advance(POLL);
    expect(await resultOf(house)).toBe('ok');
  });

  test('ends no run, but an error that all meet does', async () => {
    await using house = await build();
    const before = await shownIds(house);
    house.simulator.faults.add({ kind: 'status', endpoint: 'service', status: 401 });
    await house.advance(POLL);
    expect(await resultOf(house)).toBe('failed');
    expect(await shownIds(house)).toEqual(before);
  });
});

describe('services are found', () => {
  test('in the ledger and the inventory, in the first run already', async () => {
    const found = async (account: HouseOptions['account']) => {
      await using house = await build({ discover: true, ids: [] }, account);
      return (await shownIds(house)).toSorted();
    };
    expect(await found({ residential_ledger: {} })).toEqual([RESIDENTIAL]);
    expect(await found({ inventory: {} })).toEqual(IDS.toSorted());
    expect(await found({})).toEqual([]);
  });

  test('only where they are looked for', async () => {
    await using house = await build({ discover: false, ids: [ISP] }, { inventory: {} });
    expect(await shownIds(house)).toEqual([ISP]);
    await house.restart({ services: { discover: true } });
    await house.advance(POLL);
    expect(await shownIds(house)).toHaveLength(4);
    await house.restart({ services: { discover: false, ids: [ISP] } });
    expect(await shownIds(house)).toEqual([ISP]);
  });

  test('and are asked for seldom when they are canceled and long expired', async () => {
    await using house = await build({ discover: true, ids: [] }, { inventory: {} });
    house.simulator.changes.replace(
      IDS.map((_, subject) =>
        change(subject, { service_status: 'canceled', service_expiry_datetime: '2026-01-01 00:00:00' }),
      ),
    );
    await house.advance(POLL);
    const before = callsOf(house);
    for (let hour = 0; hour < 23; hour += 1) await house.advance(HOUR);
    expect(callsOf(house)).toBe(before);
    await house.advance(HOUR);
    await house.advance(HOUR);
    expect(callsOf(house)).toBe(before + IDS.length);
    expect(await statusOf(house)).toBe('canceled');
  });
});

const countBy = <T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(items, keyOf)].map(([key, group]) => [key, group.length]));
