// Tests the comparison of the inventory with where others place its proxies: places, unknown ones, failures and the budget.

import { expect, it } from 'vitest';
import { DAY } from '../../../src/lib/time.ts';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { findingsOf } from '../../support/findings.ts';
import type { Harness } from '../../support/harness.ts';
import { buildWithOnly } from '../single-collector.ts';
import { lastRun, poll } from '../stub-account.ts';

const on = (perDay = 100_000) => ({ max_geolocations_per_day: perDay });
const COMPARED = 'proxywatch_proxies_geolocated';
const ELSEWHERE = 'proxywatch_proxies_placed_elsewhere';

const proxy = (number: number, more: object = {}) => ({
  proxy_id: `proxy-${number}`,
  proxy_type: 'isp',
  proxy_status: 'in_use',
  proxy_ip_address: `192.0.2.${number}`,
  country_id: 'fr',
  customer_id: 4711,
  ...more,
});

type Proxy = ReturnType<typeof proxy>;
type Answer = { readonly status?: number; readonly body?: unknown };

const placedIn = (country_id: unknown): Answer => ({ body: { data: { external: { country_id } } } });

/** Starts a daemon with these proxies, which a test changes, and a provider that answers for an address as `answer` returns it. */
const watch = async (proxies: Proxy[], answer: (address: string) => Answer, perDay?: number) => {
  const asked: string[] = [];
  const provider = await startFakeProvider(({ path }) => {
    const [, address] = /ip_address\/geolocate\/(.+)$/.exec(path) ?? [];
    if (address === undefined) return { body: { data: proxies, total_count: proxies.length } };
    asked.push(address);
    return answer(address);
  });
  const harness = await buildWithOnly('inventory', on(perDay), { account: { base_url: provider.baseUrl } });
  const stack = new AsyncDisposableStack();
  stack.use(provider);
  stack.use(harness);
  return { harness, asked, [Symbol.asyncDispose]: () => stack.disposeAsync() };
};

const counts = async (harness: Harness) => {
  const samples = await harness.samples();
  return [COMPARED, ELSEWHERE].map((name) => samples.by('country_id', name));
};

it('proxies that others place in another country are counted, by what was bought', async () => {
  await using harness = await buildWithOnly('inventory', on(), {
    scenario: { proxies: 60, placed_elsewhere_ratio: 0.5 },
  });
  const samples = await harness.samples();
  const sumOf = (name: string) => samples.all(name).reduce((sum, { value }) => sum + value, 0);
  const inUse = harness.simulator.truth.proxies().filter(({ proxy_status }) => proxy_status === 'in_use');
  expect(sumOf(COMPARED)).toBe(inUse.length);
  expect(sumOf(ELSEWHERE)).toBeGreaterThan(10);
  expect(sumOf(ELSEWHERE)).toBeLessThan(50);
});

it('countries are compared in upper or lower case, and only an invalid one counts as a skipped item', async () => {
  const answers = ['FR', 'de', null, 'Germany', 7].map(placedIn);
  const proxies = answers.map((_, index) => proxy(index + 1));
  const { harness, ...watched } = await watch(
    proxies,
    (address) => answers[Number(address.at(-1)) - 1] ?? {},
  );
  await using _ = watched;
  expect(await counts(harness)).toEqual([{ fr: 2 }, { fr: 1 }]);
  expect((await harness.samples()).value('proxywatch_items_skipped_total')).toBe(2);
  expect((await lastRun(harness)).result).toBe('ok');
});

it('a proxy whose country or address is not known, or that is not in use, is not asked for', async () => {
  const proxies = [
    proxy(1, { country_id: null }),
    proxy(2, { proxy_ip_address: null }),
    proxy(3, { proxy_status: 'waiting' }),
  ];
  const { harness, asked, ...watched } = await watch(proxies, () => placedIn('fr'));
  await using _ = watched;
  expect(asked).toEqual([]);
  expect(await counts(harness)).toEqual([{}, {}]);
});

it.each([403, 404, 422, 500])(
  'a provider that answers %i to all of these requests fails a part, and the inventory stays',
  async (status) => {
    const { harness, asked, ...watched } = await watch([proxy(1), proxy(2)], () => ({ status }));
    await using _ = watched;
    for (const requests of [1, 2, 2]) {
      expect(asked).toHaveLength(requests);
      const samples = await harness.samples();
      expect(samples.value('proxywatch_proxies')).toBe(2);
      expect(samples.all(COMPARED)).toEqual([]);
      expect((await lastRun(harness)).result).toBe('partial');
      expect(samples.value('proxywatch_collector_runs_total', { result: 'failed' })).toBe(0);
      await poll(harness);
    }
  },
);

it('a refusal of one address is an answer, once others were placed', async () => {
  const proxies = [proxy(1)];
  const { harness, asked, ...watched } = await watch(proxies, (address) =>
    address === '192.0.2.1' ? placedIn('fr') : { status: 404 },
  );
  await using _ = watched;
  proxies.push(proxy(2));
  await poll(harness);
  expect(asked).toEqual(['192.0.2.1', '192.0.2.2']);
  expect((await lastRun(harness)).result).toBe('ok');
  expect(await counts(harness)).toEqual([{ fr: 1 }, { fr: 0 }]);
});

it('an endpoint that disappears fails a part after ten refusals in a row, and known places stay', async () => {
  let isGiven = true;
  const proxies = Array.from({ length: 12 }, (_, index) => proxy(index + 1));
  const { harness, asked, ...watched } = await watch(proxies, () =>
    isGiven ? placedIn('de') : { status: 404 },
  );
  await using _ = watched;
  expect(await counts(harness)).toEqual([{ fr: 12 }, { fr: 12 }]);
  isGiven = false;
  await harness.advance(30 * DAY);
  for (let hour = 0; hour < 3; hour += 1) await poll(harness);
  expect(asked.length).toBeGreaterThanOrEqual(22);
  expect((await lastRun(harness)).result).toBe('partial');
  expect(await counts(harness)).toEqual([{ fr: 12 }, { fr: 12 }]);
});

it('a day has at most so many requests, and an answer is asked for again after 30 days', async () => {
  const proxies = Array.from({ length: 12 }, (_, index) => proxy(index + 1));
  const { harness, asked, ...watched } = await watch(proxies, () => placedIn('fr'), 5);
  await using _ = watched;
  for (let hour = 1; hour < 24; hour += 1) await poll(harness);
  expect(asked.length).toBeGreaterThanOrEqual(4);
  expect(asked.length).toBeLessThanOrEqual(5);
  for (let hour = 0; hour < 60; hour += 1) await poll(harness);
  expect(asked.toSorted()).toEqual(proxies.map(({ proxy_ip_address: address }) => address).toSorted());
  await harness.advance(25 * DAY);
  await poll(harness);
  expect(asked).toHaveLength(12);
  await harness.advance(5 * DAY);
  await poll(harness);
  expect(asked.length).toBeGreaterThan(12);
});

it('the alert names one of the proxies, and fires above its threshold', async () => {
  const proxies = [proxy(1), proxy(2), proxy(3, { country_id: 'de' })];
  const { harness, ...watched } = await watch(proxies, (address) =>
    placedIn(address === '192.0.2.2' ? 'nl' : 'fr'),
  );
  await using _ = watched;
  const found = await findingsOf(harness, 'ProxyPlacedElsewhere');
  expect(found).toEqual([
    {
      labels: { product_type: 'isp', country_id: 'fr' },
      value: 1,
      reason: '1 of 2 that were compared, such as proxy proxy-2 in nl',
    },
    {
      labels: { product_type: 'isp', country_id: 'de' },
      value: 1,
      reason: '1 of 1 that were compared, such as proxy proxy-3 in fr',
    },
  ]);
});

it('the alert fires above its threshold', async () => {
  const { harness, ...watched } = await watch([proxy(1), proxy(2)], () => placedIn('nl'));
  await using _ = watched;
  const withThreshold = async (threshold: number) => {
    await harness.restart({ alerts: { ProxyPlacedElsewhere: { threshold } } });
    return (await findingsOf(harness, 'ProxyPlacedElsewhere')).length;
  };
  expect([await withThreshold(1), await withThreshold(2)]).toEqual([1, 0]);
});

it('the address of a removed proxy is deleted, and its request counts for a day', async () => {
  const proxies = [proxy(1), proxy(2)];
  const { harness, ...watched } = await watch(proxies, () => placedIn('fr'));
  await using _ = watched;
  proxies.pop();
  const asked = async () => {
    const { inventory, maintain } = harness.app.store;
    const retention = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
    const { signal } = new AbortController();
    const accounts = [{ name: 'main', zone: 'UTC', graphs: [], areUsersPolled: false }];
    await maintain({ now: harness.clock.now(), retention, accounts, signal });
    return (await inventory.askedSince('main', 0)).length;
  };
  await poll(harness);
  await poll(harness);
  expect((await harness.samples()).value('proxywatch_proxies')).toBe(1);
  expect(await asked()).toBe(2);
  await harness.advance(3 * DAY);
  await poll(harness);
  expect(await asked()).toBe(1);
});

it('another address of a proxy is asked for, and the earlier one no longer counts', async () => {
  const proxies = [proxy(1)];
  const { harness, asked, ...watched } = await watch(proxies, (address) =>
    placedIn(address === '192.0.2.1' ? 'de' : 'fr'),
  );
  await using _ = watched;
  expect(await counts(harness)).toEqual([{ fr: 1 }, { fr: 1 }]);
  proxies[0] = proxy(1, { proxy_ip_address: '192.0.2.9' });
  await poll(harness);
  expect(asked).toEqual(['192.0.2.1', '192.0.2.9']);
  expect(await counts(harness)).toEqual([{ fr: 1 }, { fr: 0 }]);
});
