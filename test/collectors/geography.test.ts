// Networks, cities, subdivisions and continents over HTTP: those that there are not, and failing polls.

import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../support/fake-provider.ts';
import type { Harness } from '../support/harness.ts';
import { shownOf, watchOnly } from './sole-collector.ts';
import { lastRun, poll } from './stub-account.ts';

const ALL = { asns: [64_500], cities: [202], subdivisions: ['fr-idf'] };

const namesOf = async (harness: Harness): Promise<string[]> => [...(await shownOf(harness)).keys()];

it('each is shown with its id and name', async () => {
  await using harness = await watchOnly('geography', { ...ALL, continents: false });
  expect(await namesOf(harness)).toEqual([
    'proxywatch_asn_nodes{account="main",asn_id="64500",asn_name="Example Hosting"}',
    'proxywatch_asn_ip_addresses{account="main",asn_id="64500",asn_name="Example Hosting"}',
    'proxywatch_city_nodes{account="main",city_id="202",city_name="Paris"}',
    'proxywatch_subdivision_nodes{account="main",subdivision_id="fr-idf",subdivision_name="Île-de-France"}',
  ]);
  expect((await harness.samples()).value('proxywatch_city_nodes')).toBeGreaterThan(0);
});

it('one that the provider does not know leaves the others be', async () => {
  await using harness = await watchOnly('geography', { ...ALL, asns: [64_500, 1], cities: [1, 202] });
  expect(await namesOf(harness)).toHaveLength(11);
  expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'not_found' });
  expect((await harness.samples()).value('proxywatch_collector_success')).toBe(1);
});

it.each([500, 403])('those that answer %i leave the others be', async (status) => {
  await using harness = await watchOnly('geography', ALL);
  harness.simulator.faults.add({ kind: 'status', status, endpoint: 'asn' });
  harness.simulator.faults.add({ kind: 'set_fields', endpoint: 'city', fields: { city_node_count: 77 } });
  await poll(harness);
  const samples = await harness.samples();
  expect((await lastRun(harness)).result).toBe('partial');
  expect(samples.value('proxywatch_collector_success')).toBe(1);
  expect(samples.value('proxywatch_collector_failing_parts')).toBe(1);
  expect(samples.value('proxywatch_city_nodes')).toBe(77);
});

it('one that is not there any more is gone the second time', async () => {
  await using harness = await watchOnly('geography', ALL);
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
  await using harness = await watchOnly('geography', { ...ALL, continents: false });
  harness.simulator.faults.add({ kind: 'null_fields', fields: ['asn_node_count', 'city_node_count'] });
  await poll(harness);
  expect(await namesOf(harness)).toEqual([
    expect.stringContaining('proxywatch_asn_ip_addresses'),
    expect.stringContaining('proxywatch_subdivision_nodes'),
  ]);
});

describe('what is not configured any more', () => {
  it('is shown no more', async () => {
    await using harness = await watchOnly('geography', ALL);
    await harness.restart({ geography: { schedule: '0 * * * *', continents: false, cities: [202] } });
    expect(await namesOf(harness)).toEqual([expect.stringContaining('city_id="202"')]);
  });
});

describe('continents', () => {
  interface World {
    ids: string[];
    /** One whose name does not decode. */
    broken?: string;
    /** What is said of how many there are, where it is not the truth. */
    count?: number;
  }

  /** A provider with these continents. */
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

  it('are gone when two complete listings in a row do not have them', async () => {
    const world: World = { ids: ['eu', 'as'] };
    await using provider = await providerOf(world);
    await using harness = await watchOnly('geography', {}, { account: { base_url: provider.baseUrl } });
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

  it('whose name is no text are counted, and not gone', async () => {
    const world: World = { ids: ['eu', 'as'] };
    await using provider = await providerOf(world);
    await using harness = await watchOnly('geography', {}, { account: { base_url: provider.baseUrl } });
    world.broken = 'as';
    await poll(harness);
    await poll(harness);
    expect(await idsOf(harness)).toEqual(['as', 'eu']);
    expect((await harness.samples()).value('proxywatch_items_skipped_total')).toBe(2);
  });
});

it('a poll that fails changes nothing, and neither does a restart', async () => {
  await using harness = await watchOnly('geography', ALL);
  const before = await shownOf(harness);
  expect(before.size).toBe(11);
  harness.simulator.faults.add({ kind: 'status', status: 503 });
  await poll(harness);
  await poll(harness);
  expect((await lastRun(harness)).result).toBe('failed');
  expect(await shownOf(harness)).toEqual(before);
  await harness.restart();
  expect(await shownOf(harness)).toEqual(before);
});
