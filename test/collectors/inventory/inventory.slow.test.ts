// Tests the inventory over HTTP: proxies that are replaced, added and removed, and interrupted listings.

import { describe, expect, test } from 'vitest';
import { HOUR, SECOND } from '../../../src/lib/time.ts';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { row, rows } from '../proxy-tests/sources-support.ts';
import {
  buildInventory,
  changeCounts,
  changeEvents,
  ENDPOINT,
  idOf,
  infoOf,
  NO_CHANGES,
  START,
} from './inventory-harness.ts';

const NEW_ADDRESS = '192.0.2.77';

describe('proxies', () => {
  test('are counted by type, protocol, status and country, and each has an info', async () => {
    await using harness = await buildInventory();
    const samples = await harness.samples();
    const truth = Map.groupBy(
      harness.simulator.truth.proxies(),
      ({ proxy_type, proxy_status, country_id }) => `${proxy_type} ipv4 ${proxy_status} ${country_id}`,
    );
    const shown = samples
      .all('proxywatch_proxies')
      .map(({ labels: { product_type, protocol, status, country_id }, value }) => [
        `${product_type} ${protocol} ${status} ${country_id}`,
        value,
      ]);
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries([...truth].map(([key, rows]) => [key, rows.length])),
    );
    expect(samples.all('proxywatch_proxy_info')).toHaveLength(150);
    const [proxy] = harness.simulator.truth.proxies();
    expect(await infoOf(harness, idOf(0))).toEqual({
      account: 'main',
      proxy_id: proxy?.proxy_id,
      name: '',
      product_type: proxy?.proxy_type,
      protocol: 'ipv4',
      status: proxy?.proxy_status,
      ip_address: proxy?.proxy_ip_address,
      country_id: proxy?.country_id,
      city_name: proxy?.city_name,
      asn_id: String(proxy?.asn_id),
      asn_name: proxy?.asn_name,
      subnet_id: proxy?.subnet_id,
      service_id: proxy?.service_id,
    });
  });

  test('beyond the cap are counted and have no info', async () => {
    await using harness = await buildInventory({ account: { inventory: { max_series_proxies: 40 } } });
    const samples = await harness.samples();
    expect(samples.all('proxywatch_proxy_info')).toHaveLength(40);
    expect(samples.value('proxywatch_series_dropped', { collector: 'inventory' })).toBe(110);
    const counts = samples.all('proxywatch_proxies').map(({ value }) => value);
    expect(counts.reduce((sum, value) => sum + value, 0)).toBe(150);
  });

  test('keep an address, a network and a city that are not given once, and store no password', async () => {
    await using harness = await buildInventory();
    const before = await infoOf(harness, idOf(3));
    const fields = ['proxy_ip_address', 'asn_id', 'asn_name', 'city_id', 'city_name', 'subnet_id'];
    harness.simulator.faults.add({ kind: 'null_fields', endpoint: ENDPOINT, fields });
    await harness.advance(HOUR);
    harness.simulator.faults.replace([{ kind: 'missing_fields', endpoint: ENDPOINT, fields }]);
    await harness.advance(HOUR);
    expect(await infoOf(harness, idOf(3))).toEqual(before);
    harness.simulator.faults.clear();
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual(NO_CHANGES);
    expect(JSON.stringify(await harness.app.store.inventory.page('main', '', 1_000))).not.toContain('pw-');
  });
});

describe('a proxy', () => {
  test('that is replaced has another address, network and city in events, counters and labels', async () => {
    await using harness = await buildInventory();
    const id = idOf(7);
    const before = await infoOf(harness, id);
    harness.simulator.changes.add({
      ...{ kind: 'proxy', subject: 7 },
      set: {
        proxy_ip_address: NEW_ADDRESS,
        asn_id: 64_999,
        city_id: before?.city_name === 'Paris' ? 200 : 202,
      },
    });
    expect(await changeCounts(harness)).toEqual(NO_CHANGES);
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, address: 1, asn: 1, city: 1 });
    expect(await infoOf(harness, id)).toMatchObject({
      ip_address: NEW_ADDRESS,
      subnet_id: '192.0.2.0/24',
      asn_id: '64999',
      asn_name: 'Example Network 64999',
    });
    const events = await changeEvents(harness);
    expect(events.map(({ change, proxyId, before, after }) => [change, proxyId, before, after])).toEqual([
      ['address', id, before?.ip_address, NEW_ADDRESS],
      ['asn', id, before?.asn_id, '64999'],
      ['city', id, expect.stringMatching(/^20[0-3]$/), before?.city_name === 'Paris' ? '200' : '202'],
    ]);
    expect(events[0]?.at).toBe(Date.parse(START) + HOUR);
    await harness.advance(HOUR);
    expect(await changeEvents(harness)).toEqual(events);
  });

  test('that appears counts at once, and a removed one after two listings without it', async () => {
    const absent = { kind: 'proxy', subject: 5, absent: true } as const;
    await using harness = await buildInventory({ scenario: { changes: [absent] } });
    const id = idOf(5);
    expect(await infoOf(harness, id)).toBeUndefined();
    harness.simulator.changes.clear();
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, appeared: 1 });
    harness.simulator.changes.add(absent);
    await harness.advance(HOUR);
    expect(await infoOf(harness, id)).toBeDefined();
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, appeared: 1, gone: 1 });
    expect(await infoOf(harness, id)).toBeUndefined();
    expect((await changeEvents(harness)).map(({ change, proxyId }) => [change, proxyId])).toEqual([
      ['appeared', id],
      ['gone', id],
    ]);
  });

  test('that is missing from single listings, but never from two in a row, is not removed', async () => {
    await using harness = await buildInventory();
    for (let turn = 0; turn < 3; turn += 1) {
      harness.simulator.changes.add({ kind: 'proxy', subject: 5, absent: true });
      await harness.advance(HOUR);
      harness.simulator.changes.clear();
      await harness.advance(HOUR);
    }
    expect(await changeCounts(harness)).toEqual(NO_CHANGES);
  });

  test('whose port is not a number counts as a skipped item, and as neither removed nor changed', async () => {
    let listed = rows(0, 50);
    const body = () => ({ data: listed, total_count: listed.length });
    await using provider = await startFakeProvider(() => ({ body: body() }));
    await using harness = await buildInventory({ account: { base_url: provider.baseUrl } });
    listed = [...rows(0, 49), row(49, { proxy_http_port: 'http' })];
    for (let turn = 0; turn < 3; turn += 1) await harness.advance(HOUR);
    listed = rows(0, 50);
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual(NO_CHANGES);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_items_skipped_total', { collector: 'inventory' })).toBe(3);
  });
});

describe('a listing', () => {
  const change = (address: string) =>
    ({ kind: 'proxy', subject: 0, set: { proxy_ip_address: address } }) as const;

  test('that is interrupted after its first page changes nothing', async () => {
    let listed = rows(0, 150);
    let isBroken = false;
    await using provider = await startFakeProvider(({ query: { page } }) => {
      if (isBroken && page === '2') return { status: 500, body: {} };
      const from = (Number(page) - 1) * 100;
      return { body: { data: listed.slice(from, from + 100), total_count: listed.length } };
    });
    await using harness = await buildInventory({ account: { base_url: provider.baseUrl } });
    isBroken = true;
    listed = [row(0, { proxy_ip_address: '192.0.2.251' }), ...rows(10, 150), row(500)];
    const before = inventoryLines(await harness.metricsText());
    for (let turn = 0; turn < 3; turn += 1) await harness.advance(HOUR);
    expect(inventoryLines(await harness.metricsText())).toEqual(before);
    isBroken = false;
    // The first listing continues the interrupted one and removes nothing.
    for (let turn = 0; turn < 3; turn += 1) await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, appeared: 1, address: 1, gone: 9 });
  });

  test('whose rows moved counts the changes that it saw and removes nothing, and the next one counts the rest', async () => {
    await using harness = await buildInventory();
    harness.simulator.changes.replace(
      Array.from({ length: 150 }, (_, subject) => ({ ...change('192.0.2.9'), subject })),
    );
    harness.simulator.faults.add({ kind: 'shifted_pages', endpoint: ENDPOINT, by: 30 });
    await harness.advance(HOUR);
    expect(await infoOf(harness, idOf(0))).toMatchObject({ ip_address: '192.0.2.9' });
    expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, address: 120 });
    harness.simulator.faults.clear();
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, address: 150 });
  });

  test('whose rows moved once is not repeated, and counts the changes', async () => {
    await using harness = await buildInventory();
    harness.simulator.changes.add(change('192.0.2.9'));
    harness.simulator.faults.add({ kind: 'shifted_pages', endpoint: ENDPOINT, count: 2 });
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, address: 1 });
    expect((await harness.samples()).value('proxywatch_collector_success', { collector: 'inventory' })).toBe(
      1,
    );
  });

  test('of another customer is refused', async () => {
    await using harness = await buildInventory();
    harness.simulator.changes.add(change('192.0.2.9'));
    harness.simulator.faults.add({ kind: 'set_fields', endpoint: ENDPOINT, fields: { customer_id: 1 } });
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual(NO_CHANGES);
    const error = { collector: 'inventory', kind: 'auth' };
    expect((await harness.samples()).value('proxywatch_collector_error', error)).toBe(1);
  });
});

describe('restarts', () => {
  test('lose no change and count no change twice', async () => {
    await using harness = await buildInventory();
    harness.simulator.changes.add({ kind: 'proxy', subject: 1, absent: true });
    await harness.advance(HOUR);
    await harness.restart();
    harness.simulator.changes.add({ kind: 'proxy', subject: 2, set: { asn_id: 64_777 } });
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, gone: 1, asn: 1 });
    const text = await harness.metricsText();
    await harness.restart();
    expect(inventoryLines(await harness.metricsText())).toEqual(inventoryLines(text));
  });

  test('show a new counter at 0 until a run is stored after the end of its hold', async () => {
    await using harness = await buildInventory({
      firstStepHold: '90m',
      account: { inventory: { schedule: '0 * * * *' } },
    });
    harness.simulator.changes.add({ kind: 'proxy', subject: 2, set: { asn_id: 64_777 } });
    await harness.advance(HOUR);
    expect(await changeCounts(harness)).toEqual(NO_CHANGES);
    await harness.advance(HOUR - 30 * SECOND);
    expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, asn: 1 });
  });
});

const inventoryLines = (text: string): string[] =>
  text.split('\n').filter((line) => /^proxywatch_(inventory|prox)/.test(line));
