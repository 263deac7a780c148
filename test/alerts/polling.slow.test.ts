// Tests when the alerts about polling have findings.

import { describe, expect, it } from 'vitest';
import type { CollectorName } from '../../src/collectors/context.ts';
import { readFreshness } from '../../src/collectors/freshness.ts';
import { createView } from '../../src/daemon/http-view.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { ScenarioInput } from '../../src/simulator/scenario.ts';
import { findingLabels, findingsOf } from '../support/findings.ts';
import { Harness } from '../support/harness.ts';

const START = '2026-07-06T12:01:30Z';

const build = (account: Record<string, unknown> = {}, scenario: ScenarioInput = {}): Promise<Harness> =>
  Harness.build({
    now: START,
    scenario: { start: '2026-07-06T00:00:00Z', users: 5, ...scenario },
    account: {
      traffic: { schedule: '*/5 * * * *', graphs: [], catch_up: '1h' },
      proxy_users: { schedule: '*/5 * * * *' },
      residential_ledger: false,
      reconciliation: false,
      ...account,
    },
  });

const live = async (harness: Harness, ms: number): Promise<void> => {
  for (const end = harness.clock.now() + ms; harness.clock.now() < end; ) await harness.advance(5 * MINUTE);
};

/** The freshness that the page and the API show. */
const freshnessOf = async ({ app, clock }: Harness, collector: CollectorName): Promise<string> => {
  const found = createView({ app, clock, version: '1.2.3' }).account('main');
  return found ? (await readFreshness(found.settings, collector, found.store, clock.now())).state : 'unknown';
};

describe('CollectorFailing', () => {
  it('is found after two failed runs, until a run succeeds', async () => {
    await using harness = await build();
    harness.simulator.faults.add({ kind: 'status', endpoint: 'analytics/graph' });
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([]);
    await live(harness, 5 * MINUTE);
    expect(await findingsOf(harness, 'CollectorFailing')).toEqual([
      { labels: { collector: 'traffic' }, value: 2 },
    ]);
    await harness.restart({ proxy_users: false });
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([{ collector: 'traffic' }]);
    harness.simulator.faults.clear();
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([]);
  });

  it('is not found if the collector or the alert is turned off', async () => {
    await using harness = await build();
    harness.simulator.faults.add({ kind: 'status', endpoint: 'analytics/graph' });
    await live(harness, 10 * MINUTE);
    await harness.restart({ alerts: { CollectorFailing: { enabled: false } } });
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([]);
    await harness.restart({ alerts: {}, traffic: false });
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([]);
  });
});

describe('a run that waits after a 429', () => {
  const found = async (harness: Harness) => ({
    failing: await findingLabels(harness, 'CollectorFailing'),
    stale: (await findingLabels(harness, 'DataStale')).filter(({ collector }) => collector === 'traffic'),
    limited: await findingLabels(harness, 'ProviderRateLimited'),
  });
  const NONE = { failing: [], stale: [], limited: [] };

  it('starts no alert if the provider soon accepts the request', async () => {
    await using harness = await build();
    harness.simulator.faults.add({ kind: 'rate_limit', endpoint: 'analytics/graph', seconds: 2, count: 1 });
    await live(harness, 5 * MINUTE);
    expect(harness.simulator.requests.recent.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(await found(harness)).toEqual(NONE);
  });

  it('counts by the age of the data, and not as a failure', async () => {
    await using harness = await build();
    const { app, clock, simulator } = harness;
    simulator.faults.add({ kind: 'rate_limit', endpoint: 'analytics/graph', seconds: 800 });
    clock.advance(5 * MINUTE);
    app.runner.tick();
    const waiting = () => app.runner.status().filter(({ waitsUntil }) => waitsUntil !== null);
    await expect.poll(waiting).toMatchObject([{ collector: 'traffic' }]);
    expect(await found(harness)).toEqual(NONE);
    clock.advance(11 * MINUTE);
    expect(await found(harness)).toEqual({ ...NONE, stale: [{ collector: 'traffic' }] });
    simulator.faults.clear();
    clock.advance(5 * MINUTE);
    await app.runner.idle();
    expect(waiting()).toEqual([]);
    await live(harness, 5 * MINUTE);
    expect(await found(harness)).toEqual(NONE);
  });
});

describe('DataStale', () => {
  /** Makes listings change all the time, so that no run fails and none succeeds. */
  const moving = { kind: 'set_fields', endpoint: 'proxy_user', fields: { total_count: 1_000 } } as const;

  it('is found three intervals after the last success', async () => {
    await using harness = await build();
    harness.simulator.faults.add(moving);
    await live(harness, 15 * MINUTE);
    expect(await findingLabels(harness, 'DataStale')).toEqual([]);
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'DataStale')).toEqual([{ collector: 'proxy_users' }]);
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([]);
    harness.simulator.faults.clear();
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'DataStale')).toEqual([]);
  });

  it('is found three intervals after the first run if no run ever succeeded', async () => {
    await using harness = await build({ proxy_users: false });
    harness.simulator.faults.add(moving);
    await harness.restart({ proxy_users: { schedule: '*/5 * * * *' } });
    await live(harness, 15 * MINUTE);
    expect(await findingLabels(harness, 'DataStale')).toEqual([]);
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'DataStale')).toEqual([{ collector: 'proxy_users' }]);
    await harness.restart();
    expect(await findingLabels(harness, 'DataStale')).toEqual([{ collector: 'proxy_users' }]);
  });

  it('allows for the time that a listing over several runs takes', async () => {
    await using harness = await build({ traffic: false }, { users: 400 });
    /** In every run one page fails. The next run continues from there, so the listing takes several runs. */
    const listOverRuns = async (): Promise<void> => {
      for (let page = 2; page <= 5; page += 1) {
        const fault = {
          kind: 'status',
          endpoint: 'proxy_user',
          query: `page=${page}&`,
          status: 500,
        } as const;
        harness.simulator.faults.replace(page < 5 ? [fault] : []);
        await live(harness, 5 * MINUTE);
      }
    };
    await listOverRuns();
    const [run] = await harness.app.store.runs.states('main');
    expect(run).toMatchObject({ result: 'ok' });
    expect(run?.wholeListingMs).toBeGreaterThanOrEqual(15 * MINUTE);
    harness.simulator.faults.add(moving);
    await live(harness, 25 * MINUTE);
    expect(await findingLabels(harness, 'DataStale')).toEqual([]);
    expect(await freshnessOf(harness, 'proxy_users')).toBe('current');
    await live(harness, 10 * MINUTE);
    expect(await findingLabels(harness, 'DataStale')).toEqual([{ collector: 'proxy_users' }]);
    expect(await freshnessOf(harness, 'proxy_users')).toBe('stale');
  });

  it('is not found right after a start that follows days without the daemon', async () => {
    await using harness = await build();
    await harness.stop();
    harness.clock.advance(2 * DAY);
    harness.simulator.faults.add({ kind: 'status', status: 500 });
    await harness.start();
    expect(await findingLabels(harness, 'DataStale')).toEqual([]);
    await live(harness, 20 * MINUTE);
    expect(await findingLabels(harness, 'DataStale')).toHaveLength(2);
  });
});

describe('ItemsSkipped', () => {
  /** Applied to one of two pages. */
  const fields = { proxy_user_is_default: 'perhaps' };

  it('is found while the last run that did not fail has skipped items', async () => {
    await using harness = await build({}, { users: 200 });
    expect(await findingLabels(harness, 'ItemsSkipped')).toEqual([]);
    harness.simulator.faults.add({ kind: 'set_fields', endpoint: 'proxy_user', fields, count: 1 });
    await live(harness, 5 * MINUTE);
    expect(await findingsOf(harness, 'ItemsSkipped')).toEqual([
      { labels: { collector: 'proxy_users' }, value: 100 },
    ]);
    harness.simulator.faults.replace([{ kind: 'status' }]);
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'ItemsSkipped')).toEqual([{ collector: 'proxy_users' }]);
    harness.simulator.faults.clear();
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'ItemsSkipped')).toEqual([]);
  });
});

describe('SeriesDropped', () => {
  it('is found with more users than may have series', async () => {
    const limits = { unlimited: 1, zero: 0, near: 0, over: 0 };
    await using harness = await build({}, { limits, deleted_user_ratio: 0 });
    expect(await findingLabels(harness, 'SeriesDropped')).toEqual([]);
    await harness.restart({ proxy_users: { max_series_users: 3 } });
    expect(await findingsOf(harness, 'SeriesDropped')).toEqual([
      { labels: { collector: 'proxy_users' }, value: 2 },
    ]);
  });
});

describe('ProviderKeysRejected', () => {
  it('is found until a request succeeds again, and then no collector counts as failing', async () => {
    await using harness = await build({ proxy_users: { schedule: '0 * * * *' } });
    harness.simulator.faults.add({ kind: 'status', status: 401 });
    await live(harness, 2 * HOUR);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([{}]);
    expect(await findingLabels(harness, 'CollectorFailing')).toContainEqual({ collector: 'proxy_users' });
    await harness.restart();
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([{}]);
    harness.simulator.faults.clear();
    await live(harness, 10 * MINUTE);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([]);
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([]);
  });

  it('is not found if only one endpoint is forbidden', async () => {
    await using harness = await build({ traffic: false, inventory: { schedule: '0 * * * *' } });
    harness.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy/search' });
    await live(harness, HOUR + 5 * MINUTE);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([]);
  });
});

describe('ProviderRateLimited', () => {
  it('is found while 429s keep the pace below half', async () => {
    await using harness = await build();
    expect(await findingLabels(harness, 'ProviderRateLimited')).toEqual([]);
    harness.simulator.faults.add({ kind: 'rate_limit', tell: 'nothing' });
    await harness.advance(5 * MINUTE);
    expect(await findingLabels(harness, 'ProviderRateLimited')).toEqual([{}]);
    harness.simulator.faults.clear();
    await live(harness, 10 * MINUTE);
    expect(await findingLabels(harness, 'ProviderRateLimited')).toEqual([]);
  });
});
