// Tests the status as a page and as JSON.

import { describe, expect, it } from 'vitest';
import type { DaemonView } from '../../src/http/daemon-view.ts';
import type { AccountStatus, CollectorStatus } from '../../src/http/status-view.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { collectorStatus, NO_MAINTENANCE, NOW, startServer } from './support.ts';

const HOSTILE = `<script>alert(1)</script><img src=x onerror='a'>" onload="x`;

const withCollector = (
  collector: Partial<CollectorStatus>,
  account: Partial<AccountStatus> = {},
): Partial<DaemonView> => ({
  status: async () => ({
    version: '1.2.3',
    startedAt: NOW - 49 * HOUR,
    maintenance: NO_MAINTENANCE,
    remoteWrite: [],
    accounts: [
      {
        name: 'main',
        customerId: 4711,
        timeZone: 'Asia/Tokyo',
        currency: 'EUR',
        collectors: [collectorStatus(collector)],
        ...account,
      },
    ],
  }),
});

const pageOf = async (view: Partial<DaemonView>): Promise<string> => {
  await using server = await startServer(view);
  return (await fetch(server.url)).text();
};

/** Returns the text that a reader sees, with single spaces. */
const textOf = (page: string): string =>
  page
    .replace(/<head>.*<\/head>/s, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('the status page', () => {
  it('shows the state of every collector', async () => {
    const text = textOf(await pageOf(withCollector({ nextRunAt: NOW + 30 * SECOND })));
    expect(text).toContain('proxywatch main 4711 1.2.3, started 2 d ago , as of 2026-03-01 12:00:00 UTC');
    expect(text).toContain('Collectors of the account main Collector State Last run');
    expect(text).toContain('traffic ✓ OK 30 s ago took 1.5 s 30 s ago in 30 s every 60 s none');
    expect(text).toContain('Metrics Status as JSON API Readiness');
  });

  it.each<[string, Partial<CollectorStatus>, string]>([
    [
      'not run yet',
      { result: null, lastAttemptAt: null, lastSuccessAt: null },
      '– Not run yet never never in',
    ],
    [
      'failed in part',
      { result: 'partial', lastSuccessAt: NOW - HOUR },
      '! Failed in part 30 s ago took 1.5 s 60 min ago',
    ],
    ['without data', { dataState: 'no_data', dataAsOf: null }, '– No data yet 30 s ago'],
    ['stale', { dataState: 'stale', dataAsOf: NOW - 9 * HOUR }, '! Stale 30 s ago'],
    ['failed', { result: 'failed', failuresInARow: 1 }, '✕ Failed 30 s ago'],
    ['failing', { result: 'failed', failuresInARow: 7 }, '✕ Failed 7 times in a row 30 s ago'],
    ['in error', { error: { kind: 'auth', message: 'the keys' } }, 'every 60 s auth the keys'],
    ['due', { nextRunAt: NOW }, 'ago due every'],
    [
      'running',
      { runningSince: NOW - 9 * SECOND, progress: { done: 1_200, total: 100_000, unit: 'users' } },
      'Running for 9 s 1,200 of 100,000 users',
    ],
    [
      'far',
      { runningSince: NOW, progress: { done: 1_200, total: undefined, unit: 'rows' } },
      'Running for 0 s 1,200 rows',
    ],
    ['ahead of a clock that was set back', { lastSuccessAt: NOW + HOUR }, 'took 1.5 s 0 s ago'],
  ])('shows that a collector is %s', async (_, collector, text) => {
    expect(textOf(await pageOf(withCollector(collector)))).toContain(text);
  });

  it('shows the progress of the store’s maintenance', async () => {
    const status = await withCollector({}).status?.();
    if (!status) throw new Error('a view has a status');
    const progress = { done: 12_000, total: 40_000, unit: 'pages' };
    const maintenance = { nextAt: NOW, runningSince: NOW - 15 * SECOND, progress };
    const page = await pageOf({ status: async () => ({ ...status, maintenance }) });
    expect(textOf(page)).toContain(
      'Maintenance of the store has been running for 15 s. 12,000 of 40,000 pages',
    );
  });

  it('shows why the daemon is not ready', async () => {
    const page = await pageOf({ notReadyReasons: async () => ['no store', 'no first pass'] });
    expect(page).toContain('<title>proxywatch: no account (not ready)</title>');
    expect(textOf(page)).toContain('✕ Not ready no store no first pass');
  });

  it('names the currency of the account, and says where the default comes from', async () => {
    expect(textOf(await pageOf(withCollector({})))).toContain('bytes. Money is in EUR.');
    expect(textOf(await pageOf(withCollector({}, { currency: 'USD' })))).toContain(
      'Money is in USD, the currency of the provider’s examples.',
    );
  });

  it('shows the account that the address names, or else the first one', async () => {
    const accounts = ['main', 'shop & co'].map((name) => ({
      name,
      customerId: null,
      timeZone: 'UTC',
      currency: 'USD',
      collectors: [],
    }));
    await using server = await startServer({
      status: async () => ({
        version: '1.2.3',
        startedAt: NOW,
        maintenance: NO_MAINTENANCE,
        remoteWrite: [],
        accounts,
      }),
    });
    const titleOf = async (query: string) =>
      /<title>(.*)<\/title>/.exec(await (await fetch(server.url + query)).text())?.[1];
    expect(await titleOf('/?account=shop%20%26%20co')).toBe('proxywatch: shop &amp; co');
    expect(await titleOf('/')).toBe('proxywatch: main');
    expect(await titleOf('/?account=main&account=main')).toBe('proxywatch: main');
  });

  it('never shows another account than the address names', async () => {
    await using server = await startServer(withCollector({}));
    const response = await fetch(`${server.url}/?account=removed&view=user&id=alice`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: 'account: "removed" is not known; expected one of main, shop',
    });
  });

  it.each(['?account=%3Cb%3E', '?view=%3Cb%3E'])(
    'leads a browser back from the unknown address %s',
    async (query) => {
      await using server = await startServer(withCollector({}));
      const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
      const response = await fetch(`${server.url}/${query}`, { headers });
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toContain('text/html');
      const page = await response.text();
      expect(page).toContain('<a href="./">Back to the overview</a>');
      expect(textOf(page)).toMatch(/Not found (account|view): .*&lt;b&gt;/);
      expect(page).not.toContain('<b>');
    },
  );

  const shards = {
    ...{ index: 1, count: 3 },
    urls: ['https://a.example.com/', 'https://b.example.com/', 'https://c.example.com/x?y=1&z=2'],
    owners: [
      { account: 'main', shard: 1, isPinned: false },
      { account: 'shop & co', shard: 2, isPinned: true },
    ],
  };
  const ofShards = (more: Partial<DaemonView> = {}): Partial<DaemonView> => ({
    ...withCollector({}),
    accounts: () => ['main'],
    shards: () => shards,
    ...more,
  });

  it('links to the other shards, and names their accounts', async () => {
    const page = await pageOf(ofShards());
    const [nav = ''] = /<nav aria-label="Shards".*?<\/nav>/s.exec(page) ?? [];
    expect(textOf(nav)).toBe('Shard 0 Shard 1 Shard 2');
    expect(nav).toContain('<a href="https://c.example.com/x?y=1&amp;z=2" title="shop &amp; co">Shard 2</a>');
    expect(nav).toContain('<a href="./" aria-current="true" title="main">Shard 1</a>');
    expect(nav).toContain('title="no accounts">Shard 0</a>');
    expect(await pageOf(withCollector({}))).not.toContain('aria-label="Shards"');
  });

  it('shows only its own shard if the addresses of the others are not configured', async () => {
    const page = await pageOf(ofShards({ shards: () => ({ ...shards, urls: [] }) }));
    const [nav = ''] = /<nav aria-label="Shards".*?<\/nav>/s.exec(page) ?? [];
    expect(textOf(nav)).toBe('Shard 1');
  });

  it('says that a shard has no accounts', async () => {
    const status = await withCollector({}).status?.();
    if (!status) throw new Error('a view has a status');
    const page = await pageOf(
      ofShards({ accounts: () => [], status: async () => ({ ...status, accounts: [] }) }),
    );
    expect(textOf(page)).toContain('This shard has no accounts.');
  });

  it('sends a browser to the shard of the account, with the view that it asks for', async () => {
    await using server = await startServer(ofShards());
    const { status, headers } = await fetch(`${server.url}/?account=shop+%26%20co&view=user&id=a%2Fb%26c`, {
      redirect: 'manual',
    });
    expect(status).toBe(302);
    expect(headers.get('location')).toBe(
      'https://c.example.com/x?y=1&z=2&account=shop+%26+co&view=user&id=a%2Fb%26c',
    );
  });

  it('escapes all values', async () => {
    const collector = { name: HOSTILE, error: { kind: HOSTILE, message: HOSTILE } };
    const running = { runningSince: NOW, progress: { done: 1, total: 2, unit: HOSTILE } };
    const plain = await pageOf({
      ...withCollector({
        name: 'x',
        error: { kind: 'x', message: 'x' },
        runningSince: NOW,
        progress: { done: 1, total: 2, unit: 'x' },
      }),
      notReadyReasons: async () => ['x'],
    });
    const hostile = await pageOf({
      ...withCollector({ ...collector, ...running }, { name: HOSTILE }),
      notReadyReasons: async () => [HOSTILE],
    });
    const tagsOf = (page: string): string[] => page.match(/<\/?\w+/g) ?? [];
    expect(tagsOf(hostile)).toEqual(tagsOf(plain));
    expect(hostile.match(/ on\w+="/g)).toBeNull();
  });
});

describe('GET /api/v1/status', () => {
  const jsonOf = async (view: Partial<DaemonView>): Promise<unknown> => {
    await using server = await startServer(view);
    return (await fetch(`${server.url}/api/v1/status`)).json();
  };

  it('returns times as RFC 3339 and durations in seconds', async () => {
    const collector: Partial<CollectorStatus> = {
      result: 'failed',
      error: { kind: 'auth', message: 'the keys' },
      failuresInARow: 2,
      runningSince: NOW,
      progress: { done: 1, total: 2, unit: 'users' },
      waitsUntil: NOW + 5 * MINUTE,
    };
    expect(await jsonOf(withCollector(collector))).toEqual({
      alerts_evaluated: false,
      alerts_evaluated_at: null,
      alerts_firing: null,
      alerts_silenced: null,
      alerts_pending: null,
      daemon_alerts: { firing: null, silenced: null, pending: null, worst_severity: null },
      alerts: [],
      version: '1.2.3',
      started_at: '2026-02-27T11:00:00.000Z',
      ready: true,
      not_ready_reasons: [],
      maintenance: { next_run_at: '2026-03-01T13:00:00.000Z', running_since: null, progress: null },
      remote_write: [],
      shards: { shard: 0, shards: 1, urls: [], accounts: [] },
      accounts: [
        {
          name: 'main',
          customer_id: 4711,
          time_zone: 'Asia/Tokyo',
          currency: 'EUR',
          alerts: { firing: null, silenced: null, pending: null, worst_severity: null },
          collectors: [
            {
              name: 'traffic',
              data_state: 'current',
              data_as_of: '2026-03-01T11:59:30.000Z',
              result: 'failed',
              last_attempt_at: '2026-03-01T11:59:30.000Z',
              last_duration_seconds: 1.5,
              last_success_at: '2026-03-01T11:59:30.000Z',
              error: { kind: 'auth', message: 'the keys' },
              failures_in_a_row: 2,
              interval_seconds: 60,
              next_run_at: '2026-03-01T12:00:30.000Z',
              running_since: '2026-03-01T12:00:00.000Z',
              progress: { done: 1, total: 2, unit: 'users' },
              waits_until: '2026-03-01T12:05:00.000Z',
            },
          ],
        },
      ],
    });
  });

  it('returns null for unknown values', async () => {
    const unknown = { result: null, lastAttemptAt: null, lastSuccessAt: null };
    const progress = { done: 1, total: undefined, unit: 'rows' };
    expect(await jsonOf(withCollector({ ...unknown, progress }, { customerId: null }))).toMatchObject({
      accounts: [
        {
          customer_id: null,
          collectors: [
            {
              result: null,
              last_attempt_at: null,
              last_success_at: null,
              error: null,
              running_since: null,
              progress: { done: 1, total: null, unit: 'rows' },
              waits_until: null,
            },
          ],
        },
      ],
    });
  });

  it('shows why the daemon is not ready', async () => {
    const json = await jsonOf({ notReadyReasons: async () => ['no store'] });
    expect(json).toMatchObject({ ready: false, not_ready_reasons: ['no store'] });
  });
});
