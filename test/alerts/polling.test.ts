// When alerts about polling find something in a daemon, and when not.

import { describe, expect, it } from 'vitest';
import type { CollectorName } from '../../src/collectors/context.ts';
import { readFreshness } from '../../src/collectors/freshness.ts';
import { createView } from '../../src/daemon/http-view.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { ScenarioInput } from '../../src/simulator/scenario.ts';
import { findingsOf, foundBy } from '../support/findings.ts';
import { House } from '../support/house.ts';

const START = '2026-07-06T12:01:30Z';

const build = (account: Record<string, unknown> = {}, scenario: ScenarioInput = {}): Promise<House> =>
  House.build({
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

const live = async (house: House, ms: number): Promise<void> => {
  for (const end = house.clock.now() + ms; house.clock.now() < end; ) await house.advance(5 * MINUTE);
};

/** As the page and the API say it. */
const freshnessOf = async ({ app, clock }: House, collector: CollectorName): Promise<string> => {
  const found = createView({ app, clock, version: '1.2.3' }).account('main');
  return found ? (await readFreshness(found.settings, collector, found.store, clock.now())).state : 'unknown';
};

describe('CollectorFailing', () => {
  it('is found after two failed runs, until one goes well', async () => {
    await using house = await build();
    house.simulator.faults.add({ kind: 'status', endpoint: 'analytics/graph' });
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'CollectorFailing')).toEqual([]);
    await live(house, 5 * MINUTE);
    expect(await findingsOf(house, 'CollectorFailing')).toEqual([
      { labels: { collector: 'traffic' }, value: 2 },
    ]);
    await house.restart({ proxy_users: false });
    expect(await foundBy(house, 'CollectorFailing')).toEqual([{ collector: 'traffic' }]);
    house.simulator.faults.clear();
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'CollectorFailing')).toEqual([]);
  });

  it('is not found of a collector that was turned off, nor where the alert is', async () => {
    await using house = await build();
    house.simulator.faults.add({ kind: 'status', endpoint: 'analytics/graph' });
    await live(house, 10 * MINUTE);
    await house.restart({ alerts: { CollectorFailing: { enabled: false } } });
    expect(await foundBy(house, 'CollectorFailing')).toEqual([]);
    await house.restart({ alerts: {}, traffic: false });
    expect(await foundBy(house, 'CollectorFailing')).toEqual([]);
  });
});

describe('DataStale', () => {
  /** Listings that never hold still: no run fails, and none succeeds. */
  const moving = { kind: 'set_fields', endpoint: 'proxy_user', fields: { total_count: 1_000 } } as const;

  it('is found three intervals after the last success', async () => {
    await using house = await build();
    house.simulator.faults.add(moving);
    await live(house, 15 * MINUTE);
    expect(await foundBy(house, 'DataStale')).toEqual([]);
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'DataStale')).toEqual([{ collector: 'proxy_users' }]);
    expect(await foundBy(house, 'CollectorFailing')).toEqual([]);
    house.simulator.faults.clear();
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'DataStale')).toEqual([]);
  });

  it('is found of what never succeeded, three intervals after the first run', async () => {
    await using house = await build({ proxy_users: false });
    house.simulator.faults.add(moving);
    await house.restart({ proxy_users: { schedule: '*/5 * * * *' } });
    await live(house, 15 * MINUTE);
    expect(await foundBy(house, 'DataStale')).toEqual([]);
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'DataStale')).toEqual([{ collector: 'proxy_users' }]);
    await house.restart();
    expect(await foundBy(house, 'DataStale')).toEqual([{ collector: 'proxy_users' }]);
  });

  it('allows for the time that a listing over several runs takes', async () => {
    await using house = await build({ traffic: false }, { users: 400 });
    /** Of every run the third page and those behind it fail, until the next run goes on from there. */
    const listOverRuns = async (): Promise<void> => {
      for (let page = 2; page <= 5; page += 1) {
        const fault = {
          kind: 'status',
          endpoint: 'proxy_user',
          query: `page=${page}&`,
          status: 500,
        } as const;
        house.simulator.faults.replace(page < 5 ? [fault] : []);
        await live(house, 5 * MINUTE);
      }
    };
    await listOverRuns();
    const [run] = await house.app.store.runs.states('main');
    expect(run).toMatchObject({ result: 'ok' });
    expect(run?.passMs).toBeGreaterThanOrEqual(15 * MINUTE);
    house.simulator.faults.add(moving);
    await live(house, 25 * MINUTE);
    expect(await foundBy(house, 'DataStale')).toEqual([]);
    expect(await freshnessOf(house, 'proxy_users')).toBe('current');
    await live(house, 10 * MINUTE);
    expect(await foundBy(house, 'DataStale')).toEqual([{ collector: 'proxy_users' }]);
    expect(await freshnessOf(house, 'proxy_users')).toBe('stale');
  });

  it('is not found at a start after days, until that was long ago', async () => {
    await using house = await build();
    await house.stop();
    house.clock.advance(2 * DAY);
    house.simulator.faults.add({ kind: 'status', status: 500 });
    await house.start();
    expect(await foundBy(house, 'DataStale')).toEqual([]);
    await live(house, 20 * MINUTE);
    expect(await foundBy(house, 'DataStale')).toHaveLength(2);
  });
});

describe('ItemsSkipped', () => {
  /** One page of two. */
  const fields = { proxy_user_is_default: 'perhaps' };

  it('is found while the last run that did not fail left items out', async () => {
    await using house = await build({}, { users: 200 });
    expect(await foundBy(house, 'ItemsSkipped')).toEqual([]);
    house.simulator.faults.add({ kind: 'set_fields', endpoint: 'proxy_user', fields, count: 1 });
    await live(house, 5 * MINUTE);
    expect(await findingsOf(house, 'ItemsSkipped')).toEqual([
      { labels: { collector: 'proxy_users' }, value: 100 },
    ]);
    house.simulator.faults.replace([{ kind: 'status' }]);
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'ItemsSkipped')).toEqual([{ collector: 'proxy_users' }]);
    house.simulator.faults.clear();
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'ItemsSkipped')).toEqual([]);
  });
});

describe('SeriesDropped', () => {
  it('is found with more users than may have series', async () => {
    const limits = { unlimited: 1, zero: 0, near: 0, over: 0 };
    await using house = await build({}, { limits, deleted_user_ratio: 0 });
    expect(await foundBy(house, 'SeriesDropped')).toEqual([]);
    await house.restart({ proxy_users: { max_series_users: 3 } });
    expect(await findingsOf(house, 'SeriesDropped')).toEqual([
      { labels: { collector: 'proxy_users' }, value: 2 },
    ]);
  });
});

describe('ProviderKeysRejected', () => {
  it('is found until a collector is let in again, and then nothing that failed for it', async () => {
    await using house = await build({ proxy_users: { schedule: '0 * * * *' } });
    house.simulator.faults.add({ kind: 'status', status: 401 });
    await live(house, 2 * HOUR);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([{}]);
    expect(await foundBy(house, 'CollectorFailing')).toContainEqual({ collector: 'proxy_users' });
    await house.restart();
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([{}]);
    house.simulator.faults.clear();
    await live(house, 10 * MINUTE);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([]);
    expect(await foundBy(house, 'CollectorFailing')).toEqual([]);
  });

  it('is not found where one endpoint alone is not allowed', async () => {
    await using house = await build({ traffic: false, inventory: { schedule: '0 * * * *' } });
    house.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy/search' });
    await live(house, HOUR + 5 * MINUTE);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([]);
  });
});

describe('ProviderRateLimited', () => {
  it('is found while 429s keep the pace below half', async () => {
    await using house = await build();
    expect(await foundBy(house, 'ProviderRateLimited')).toEqual([]);
    house.simulator.faults.add({ kind: 'rate_limit', tell: 'nothing' });
    await house.advance(5 * MINUTE);
    expect(await foundBy(house, 'ProviderRateLimited')).toEqual([{}]);
    house.simulator.faults.clear();
    await live(house, 10 * MINUTE);
    expect(await foundBy(house, 'ProviderRateLimited')).toEqual([]);
  });
});
