// Tests networks, cities, subdivisions, continents and available nodes over HTTP, with unknown ones and failing polls.

import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../support/fake-provider.ts';
import type { Harness } from '../support/harness.ts';
import { buildWithOnly, providerSeries } from './single-collector.ts';
import { lastRun, poll } from './stub-account.ts';

const ALL = { asns: [64_500], cities: [202], subdivisions: ['fr-idf'] };

const namesOf = async (harness: Harness): Promise<string[]> => [...(await providerSeries(harness)).keys()];

it('each is shown with its id and name', async () => {
  await using harness = await buildWithOnly('geography', { ...ALL, continents: false });
  expect(await namesOf(harness)).toEqual([
    'proxywatch_asn_nodes{account="main",asn_id="64500",asn_name="Example Hosting"}',
    'proxywatch_asn_ip_addresses{account="main",asn_id="64500",asn_name="Example Hosting"}',
    'proxywatch_city_nodes{account="main",city_id="202",city_name="Paris"}',
    'proxywatch_subdivision_nodes{account="main",subdivision_id="fr-idf",subdivision_name="Île-de-France"}',
  ]);
  expect((await harness.samples()).value('proxywatch_city_nodes')).toBeGreaterThan(0);
});

it('an unknown place does not affect the others', async () => {
  await using harness = await buildWithOnly('geography', { ...ALL, asns: [64_500, 1], cities: [1, 202] });
  expect(await namesOf(harness)).toHaveLength(11);
  expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'not_found' });
  expect((await harness.samples()).value('proxywatch_collector_success')).toBe(1);
});

it.each([500, 403])('an endpoint that answers %i does not affect the others', async (status) => {
  await using harness = await buildWithOnly('geography', ALL);
  harness.simulator.faults.add({ kind: 'status', status, endpoint: 'asn' });
  harness.simulator.faults.add({ kind: 'set_fields', endpoint: 'city', fields: { city_node_count: 77 } });
  await poll(harness);
  const samples = await harness.samples();
  expect((await lastRun(harness)).result).toBe('partial');
  expect(samples.value('proxywatch_collector_success')).toBe(1);
  expect(samples.value('proxywatch_collector_failing_parts')).toBe(1);
  expect(samples.value('proxywatch_city_nodes')).toBe(77);
});

it('a place is removed after the second answer in a row that does not find it', async () => {
  await using harness = await buildWithOnly('geography', ALL);
  harness.simulator.faults.add({ kind: 'status', status: 404, endpoint: 'city' });
  const cities = async () => (await harness.samples()).all('proxywatch_city_nodes').length;
  await poll(harness);
  expect(await cities()).toBe(1);
  harness.simulator.faults.clear();
  await poll(harness);
  harness.simulator.faults.add({ kind: 'status', status: 404, endpoint: 'city' });
  await poll(harness);
  expect(await cities()).toBe(1);
  await poll(harness);
  expect(await cities()).toBe(0);
  harness.simulator.faults.clear();
  await poll(harness);
  expect(await cities()).toBe(1);
});

it('a value that is not given is left out', async () => {
  await using harness = await buildWithOnly('geography', { ...ALL, continents: false });
  harness.simulator.faults.add({ kind: 'null_fields', fields: ['asn_node_count', 'city_node_count'] });
  await poll(harness);
  expect(await namesOf(harness)).toEqual([
    expect.stringContaining('proxywatch_asn_ip_addresses'),
    expect.stringContaining('proxywatch_subdivision_nodes'),
  ]);
});

describe('a place that is no longer configured', () => {
  it('is no longer shown', async () => {
    await using harness = await buildWithOnly('geography', ALL);
    await harness.restart({ geography: { schedule: '0 * * * *', continents: false, cities: [202] } });
    expect(await namesOf(harness)).toEqual([expect.stringContaining('city_id="202"')]);
  });
});

describe('available nodes', () => {
  const availability = { residential: ['us', 'de', 'us'], mobile: ['gb'] };
  const FAMILY = 'proxywatch_available_nodes';
  const only = { continents: false, availability };

  it('are shown by product type and country, and read once', async () => {
    await using harness = await buildWithOnly('geography', only);
    expect(await namesOf(harness)).toEqual([
      `${FAMILY}{account="main",product_type="mobile",country_id="gb"}`,
      `${FAMILY}{account="main",product_type="residential",country_id="de"}`,
      `${FAMILY}{account="main",product_type="residential",country_id="us"}`,
    ]);
    const samples = await harness.samples();
    expect(samples.value(FAMILY, { country_id: 'us' })).toBeGreaterThan(0);
    expect(samples.value(FAMILY, { country_id: 'us' })).not.toBe(samples.value(FAMILY, { country_id: 'de' }));
  });

  it('of a type that fails are kept, and removed after two answers that there are none', async () => {
    await using harness = await buildWithOnly('geography', only);
    const types = async () => (await harness.samples()).all(FAMILY).map(({ labels }) => labels.product_type);
    const answers = (status: number) =>
      harness.simulator.faults.replace([{ kind: 'status', status, endpoint: 'mobile_availability' }]);
    answers(403);
    await poll(harness);
    expect((await lastRun(harness)).result).toBe('partial');
    answers(404);
    await poll(harness);
    expect(await types()).toEqual(['mobile', 'residential', 'residential']);
    await poll(harness);
    expect(await types()).toEqual(['residential', 'residential']);
    await harness.restart({
      geography: { schedule: '0 * * * *', ...only, availability: { mobile: ['gb'] } },
    });
    expect(await types()).toEqual([]);
  });

  it.each([{}, { data: {} }, { data: { total_mobile_availability_node_count: -1 } }])(
    'are not in the answer %j, which fails',
    async (body) => {
      await using provider = await startFakeProvider(() => ({ body }));
      const options = { continents: false, availability: { mobile: ['gb'] } };
      const account = { base_url: provider.baseUrl };
      await using harness = await buildWithOnly('geography', options, { account });
      expect(await namesOf(harness)).toEqual([]);
      expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'bad_response' });
      expect(provider.requests).toMatchObject([
        { path: expect.stringMatching(/user\/mobile_availability\/count$/), query: { country_id: 'gb' } },
      ]);
    },
  );
});

describe('continents', () => {
  interface World {
    ids: string[];
    /** The id of a continent whose name does not decode. */
    broken?: string;
    /** A wrong total count in the answer. */
    count?: number;
  }

  /** Starts a provider with these continents. */
  const providerOf = (world: World) =>
    startFakeProvider(() => {
      const data = world.ids.map((id) => ({
        continent_id: id,
        continent_name: id === world.broken ? ['Name'] : 'Name',
      }));
      return { body: { data, total_count: world.count ?? data.length } };
    });

  const idsOf = async (harness: Harness): Promise<string[]> =>
    Object.keys((await harness.samples()).by('continent_id', 'proxywatch_continents'));

  it('are removed after two complete listings in a row without them', async () => {
    const world: World = { ids: ['eu', 'as'] };
    await using provider = await providerOf(world);
    await using harness = await buildWithOnly('geography', {}, { account: { base_url: provider.baseUrl } });
    world.ids = ['eu'];
    await poll(harness);
    expect(await idsOf(harness)).toEqual(['as', 'eu']);
    world.count = 2;
    await poll(harness);
    expect(await idsOf(harness)).toEqual(['as', 'eu']);
    delete world.count;
    await poll(harness);
    expect(await idsOf(harness)).toEqual(['eu']);
  });

  it('whose name is not a text count as skipped items and are not removed', async () => {
    const world: World = { ids: ['eu', 'as'] };
    await using provider = await providerOf(world);
    await using harness = await buildWithOnly('geography', {}, { account: { base_url: provider.baseUrl } });
    world.broken = 'as';
    await poll(harness);
    await poll(harness);
    expect(await idsOf(harness)).toEqual(['as', 'eu']);
    expect((await harness.samples()).value('proxywatch_items_skipped_total')).toBe(2);
  });
});

it('a failed poll and a restart change nothing', async () => {
  await using harness = await buildWithOnly('geography', ALL);
  const before = await providerSeries(harness);
  expect(before.size).toBe(11);
  harness.simulator.faults.add({ kind: 'status', status: 503 });
  await poll(harness);
  await poll(harness);
  expect((await lastRun(harness)).result).toBe('failed');
  expect(await providerSeries(harness)).toEqual(before);
  await harness.restart();
  expect(await providerSeries(harness)).toEqual(before);
});
