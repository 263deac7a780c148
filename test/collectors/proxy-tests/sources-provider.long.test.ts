// Proxies found through the provider: when they come, change and go, and what a failure leaves standing.

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import type { SeenRequest } from '../../support/fake-provider.ts';
import type { Harness } from '../../support/harness.ts';
import { row, rows, StubFleet, shown } from './sources-support.ts';

const round = (harness: Harness): Promise<void> => harness.advance(10 * MINUTE);
const lastRun = async (harness: Harness) => (await harness.app.store.runs.states('main'))[0];
const ids = (found: readonly Readonly<Record<string, unknown>>[]) => found.map(({ proxy_id }) => proxy_id);

describe.each([
  ['a search', { search: {} }],
  ['a service', { service_id: 'API-1' }],
])('%s', (_, source) => {
  it('finds proxies, and those that come later', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.watch([source]);
    expect(await shown(harness)).toEqual(ids(rows(0, 2)));
    expect(fleet.tested.toSorted()).toEqual(['192.0.2.0:8000:alice:hunter2', '192.0.2.1:8000:alice:hunter2']);
    fleet.rows = rows(0, 3);
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(0, 3)));
  });

  it('forgets a proxy that a whole answer has no more, or has out of use', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 3);
    await using harness = await fleet.watch([source]);
    fleet.rows = [row(0), row(1, { proxy_status: 'pending_deletion' })];
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(0, 1)));
    expect(fleet.tested).toEqual(['192.0.2.0:8000:alice:hunter2']);
  });

  it('keeps all of its proxies when it fails, and tests them still', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.watch([source]);
    fleet.rows = [];
    fleet.instead = ({ method }) => (method === 'GET' ? { status: 503 } : undefined);
    fleet.tested = [];
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(0, 2)));
    expect(fleet.tested).toHaveLength(2);
    expect(await lastRun(harness)).toMatchObject({ result: 'partial', errorKind: 'server' });
  });

  it('keeps a proxy that lacks what a test needs, and counts it', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 3);
    await using harness = await fleet.watch([source]);
    fleet.rows = [row(0), row(1, { proxy_http_port: null }), row(2, { default_proxy_user_password: null })];
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(0, 3)));
    expect(fleet.tested).toHaveLength(3);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_items_skipped_total', { collector: 'proxy_tests' })).toBe(2);
  });

  it('fails for the proxies of another customer', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 1);
    await using harness = await fleet.watch([source]);
    fleet.rows = [row(0), row(1, { customer_id: 42 })];
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(0, 1)));
    expect(await lastRun(harness)).toMatchObject({ result: 'partial', errorKind: 'auth' });
  });

  it('follows a new address and a new password', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 1);
    await using harness = await fleet.watch([source]);
    fleet.rows = [row(0, { proxy_ip_address: '203.0.113.7', default_proxy_user_password: 'hunter3' })];
    await round(harness);
    expect(fleet.tested).toEqual(['203.0.113.7:8000:alice:hunter3']);
    const [info] = (await harness.samples()).all('proxywatch_proxy_info');
    expect(info?.labels).toMatchObject({ proxy_id: 'p0000', ip_address: '203.0.113.7' });
  });
});

describe('a search', () => {
  it('that fails half way keeps what it had, and what the first pages said is not taken for all', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 150);
    await using harness = await fleet.watch([{ search: {} }]);
    fleet.rows = rows(10, 160);
    fleet.instead = ({ query }) => (query.page === '2' ? { status: 503 } : undefined);
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(0, 150)));
    fleet.instead = () => undefined;
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(10, 160)));
  });

  it('whose rows moved while they were read takes what is new and forgets nothing', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 3);
    await using harness = await fleet.watch([{ search: {} }]);
    fleet.instead = ({ path }) =>
      path.includes('proxy/search') ? { body: { data: [row(2), row(3)], total_count: 5 } } : undefined;
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(0, 4)));
    fleet.rows = rows(2, 4);
    fleet.instead = () => undefined;
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(2, 4)));
  });

  it('that answers with nothing at all is believed when the next round says so too', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.watch([{ search: {} }]);
    fleet.rows = [];
    await round(harness);
    expect(await shown(harness)).toHaveLength(2);
    fleet.rows = rows(0, 2);
    await round(harness);
    fleet.rows = [];
    await round(harness);
    expect(await shown(harness)).toHaveLength(2);
    await round(harness);
    expect(await shown(harness)).toEqual([]);
  });

  it('compares the fields itself', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = [row(0), row(1, { country_id: 'de' })];
    await using harness = await fleet.watch([{ search: { country_id: 'de' } }]);
    expect(await shown(harness)).toEqual(['p0001']);
  });

  it('leaves out proxies that are not in use unless it asks for a status', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = [row(0, { proxy_status: 'waiting' }), row(1, { proxy_status: 'brand_new' }), row(2)];
    await using harness = await fleet.watch([{ search: {} }]);
    expect(await shown(harness)).toEqual(['p0001', 'p0002']);
    await using other = await fleet.watch([{ search: { proxy_status: 'waiting' } }]);
    expect(await shown(other)).toEqual(['p0000']);
  });
});

describe('a service', () => {
  it('that is active with none of its proxies in the answer has lost none', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.watch([{ service_id: 'API-1' }]);
    fleet.rows = [];
    await round(harness);
    expect(await shown(harness)).toHaveLength(2);
    fleet.service = { ...fleet.service, service_status: 'canceled' };
    await round(harness);
    expect(await shown(harness)).toEqual([]);
  });

  it('that lists fewer than were bought has lost the others when the next round says so too', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.watch([{ service_id: 'API-1' }]);
    fleet.rows = rows(0, 1);
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(0, 2)));
    await round(harness);
    expect(await shown(harness)).toEqual(ids(rows(0, 1)));
  });

  it('whose proxy is replaced by another has the new one tested and the old one gone', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    await using harness = await fleet.watch([{ service_id: 'API-1' }]);
    fleet.rows = [row(0), row(7)];
    await round(harness);
    expect(await shown(harness)).toEqual(['p0000', 'p0007']);
    expect(fleet.tested.toSorted()).toEqual(['192.0.2.0:8000:alice:hunter2', '192.0.2.7:8000:alice:hunter2']);
    const results = (await harness.samples()).by('proxy_id', 'proxywatch_proxy_test_results_total');
    expect(results).toEqual({ p0000: 2, p0007: 1 });
  });

  it('that is unknown fails alone', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 1);
    fleet.instead = ({ path }) => (path.endsWith('/API-2') ? { status: 404 } : undefined);
    await using harness = await fleet.watch([{ service_id: 'API-2' }, { service_id: 'API-1' }]);
    expect(await shown(harness)).toEqual(['p0000']);
    expect(await lastRun(harness)).toMatchObject({ result: 'partial', errorKind: 'not_found' });
  });
});

describe('a proxy user', () => {
  const answering =
    (user: Readonly<Record<string, unknown>>) =>
    ({ path }: SeenRequest) =>
      path.includes('proxy_user') ? { body: { data: [user], total_count: 1 } } : undefined;
  const BOB = { proxy_user_id: 'bob', proxy_user_password: 'hunter4' };

  it('is who the proxies of its sources are tested as, its password read anew with them', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = [row(0, { default_proxy_user_username: null, default_proxy_user_password: null })];
    fleet.instead = answering(BOB);
    await using harness = await fleet.watch([
      { service_id: 'API-1', proxy_user_id: 'bob' },
      { search: { proxy_type: 'isp' }, proxy_user_id: 'bob', protocol: 'socks5' },
    ]);
    expect(fleet.tested).toEqual(['192.0.2.0:8000:bob:hunter4']);
    fleet.instead = answering({ ...BOB, proxy_user_password: 'hunter5' });
    await round(harness);
    expect(fleet.tested).toEqual(['192.0.2.0:8000:bob:hunter5']);
    const [info] = (await harness.samples()).all('proxywatch_proxy_info');
    expect(info?.labels).toMatchObject({ proxy_id: 'p0000', protocol: 'http' });
  });

  it.each([
    ['is not there', { proxy_user_id: 'rob', proxy_user_password: 'hunter4' }],
    ['has no password', { proxy_user_id: 'bob', proxy_user_password: null }],
    ['is deleted', { ...BOB, proxy_user_is_deleted: true }],
  ])('that %s fails its source, which keeps its list', async (_, user) => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 2);
    fleet.instead = answering(BOB);
    await using harness = await fleet.watch([{ service_id: 'API-1', proxy_user_id: 'bob' }]);
    fleet.instead = answering(user);
    await round(harness);
    expect(await lastRun(harness)).toMatchObject({ result: 'partial', errorKind: 'not_found' });
    expect(fleet.tested.toSorted()).toEqual(['192.0.2.0:8000:bob:hunter4', '192.0.2.1:8000:bob:hunter4']);
  });
});

describe('proxies of several sources', () => {
  it('are tested with the password that comes first', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 1);
    const mine = { proxy_id: 'p0000', proxy: '192.0.2.0:8000:alice:hunter9' };
    await using _house = await fleet.watch([{ service_id: 'API-1' }, mine]);
    expect(fleet.tested).toEqual(['192.0.2.0:8000:alice:hunter9']);
  });

  it('are tested once, under what is written by hand first, with what the provider says of them', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 3);
    await using harness = await fleet.watch([
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
    expect(fleet.tested.toSorted()).toEqual([
      '192.0.2.1:9000:alice:hunter2',
      '192.0.2.200:8080:bob:hunter2',
      'socks5://alice:hunter2@192.0.2.2:9000',
    ]);
  });
});
