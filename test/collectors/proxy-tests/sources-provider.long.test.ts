// Tests proxies found through the provider: how they appear, change and are removed, and what is kept after a failure.

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import type { ReceivedRequest, Reply } from '../../support/fake-provider.ts';
import type { Harness } from '../../support/harness.ts';
import { row, rows, StubFleet, shownProxyIds } from './sources-support.ts';

const round = (harness: Harness): Promise<void> => harness.advance(10 * MINUTE);
const lastRun = async (harness: Harness) => (await harness.app.store.runs.states('main'))[0];
const ids = (found: readonly Readonly<Record<string, unknown>>[]) => found.map(({ proxy_id }) => proxy_id);

describe.each([
  ['a search', { search: {} }],
  ['a service', { service_id: 'API-1' }],
])('%s', (_, source) => {
  it('finds proxies, also those that are added later', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.buildHarness([source]);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 2)));
    expect(fleet.testedLines.toSorted()).toEqual([
      '192.0.2.0:8000:alice:hunter2',
      '192.0.2.1:8000:alice:hunter2',
    ]);
    fleet.rows = rows(0, 3);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 3)));
  });

  it('removes a proxy that is missing from a complete answer, or no longer in use', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 3);
    await using harness = await fleet.buildHarness([source]);
    fleet.rows = [row(0), row(1, { proxy_status: 'pending_deletion' })];
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 1)));
    expect(fleet.testedLines).toEqual(['192.0.2.0:8000:alice:hunter2']);
  });

  it('keeps all of its proxies when it fails, and still tests them', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.buildHarness([source]);
    fleet.rows = [];
    fleet.override = ({ method }) => (method === 'GET' ? { status: 503 } : undefined);
    fleet.testedLines = [];
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 2)));
    expect(fleet.testedLines).toHaveLength(2);
    expect(await lastRun(harness)).toMatchObject({ result: 'partial', errorKind: 'server' });
  });

  it('keeps a proxy that lacks a value that a test needs, and counts it as skipped', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 3);
    await using harness = await fleet.buildHarness([source]);
    fleet.rows = [row(0), row(1, { proxy_http_port: null }), row(2, { default_proxy_user_password: null })];
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 3)));
    expect(fleet.testedLines).toHaveLength(3);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_items_skipped_total', { collector: 'proxy_tests' })).toBe(2);
  });

  it('fails if it returns proxies of another customer', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 1);
    await using harness = await fleet.buildHarness([source]);
    fleet.rows = [row(0), row(1, { customer_id: 42 })];
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 1)));
    expect(await lastRun(harness)).toMatchObject({ result: 'partial', errorKind: 'auth' });
  });

  it('follows a new address and a new password', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 1);
    await using harness = await fleet.buildHarness([source]);
    fleet.rows = [row(0, { proxy_ip_address: '203.0.113.7', default_proxy_user_password: 'hunter3' })];
    await round(harness);
    expect(fleet.testedLines).toEqual(['203.0.113.7:8000:alice:hunter3']);
    const [info] = (await harness.samples()).all('proxywatch_proxy_info');
    expect(info?.labels).toMatchObject({ proxy_id: 'p0000', ip_address: '203.0.113.7' });
  });
});

describe('a search', () => {
  it('that fails half way keeps its list, and does not take the first pages for the whole list', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 150);
    await using harness = await fleet.buildHarness([{ search: {} }]);
    fleet.rows = rows(10, 160);
    fleet.override = ({ query }) => (query.page === '2' ? { status: 503 } : undefined);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 150)));
    fleet.override = () => undefined;
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(10, 160)));
  });

  it('whose rows moved while they were read adds new proxies and removes none', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 3);
    await using harness = await fleet.buildHarness([{ search: {} }]);
    fleet.override = ({ path }) =>
      path.includes('proxy/search') ? { body: { data: [row(2), row(3)], total_count: 5 } } : undefined;
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 4)));
    fleet.rows = rows(2, 4);
    fleet.override = () => undefined;
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(2, 4)));
  });

  it('that returns no proxies loses its list when the next round returns none either', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.buildHarness([{ search: {} }]);
    fleet.rows = [];
    await round(harness);
    expect(await shownProxyIds(harness)).toHaveLength(2);
    fleet.rows = rows(0, 2);
    await round(harness);
    fleet.rows = [];
    await round(harness);
    expect(await shownProxyIds(harness)).toHaveLength(2);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual([]);
  });

  it('compares the fields itself', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = [row(0), row(1, { country_id: 'de' })];
    await using harness = await fleet.buildHarness([{ search: { country_id: 'de' } }]);
    expect(await shownProxyIds(harness)).toEqual(['p0001']);
  });

  it('leaves out proxies that are not in use unless it asks for a status', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = [row(0, { proxy_status: 'waiting' }), row(1, { proxy_status: 'brand_new' }), row(2)];
    await using harness = await fleet.buildHarness([{ search: {} }]);
    expect(await shownProxyIds(harness)).toEqual(['p0001', 'p0002']);
    await using other = await fleet.buildHarness([{ search: { proxy_status: 'waiting' } }]);
    expect(await shownProxyIds(other)).toEqual(['p0000']);
  });
});

describe('a service', () => {
  it('that is active keeps its proxies if the answer contains none', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.buildHarness([{ service_id: 'API-1' }]);
    fleet.rows = [];
    await round(harness);
    expect(await shownProxyIds(harness)).toHaveLength(2);
    fleet.service = { ...fleet.service, service_status: 'canceled' };
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual([]);
  });

  it('that lists fewer proxies than were bought loses the others when the next round lists no more', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.buildHarness([{ service_id: 'API-1' }]);
    fleet.rows = rows(0, 1);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 2)));
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(ids(rows(0, 1)));
  });

  it('whose proxy is replaced has the new one tested and the old one removed', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.buildHarness([{ service_id: 'API-1' }]);
    fleet.rows = [row(0), row(7)];
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['p0000', 'p0007']);
    expect(fleet.testedLines.toSorted()).toEqual([
      '192.0.2.0:8000:alice:hunter2',
      '192.0.2.7:8000:alice:hunter2',
    ]);
    const results = (await harness.samples()).by('proxy_id', 'proxywatch_proxy_test_results_total');
    expect(results).toEqual({ p0000: 2, p0007: 1 });
  });

  it('that is unknown fails alone', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 1);
    fleet.override = ({ path }) => (path.endsWith('/API-2') ? { status: 404 } : undefined);
    await using harness = await fleet.buildHarness([{ service_id: 'API-2' }, { service_id: 'API-1' }]);
    expect(await shownProxyIds(harness)).toEqual(['p0000']);
    expect(await lastRun(harness)).toMatchObject({ result: 'partial', errorKind: 'not_found' });
  });
});

describe('a proxy user', () => {
  const answering =
    (user: Readonly<Record<string, unknown>>) =>
    ({ path }: ReceivedRequest) =>
      path.includes('proxy_user') ? { body: { data: [user], total_count: 1 } } : undefined;
  const BOB = { proxy_user_id: 'bob', proxy_user_password: 'hunter4' };

  it('is the user of the tests of its sources, and its password is read again with them', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = [row(0, { default_proxy_user_username: null, default_proxy_user_password: null })];
    fleet.override = answering(BOB);
    await using harness = await fleet.buildHarness([
      { service_id: 'API-1', proxy_user_id: 'bob' },
      { search: { proxy_type: 'isp' }, proxy_user_id: 'bob', protocol: 'socks5' },
    ]);
    expect(fleet.testedLines).toEqual(['192.0.2.0:8000:bob:hunter4']);
    fleet.override = answering({ ...BOB, proxy_user_password: 'hunter5' });
    await round(harness);
    expect(fleet.testedLines).toEqual(['192.0.2.0:8000:bob:hunter5']);
    const [info] = (await harness.samples()).all('proxywatch_proxy_info');
    expect(info?.labels).toMatchObject({ proxy_id: 'p0000', protocol: 'http' });
  });

  it.each([
    ['does not exist', { proxy_user_id: 'rob', proxy_user_password: 'hunter4' }],
    ['has no password', { proxy_user_id: 'bob', proxy_user_password: null }],
    ['is deleted', { ...BOB, proxy_user_is_deleted: true }],
  ])('that %s fails its source, which keeps its list', async (_, user) => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    fleet.override = answering(BOB);
    await using harness = await fleet.buildHarness([{ service_id: 'API-1', proxy_user_id: 'bob' }]);
    fleet.override = answering(user);
    await round(harness);
    expect(await lastRun(harness)).toMatchObject({ result: 'partial', errorKind: 'not_found' });
    expect(fleet.testedLines.toSorted()).toEqual([
      '192.0.2.0:8000:bob:hunter4',
      '192.0.2.1:8000:bob:hunter4',
    ]);
  });
});

describe('proxies of several sources', () => {
  it('are tested with the password of the first entry', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 1);
    const mine = { proxy_id: 'p0000', proxy: '192.0.2.0:8000:alice:hunter9' };
    await using _harness = await fleet.buildHarness([{ service_id: 'API-1' }, mine]);
    expect(fleet.testedLines).toEqual(['192.0.2.0:8000:alice:hunter9']);
  });

  it('are tested once, under the name in the configuration, with the facts from the provider', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 3);
    await using harness = await fleet.buildHarness([
      { search: {}, protocol: 'socks5' },
      { service_id: 'API-1' },
      { name: 'mine', proxy_id: 'p0000', proxy: '192.0.2.200:8080:bob:hunter2' },
      { name: 'gate', proxy: '192.0.2.1:9000:alice:hunter2' },
    ]);
    const infos = (await harness.samples()).all('proxywatch_proxy_info').map(({ labels }) => labels);
    expect(infos).toMatchObject([
      { proxy_id: 'p0000', name: 'mine', protocol: 'http', ip_address: '192.0.2.0', country_id: 'fr' },
      { proxy_id: 'gate', name: 'gate', protocol: 'http', ip_address: '192.0.2.1', product_type: 'isp' },
      { proxy_id: 'p0002', name: '', protocol: 'socks5', ip_address: '192.0.2.2' },
    ]);
    expect(fleet.testedLines.toSorted()).toEqual([
      '192.0.2.1:9000:alice:hunter2',
      '192.0.2.200:8080:bob:hunter2',
      'socks5://alice:hunter2@192.0.2.2:9000',
    ]);
  });
});

describe('a service that fails', () => {
  const REFUSALS: readonly [string, Reply][] = [
    ['403', { status: 403, body: { message: 'Forbidden.' } }],
    ['500', { status: 500, body: { message: 'Failed.' } }],
    ['429', { status: 429, body: { message: 'Please try again in 45 seconds.' } }],
  ];

  it.each(REFUSALS)('with %s stops neither a search after it nor the tests', async (_, refusal) => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    fleet.override = ({ path }) => (path.includes('service/retrieve') ? refusal : undefined);
    await using harness = await fleet.buildHarness([{ service_id: 'API-1' }, { search: {} }]);
    await round(harness);
    expect(fleet.testedLines).toHaveLength(2);
    // Its own proxies are not known, so the run is partial.
    expect(await lastRun(harness)).toMatchObject({ result: 'partial' });
  });
});
