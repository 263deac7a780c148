// Tests continents, autonomous systems, cities and subdivisions: the simulated provider's ones, and variants of answers.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import type { ProviderClient } from '../../src/provider/client.ts';
import {
  readAsn,
  readAsns,
  readCity,
  readContinents,
  readSubdivision,
} from '../../src/provider/resources/places.ts';
import { connect, startFakeProvider } from '../support/fake-provider.ts';
import { openAccount, readAll } from '../support/simulated-account.ts';
import { isSubset, sampleVariants } from './sample-variants.ts';

describe('continents', () => {
  it('are seven, with and without an alias', async () => {
    await using account = await openAccount();
    const { items, summary } = await readAll(readContinents(account.client));
    expect(items).toHaveLength(7);
    expect(items).toContainEqual({ id: 'eu', name: 'Europe', alias: 'europe' });
    expect(items).toContainEqual({ id: 'an', name: 'Antarctica', alias: null });
    expect(summary).toMatchObject({ distinctIds: 7, isComplete: true });
  });

  it('are incomplete if the total does not match', async () => {
    await using account = await openAccount();
    account.simulator.faults.add({ kind: 'set_fields', fields: { total_count: 8 } });
    const { items, summary } = await readAll(readContinents(account.client));
    expect([items.length, summary?.isComplete]).toEqual([7, false]);
  });
});

describe('autonomous systems', () => {
  it('are read page by page, with and without a filter', async () => {
    await using account = await openAccount({ networks: 250 });
    const all = await readAll(readAsns(account.client, {}));
    expect([all.items.length, all.pages, all.summary?.isComplete]).toEqual([250, 3, true]);
    const hosting = await readAll(
      readAsns(account.client, { filter: { asn_type: 'hosting', country_id: 'us' } }),
    );
    expect(hosting.items).toEqual(
      all.items.filter(({ type, countryId }) => type === 'hosting' && countryId === 'us'),
    );
    expect(hosting.items.length).toBeGreaterThan(0);
    const filter = { min_asn_node_count: 1_000, max_asn_node_count: 2_000 };
    const nodes = (await readAll(readAsns(account.client, { filter }))).items.map((asn) => asn.nodes ?? 0);
    expect(nodes.length).toBeGreaterThan(0);
    expect(nodes.every((count) => count >= 1_000 && count <= 2_000)).toBe(true);
  });

  it('are looked up one by one, with one request each', async () => {
    await using account = await openAccount();
    const asn = await readAsn(account.client, 64_501);
    expect(asn).toEqual({
      id: 64_501,
      name: 'Example Broadband',
      type: 'isp',
      rir: 'ripe',
      ipAddresses: expect.any(Number),
      nodes: expect.any(Number),
      countryId: 'de',
      hasInvalidValue: false,
    });
    expect(account.simulator.requests.count('asn/search')).toBe(1);
    await expect(readAsn(account.client, 1)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('change their number of online nodes from hour to hour', async () => {
    await using account = await openAccount();
    const counts = new Set<number | null>();
    for (let hour = 0; hour < 10; hour += 1) {
      counts.add((await readAsn(account.client, 64_500)).nodes);
      account.clock.advance(HOUR);
    }
    expect(counts.size).toBeGreaterThan(3);
  });

  it.each([
    ['others', { data: [{ asn_id: 5 }], total_count: 70_000 }],
    ['others, uncounted', { data: [{ asn_id: 5 }], total_count: -1 }],
    ['an item that does not decode', { data: [{ asn_id: 'seven' }], total_count: 1 }],
  ])('are rejected if the provider answers %s', async (_, body) => {
    await using provider = await startFakeProvider(() => ({ body }));
    await using client = connect(provider);
    await expect(readAsn(client, 7)).rejects.toMatchObject({ kind: 'bad_response', endpoint: 'asn/search' });
    expect(provider.requests).toHaveLength(1);
  });
});

describe('cities and subdivisions', () => {
  it('are the ones of the proxies', async () => {
    await using account = await openAccount();
    const city = await readCity(account.client, 202);
    expect(city).toEqual({
      id: 202,
      name: 'Paris',
      alias: null,
      examplePostcode: '75001',
      isPopulous: false,
      latitude: 48.8566,
      longitude: 2.3522,
      nodes: expect.any(Number),
      population: null,
      timeZone: 'Europe/Paris',
      subdivisionId: 'fr-idf',
      hasInvalidValue: false,
    });
    expect(await readSubdivision(account.client, 'de-he')).toEqual({
      id: 'de-he',
      name: 'Hesse',
      alias: null,
      nodes: expect.any(Number),
      countryId: 'de',
      hasInvalidValue: false,
    });
  });

  it('that do not exist are not found', async () => {
    await using account = await openAccount();
    await expect(readCity(account.client, 1)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(readSubdivision(account.client, 'xx-y/?')).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('of another id than the requested one are rejected', async () => {
    const sample = { city_id: 7, subdivision_id: 'fr-idf' };
    await using provider = await startFakeProvider(() => ({ body: { data: sample } }));
    await using client = connect(provider);
    await expect(readCity(client, 8)).rejects.toMatchObject({ kind: 'bad_response' });
    await expect(readSubdivision(client, 'de-he')).rejects.toMatchObject({ kind: 'bad_response' });
    expect(await readSubdivision(client, 'FR-IDF')).toMatchObject({ id: 'fr-idf', hasInvalidValue: false });
  });

  it('lack a negative number of nodes and impossible degrees, and say so', async () => {
    const sample = { city_id: 7, city_node_count: -1, city_latitude: 2 ** 60 };
    await using provider = await startFakeProvider(() => ({ body: { data: sample } }));
    await using client = connect(provider);
    expect(await readCity(client, 7)).toMatchObject({ nodes: null, latitude: null, hasInvalidValue: true });
  });

  it('report the provider’s errors', async () => {
    await using account = await openAccount();
    account.simulator.faults.add({ kind: 'status', status: 422, endpoint: 'city' });
    await expect(readCity(account.client, 202)).rejects.toMatchObject({ kind: 'rejected' });
    account.simulator.faults.add({ kind: 'missing_fields', fields: ['subdivision_id'] });
    await expect(readSubdivision(account.client, 'de-he')).rejects.toMatchObject({ kind: 'bad_response' });
  });
});

describe('variants of answers', () => {
  const RESOURCES: [string, string, object, (client: ProviderClient) => Promise<unknown>][] = [
    [
      'continent',
      'continent_id',
      { continent_id: 'eu', continent_name: 'Europe', continent_alias: 'europe' },
      async (client) => (await readAll(readContinents(client))).items[0],
    ],
    [
      'asn',
      'asn_id',
      {
        ...{ asn_id: 7, asn_name: 'Example', asn_type: 'isp', asn_rir: 'ripe', country_id: 'de' },
        ...{ asn_ip_address_count: 256, asn_node_count: 12 },
      },
      (client) => readAsn(client, 7),
    ],
    [
      'city',
      'city_id',
      {
        ...{ city_id: 7, city_name: 'Paris', city_alias: 'paris', city_example_postcode: '75001' },
        ...{ city_is_populous: true, city_latitude: 1.5, city_longitude: -2, city_node_count: 3 },
        ...{ city_population: 4, city_timezone: 'Europe/Paris', subdivision_id: 'fr-idf' },
      },
      (client) => readCity(client, 7),
    ],
    [
      'subdivision',
      'subdivision_id',
      {
        ...{ subdivision_id: 'fr-idf', subdivision_name: 'Example', subdivision_alias: 'example' },
        ...{ subdivision_node_count: 3, country_id: 'fr' },
      },
      (client) => readSubdivision(client, 'fr-idf'),
    ],
  ];

  it.each(RESOURCES)('of a %s return exactly the given values', async (name, id, sample, read) => {
    const isSearched = name === 'continent' || name === 'asn';
    let item: object = sample;
    await using provider = await startFakeProvider(() => ({
      body: isSearched ? { data: [item], total_count: 1 } : { data: item },
    }));
    await using client = connect(provider);
    const complete = (await read(client)) as object;
    expect(Object.values(complete)).not.toContain(null);
    await fc.assert(
      fc.asyncProperty(
        sampleVariants({ ...sample }, { required: [id], open: [`${name}_type`] }),
        async (variant) => {
          item = variant;
          expect(isSubset((await read(client)) as object, complete)).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });
});
