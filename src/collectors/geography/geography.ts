// Collects places, networks and counts of available nodes: the configured ones one by one, and the continents as a listing.

import { z } from 'zod';
import { cronExpression, labelText } from '../../config/primitives.ts';
import type { SampleSink } from '../../lib/family.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { COUNTRY_WORDS, SUBDIVISION_WORDS } from '../../provider/documented-words.ts';
import { ProviderError } from '../../provider/errors.ts';
import {
  readAsn,
  readAvailability,
  readCity,
  readContinents,
  readSubdivision,
} from '../../provider/resources/places.ts';
import type { Validity } from '../../provider/schema.ts';
import type { Place, PlaceKey } from '../../store/catalog-store.ts';
import { type Collector, type Outcome, slotsPerDay } from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { gauges } from '../families.ts';
import { readShortListing } from '../listings/listing.ts';
import { PartStates } from '../parts/part-states.ts';
import { collectParts, type Part } from '../parts/parts-run.ts';
import { unknownWord } from '../unknown-words.ts';

const countryIds = (type: string) =>
  z.array(labelText()).default([]).describe(`Countries whose available ${type} nodes are counted`);

const geographyOptions = z.strictObject({
  schedule: cronExpression().default('25 3 * * *').describe('Schedule for reading places and networks'),
  continents: z.boolean().default(true).describe('True if the collector reads the list of continents'),
  asns: z.array(z.int().min(0)).default([]).describe('Numbers of autonomous systems'),
  cities: z.array(z.int().min(0)).default([]).describe('The provider’s ids of cities'),
  subdivisions: z
    .array(z.string().min(1))
    .default([])
    .describe('The provider’s ids of subdivisions, such as fr-idf'),
  availability: z
    .strictObject({ residential: countryIds('residential'), mobile: countryIds('mobile') })
    .prefault({})
    .describe('Counts of available nodes'),
});

type GeographyOptions = z.infer<typeof geographyOptions>;

const ASN = ['asn_id', 'asn_name'] as const;

const families = {
  ...gauges(ASN, {
    proxywatch_asn_nodes: 'Number of nodes that are online in the autonomous system, polled from asn/search.',
    proxywatch_asn_ip_addresses: 'Number of IP addresses of the autonomous system, polled from asn/search.',
  }),
  ...gauges(['city_id', 'city_name'], {
    proxywatch_city_nodes: 'Number of nodes that are online in the city, polled from city/retrieve.',
  }),
  ...gauges(['subdivision_id', 'subdivision_name'], {
    proxywatch_subdivision_nodes:
      'Number of nodes that are online in the subdivision, polled from subdivision/retrieve.',
  }),
  ...gauges(['continent_id', 'continent_name'], {
    proxywatch_continents: 'Continents of the provider, polled from continent/search. The value is always 1.',
  }),
  ...gauges(['product_type', 'country_id'], {
    proxywatch_available_nodes:
      'Number of residential or mobile nodes in the country that are available, polled from residential_availability/count and mobile_availability/count.',
  }),
} as const;

const exposeGeography: Collector<GeographyOptions>['expose'] = async ({ account, store }, sink) => {
  for (const place of await store.geography.places(account.name)) exposePlace(place, sink);
};

const exposePlace = ({ kind, id, name, nodes, ipAddresses }: Place, sink: SampleSink): void => {
  const label = name ?? '';
  switch (kind) {
    case 'asn':
      sink.sample(families.proxywatch_asn_nodes, { asn_id: id, asn_name: label }, nodes);
      sink.sample(families.proxywatch_asn_ip_addresses, { asn_id: id, asn_name: label }, ipAddresses);
      break;
    case 'city':
      sink.sample(families.proxywatch_city_nodes, { city_id: id, city_name: label }, nodes);
      break;
    case 'subdivision':
      sink.sample(
        families.proxywatch_subdivision_nodes,
        { subdivision_id: id, subdivision_name: label },
        nodes,
      );
      break;
    case 'continent':
      sink.sample(families.proxywatch_continents, { continent_id: id, continent_name: label }, 1);
      break;
    default:
      sink.sample(families.proxywatch_available_nodes, { product_type: kind, country_id: id }, nodes);
  }
};

const IN_FLIGHT = 2;
const CONTINENTS = 7;
const CONTINENT_ENDPOINT = 'continent/search';
const ENDPOINTS = {
  ...({ asn: 'asn/search', city: 'city/retrieve', subdivision: 'subdivision/retrieve' } as const),
  residential: 'residential_availability/count',
  mobile: 'mobile_availability/count',
} as const;

type Context = RunContext<GeographyOptions>;

export const geography: Collector<GeographyOptions, PartStates> = {
  name: 'geography',
  description: 'Networks, cities, subdivisions, continents and available nodes',
  endpoints: [CONTINENT_ENDPOINT, ...Object.values(ENDPOINTS)],
  isSameForAllCustomers: true,
  families: Object.values(families),
  options: geographyOptions,
  unknownWords: ({ subdivisions, availability }) => [
    ...subdivisions.flatMap((id, index) => unknownWord(SUBDIVISION_WORDS, id, ['subdivisions', index])),
    ...METERED_TYPES.flatMap((type) =>
      availability[type].flatMap((id, index) =>
        unknownWord(COUNTRY_WORDS, id, ['availability', type, index]),
      ),
    ),
  ],
  cost: (options, zone, now) => ({
    requestsPerDay:
      slotsPerDay(options.schedule, zone, now) * (Number(options.continents) + lookupsOf(options).length),
    // A network has two series.
    series: CONTINENTS * Number(options.continents) + options.asns.length + lookupsOf(options).length,
    assumptions: [],
    warnings: [],
  }),
  open: async ({ account, options, store }: ReadContext<GeographyOptions>) => {
    const places = lookupsOf(options).map(({ kind, id }) => ({ kind, id }));
    await store.geography.retain(account.name, places, options.continents);
    return new PartStates();
  },
  collect,
  expose: exposeGeography,
};

async function collect(context: Context, states: PartStates): Promise<Outcome> {
  const { options } = context;
  const continents: Part = {
    name: 'continents',
    endpoint: CONTINENT_ENDPOINT,
    collect: () => collectContinents(context),
  };
  const lookups = lookupsOf(options).map(
    (lookup): Part => ({
      name: `${lookup.kind} ${lookup.id}`,
      endpoint: ENDPOINTS[lookup.kind],
      collect: () => collectPlace(context, lookup),
    }),
  );
  const parts = options.continents ? [continents, ...lookups] : lookups;
  return collectParts(context, states, { parts, limit: IN_FLIGHT, answerErrorKind: 'not_found' });
}

/** A configured place, and the request that reads it. */
interface Lookup extends PlaceKey {
  readonly kind: keyof typeof ENDPOINTS;
  read(context: Context): Promise<{ readonly place: Omit<Place, keyof PlaceKey> } & Validity>;
}

const lookupsOf = ({ asns, cities, subdivisions, availability }: GeographyOptions): Lookup[] => [
  ...lookupsOfKind('asn', asns, async ({ client, signal }, id) => {
    const asn = await readAsn(client, id, { signal });
    const { name, nodes, ipAddresses, type, rir, countryId, hasInvalidValue } = asn;
    const place = { name, nodes, ipAddresses, details: { asnType: type, rir, countryId } };
    return { place, hasInvalidValue };
  }),
  ...lookupsOfKind('city', cities, async ({ client, signal }, id) =>
    placeIn(await readCity(client, id, { signal })),
  ),
  ...lookupsOfKind('subdivision', subdivisions, async ({ client, signal }, id) =>
    placeIn(await readSubdivision(client, id, { signal })),
  ),
  ...METERED_TYPES.flatMap((type) =>
    lookupsOfKind(type, availability[type], async ({ client, signal }, id) =>
      placeIn(await readAvailability(client, type, id, { signal })),
    ),
  ),
];

const lookupsOfKind = <Id extends string | number>(
  kind: Lookup['kind'],
  ids: readonly Id[],
  read: (context: Context, id: Id) => ReturnType<Lookup['read']>,
): Lookup[] =>
  [...new Set(ids)].map((id) => ({ kind, id: String(id), read: (context) => read(context, id) }));

/** All other fields of the answer are details of the place. */
const placeIn = <D extends Validity & { readonly name: string | null; readonly nodes: number | null }>({
  id: _,
  name,
  nodes,
  hasInvalidValue,
  ...details
}: D & { readonly id: unknown }) => ({
  place: { name, nodes, ipAddresses: null, details },
  hasInvalidValue,
});

/** Stores a place. Returns 1 if the answer lacks a value because its type differed from the documented one. */
async function collectPlace(context: Context, { kind, id, read }: Lookup): Promise<number> {
  const { account, store } = context;
  try {
    const { place, hasInvalidValue } = await read(context);
    await store.geography.save(account.name, [{ kind, id, ...place }], []);
    return Number(hasInvalidValue);
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'not_found')
      await store.geography.save(account.name, [], [{ kind, id }]);
    throw error;
  }
}

/** Stores the continents. Returns the number of continents that did not decode. */
async function collectContinents({ account, client, signal, store }: Context): Promise<number> {
  const listing = await readShortListing(readContinents(client, { signal }));
  const continents = listing.items.map(({ id, name, alias }) => ({
    ...continentOf(id),
    ...{ name, nodes: null, ipAddresses: null, details: { alias } },
  }));
  const stored = await store.geography.places(account.name);
  const storedIds = stored.filter(({ kind }) => kind === 'continent').map(({ id }) => id);
  await store.geography.save(account.name, continents, listing.missingOf(storedIds).map(continentOf));
  return listing.skipped;
}

const continentOf = (id: string): PlaceKey => ({ kind: 'continent', id });
