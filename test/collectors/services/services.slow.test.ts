// Tests purchased services over HTTP: discovered, paused, expiring, short of proxies, and removed ones.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { services } from '../../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../../src/simulator/scenario.ts';
import { Harness, type HarnessOptions } from '../../support/harness.ts';

const START = '2026-07-06T12:01:30Z';
const POLL = 30 * MINUTE;
const SCENARIO: ScenarioInput = { proxies: 80, services: 4, ledger: { per_service: true } };
const IDS = services(parseScenario(SCENARIO)).map(({ id }) => id);
const [DATACENTER = '', ISP = '', RESIDENTIAL = ''] = IDS;

const build = (
  options: Record<string, unknown> = {},
  account: HarnessOptions['account'] = {},
): Promise<Harness> =>
  Harness.build({
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

const callsOf = ({ simulator }: Harness): number =>
  simulator.requests.recent.filter(({ endpoint }) => endpoint === 'service/retrieve').length;

const valueFor = async (harness: Harness, name: string, service_id = ISP): Promise<number | undefined> =>
  (await harness.samples()).value(`proxywatch_service_${name}`, { service_id });

const statusOf = async (harness: Harness, service_id = ISP): Promise<string | undefined> =>
  (await harness.samples()).all('proxywatch_service_info', { service_id })[0]?.labels.status;

const resultOf = async (harness: Harness): Promise<string | undefined> =>
  (await harness.app.store.runs.states('main')).find(({ collector }) => collector === 'services')?.result;

const shownIds = async (harness: Harness): Promise<(string | undefined)[]> =>
  (await harness.samples()).all('proxywatch_service_info').map(({ labels }) => labels.service_id);

describe('a service', () => {
  test('shows all values of the provider', async () => {
    await using harness = await build();
    const samples = await harness.samples();
    const located = harness.simulator.truth.proxies().filter(({ service_id }) => service_id === ISP);
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
    expect(await valueFor(harness, 'quantity')).toBe(inUse.length);
    expect(await valueFor(harness, 'price')).toBeGreaterThan(0);
    expect(await valueFor(harness, 'paused')).toBe(0);
    expect(await valueFor(harness, 'open_invoice')).toBe(0);
    expect(await valueFor(harness, 'expiry_timestamp_seconds')).toBeGreaterThan(Date.parse(START) / 1_000);
    expect(samples.by('status', 'proxywatch_service_proxies', { service_id: ISP })).toEqual(
      countBy(located, ({ proxy_status }) => proxy_status),
    );
    expect(samples.by('country_id', 'proxywatch_service_line_item_quantity', { service_id: ISP })).toEqual(
      countBy(inUse, ({ country_id }) => country_id),
    );
  });

  test('is paused, pending cancellation with an open invoice, and expires', async () => {
    await using harness = await build();
    harness.simulator.changes.add(
      change(1, { service_status: 'paused', service_subscription_is_paused: true }),
    );
    await harness.advance(POLL);
    expect([await statusOf(harness), await valueFor(harness, 'paused')]).toEqual(['paused', 1]);
    expect(await valueFor(harness, 'paused', DATACENTER)).toBe(0);
    harness.simulator.changes.replace([
      change(1, {
        service_is_pending_cancellation: true,
        service_is_automatic_collection: false,
        open_invoice_id: 'in_1',
        service_expiry_datetime: '2026-07-08 00:00:00',
        service_earliest_cancellation_datetime: '2026-07-07 00:00:00',
      }),
    ]);
    await harness.advance(POLL);
    for (const [name, value] of [
      ['paused', 0],
      ['pending_cancellation', 1],
      ['automatic_collection', 0],
      ['open_invoice', 1],
      ['expiry_timestamp_seconds', Date.parse('2026-07-08T00:00:00Z') / 1_000],
      ['earliest_cancellation_timestamp_seconds', Date.parse('2026-07-07T00:00:00Z') / 1_000],
    ] as const)
      expect([name, await valueFor(harness, name)]).toEqual([name, value]);
  });

  test('shows no value that was not given', async () => {
    await using harness = await build();
    const fields = ['service_quantity', 'service_total', 'service_subscription_is_paused'];
    harness.simulator.faults.add({ kind: 'null_fields', endpoint: 'service', fields });
    await harness.advance(POLL);
    for (const name of ['quantity', 'price', 'paused'])
      expect([name, await valueFor(harness, name)]).toEqual([name, undefined]);
    expect(await valueFor(harness, 'pending_cancellation')).toBe(0);
  });

  test('that has lost its proxies has 0 in use, and one sold by the byte has no series of proxies', async () => {
    const ids = [ISP, RESIDENTIAL];
    await using harness = await build({ ids });
    harness.simulator.changes.replace(
      Array.from({ length: 80 }, (_, subject) => ({ kind: 'proxy', subject, absent: true })),
    );
    await harness.advance(POLL);
    const samples = await harness.samples();
    expect(samples.by('status', 'proxywatch_service_proxies', { service_id: ISP })).toEqual({ in_use: 0 });
    expect(samples.all('proxywatch_service_proxies', { service_id: RESIDENTIAL })).toEqual([]);
    expect(await valueFor(harness, 'quantity')).toBeGreaterThan(0);
  });

  test('keeps its count of proxies when some do not decode', async () => {
    await using harness = await build();
    const before = (await harness.samples()).by('status', 'proxywatch_service_proxies', { service_id: ISP });
    const broken = { kind: 'set_fields', endpoint: 'service', fields: { proxy_http_port: 'http' } } as const;
    harness.simulator.faults.add(broken);
    await harness.advance(POLL);
    const samples = await harness.samples();
    expect(samples.by('status', 'proxywatch_service_proxies', { service_id: ISP })).toEqual(before);
    expect(samples.value('proxywatch_items_skipped_total', { collector: 'services' })).toBe(40);
  });
});

describe('a service that is not found', () => {
  test('fails alone and keeps its values, and is removed the second time', async () => {
    await using harness = await build();
    harness.simulator.changes.add({ kind: 'service', subject: 1, absent: true });
    harness.simulator.changes.add(change(0, { service_quantity: 99 }));
    await harness.advance(POLL);
    expect(await resultOf(harness)).toBe('partial');
    // The other services are current.
    expect((await harness.samples()).value('proxywatch_collector_success', { collector: 'services' })).toBe(
      1,
    );
    expect((await shownIds(harness)).toSorted()).toEqual([DATACENTER, ISP].toSorted());
    expect(await valueFor(harness, 'quantity', DATACENTER)).toBe(99);
    await harness.restart();
    await harness.advance(POLL);
    expect(await shownIds(harness)).toEqual([DATACENTER]);
    harness.simulator.changes.clear();
    await harness.advance(POLL);
    expect(await resultOf(harness)).toBe('ok');
    expect(await shownIds(harness)).toHaveLength(2);
  });

  test('once, but never twice in a row, is not removed', async () => {
    await using harness = await build();
    for (let turn = 0; turn < 3; turn += 1) {
      harness.simulator.changes.add({ kind: 'service', subject: 1, absent: true });
      await harness.advance(POLL);
      harness.simulator.changes.clear();
      await harness.advance(POLL);
      expect(await shownIds(harness)).toHaveLength(2);
    }
  });

  test('after it was discovered is no failure once it is removed, and is requested once a day', async () => {
    await using harness = await build({ discover: true, ids: [ISP] }, { residential_ledger: {} });
    harness.simulator.changes.add({ kind: 'service', subject: 2, absent: true });
    for (let turn = 0; turn < 2; turn += 1) await harness.advance(POLL);
    expect(await resultOf(harness)).toBe('partial');
    const callsBefore = callsOf(harness);
    for (let slot = 0; slot < DAY / POLL; slot += 1) await harness.advance(POLL);
    expect(await resultOf(harness)).toBe('ok');
    expect(callsOf(harness) - callsBefore).toBe(DAY / POLL + 1);
  });

  test('because its request is refused does not affect the others', async () => {
    await using harness = await build({ ids: [DATACENTER, ISP, RESIDENTIAL] });
    harness.simulator.changes.add(change(1, { service_status: 'overdue' }));
    harness.simulator.changes.add(change(2, { service_status: 'overdue' }));
    harness.simulator.faults.add({ kind: 'status', endpoint: 'service', status: 403, count: 1 });
    await harness.advance(POLL);
    expect(await resultOf(harness)).toBe('partial');
    const samples = await harness.samples();
    expect(samples.value('proxywatch_collector_success', { collector: 'services' })).toBe(1);
    expect(samples.value('proxywatch_collector_failing_parts', { collector: 'services' })).toBe(1);
    expect(await statusOf(harness)).toBe('overdue');
    expect(await statusOf(harness, RESIDENTIAL)).toBe('overdue');
    await harness.advance(POLL);
    expect(await resultOf(harness)).toBe('ok');
  });

  test('does not end the run, but an error that all services have does', async () => {
    await using harness = await build();
    const before = await shownIds(harness);
    harness.simulator.faults.add({ kind: 'status', endpoint: 'service', status: 401 });
    await harness.advance(POLL);
    expect(await resultOf(harness)).toBe('failed');
    expect(await shownIds(harness)).toEqual(before);
  });
});

describe('services are discovered', () => {
  test('in the ledger and the inventory, even in the first run', async () => {
    const found = async (account: HarnessOptions['account']) => {
      await using harness = await build({ discover: true, ids: [] }, account);
      return (await shownIds(harness)).toSorted();
    };
    expect(await found({ residential_ledger: {} })).toEqual([RESIDENTIAL]);
    expect(await found({ inventory: {} })).toEqual(IDS.toSorted());
    expect(await found({})).toEqual([]);
  });

  test('only if discovery is on', async () => {
    await using harness = await build({ discover: false, ids: [ISP] }, { inventory: {} });
    expect(await shownIds(harness)).toEqual([ISP]);
    await harness.restart({ services: { discover: true } });
    await harness.advance(POLL);
    expect(await shownIds(harness)).toHaveLength(4);
    await harness.restart({ services: { discover: false, ids: [ISP] } });
    expect(await shownIds(harness)).toEqual([ISP]);
  });

  test('and are requested once a day when they are canceled and expired long ago', async () => {
    await using harness = await build({ discover: true, ids: [] }, { inventory: {} });
    harness.simulator.changes.replace(
      IDS.map((_, subject) =>
        change(subject, { service_status: 'canceled', service_expiry_datetime: '2026-01-01 00:00:00' }),
      ),
    );
    await harness.advance(POLL);
    const before = callsOf(harness);
    for (let hour = 0; hour < 23; hour += 1) await harness.advance(HOUR);
    expect(callsOf(harness)).toBe(before);
    await harness.advance(HOUR);
    await harness.advance(HOUR);
    expect(callsOf(harness)).toBe(before + IDS.length);
    expect(await statusOf(harness)).toBe('canceled');
  });
});

const countBy = <T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(items, keyOf)].map(([key, group]) => [key, group.length]));

test('listed keys of the metadata are labels of the service, and nothing of other keys is stored', async () => {
  await using harness = await build({ labels_from_metadata: ['project'] });
  harness.simulator.changes.add(
    change(1, { service_metadata: { project: 'shop', canary_key: 'canary-value' } }),
  );
  const labels = async () =>
    (await harness.samples()).all('proxywatch_service_info').map((each) => each.labels);
  expect((await labels()).map(({ project }) => project)).toEqual(['', '']);
  await harness.advance(POLL);
  expect((await labels()).map(({ service_id, project }) => [service_id, project])).toEqual(
    expect.arrayContaining([
      [DATACENTER, ''],
      [ISP, 'shop'],
    ]),
  );
  const stored = await harness.app.store.services.services('main');
  expect(stored.find(({ id }) => id === ISP)?.metadata).toEqual({ project: 'shop' });
  expect(JSON.stringify([stored, await harness.metricsText()])).not.toContain('canary');
  await harness.restart({ services: { discover: false, ids: [DATACENTER, ISP] } });
  expect((await labels())[0]).not.toHaveProperty('project');
});

describe('a listing of services', () => {
  const SEARCH = { search: true, discover: true, ids: [] };
  const searchesOf = ({ simulator }: Harness): number => simulator.requests.count('service/search');
  const valuesOf = async (harness: Harness) =>
    [...(await harness.metrics())].filter(([name]) => name.startsWith('proxywatch_service_'));

  test('shows all services in one request, with the values that single requests show', async () => {
    await using single = await build({ ids: IDS });
    await using listed = await build(SEARCH);
    expect(await valuesOf(listed)).toEqual(await valuesOf(single));
    expect([searchesOf(listed), callsOf(listed)]).toEqual([1, 0]);
    listed.simulator.changes.add(change(1, { service_quantity: 99 }));
    await listed.advance(POLL);
    expect(await valueFor(listed, 'quantity')).toBe(99);
    expect([searchesOf(listed), callsOf(listed)]).toEqual([2, 0]);
  });

  test('that lacks a service or cannot decode it has it requested alone', async () => {
    await using harness = await build(SEARCH);
    harness.simulator.changes.add({ kind: 'service', subject: 1, absent: true });
    await harness.advance(POLL);
    expect(callsOf(harness)).toBe(1);
    await harness.advance(POLL);
    expect((await shownIds(harness)).toSorted()).toEqual(IDS.filter((id) => id !== ISP).toSorted());
  });

  test.each([403, 404, 422, 429, 500])(
    'that fails with %i has all services requested alone',
    async (status) => {
      await using harness = await build(SEARCH);
      harness.simulator.faults.add({ kind: 'status', status, endpoint: 'service/search' });
      harness.simulator.changes.add(change(1, { service_quantity: 99 }));
      await harness.advance(POLL);
      expect([await resultOf(harness), callsOf(harness)]).toEqual(['partial', IDS.length]);
      expect(await valueFor(harness, 'quantity')).toBe(99);
    },
  );

  test('that lacks a configured service has a partial run, and the others stay current', async () => {
    await using harness = await build({ ...SEARCH, discover: false, ids: [DATACENTER, ISP.toUpperCase()] });
    expect((await shownIds(harness)).toSorted()).toEqual([DATACENTER, ISP.toUpperCase()].toSorted());
    harness.simulator.changes.add({ kind: 'service', subject: 1, absent: true });
    await harness.advance(POLL);
    expect([await resultOf(harness), callsOf(harness)]).toEqual(['partial', 1]);
    expect((await harness.samples()).value('proxywatch_collector_success', { collector: 'services' })).toBe(
      1,
    );
  });

  test('whose services name no proxies has all services requested alone', async () => {
    await using harness = await build(SEARCH);
    harness.simulator.faults.add({ kind: 'null_fields', endpoint: 'service/search', fields: ['proxies'] });
    await harness.advance(POLL);
    expect([await resultOf(harness), callsOf(harness)]).toEqual(['ok', IDS.length]);
  });
});
