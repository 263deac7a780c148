// Places and networks that proxies are in: configured ones one by one, and the continents.

import { readAsn } from '../../provider/asns.ts';
import { readCity } from '../../provider/cities.ts';
import { readContinents } from '../../provider/continents.ts';
import { ProviderError } from '../../provider/errors.ts';
import { readSubdivision } from '../../provider/subdivisions.ts';
import type { Place, PlaceKey } from '../../store/geography-store.ts';
import type { Collector, Outcome, ReadContext, RunContext } from '../collector.ts';
import { slotsPerDay } from '../cost.ts';
import { answeredBy, collectParts } from '../parts.ts';
import { exposeGeography, families } from './expose.ts';
import { type GeographyOptions, geographyOptions } from './options.ts';

const IN_FLIGHT = 2;
const CONTINENTS = 7;

type Context = RunContext<GeographyOptions>;

export const geography: Collector<GeographyOptions> = {
  name: 'geography',
  endpoints: ['continent/search', 'asn/search', 'city/retrieve', 'subdivision/retrieve'],
  families: Object.values(families),
  options: geographyOptions,
  cost: ({ schedule, continents, asns, cities, subdivisions }, zone, now) => ({
    requestsPerDay:
      slotsPerDay(schedule, zone, now) *
      (Number(continents) + asns.length + cities.length + subdivisions.length),
    series: CONTINENTS * Number(continents) + 2 * asns.length + cities.length + subdivisions.length,
    assumptions: [],
    warnings: [],
  }),
  open: ({ account, options, store }: ReadContext<GeographyOptions>) =>
    store.geography.retain(
      account.name,
      lookupsOf(options).map(({ kind, id }) => ({ kind, id })),
      options.continents,
    ),
  collect,
  expose: exposeGeography,
};

async function collect(context: Context): Promise<Outcome> {
  const { options } = context;
  const continents = { name: 'continents', collect: () => collectContinents(context) };
  const lookups = lookupsOf(options).map((lookup) => ({
    name: `${lookup.kind} ${lookup.id}`,
    collect: () => lookUp(context, lookup),
  }));
  const outcome = await collectParts({
    items: options.continents ? [continents, ...lookups] : lookups,
    limit: IN_FLIGHT,
    nameOf: ({ name }) => name,
    collect: (part) => part.collect(),
  });
  return answeredBy('not_found', outcome);
}

/** A configured place, and how it is asked for. */
interface Lookup extends PlaceKey {
  read(context: Context): Promise<Omit<Place, keyof PlaceKey>>;
}

const lookupsOf = ({ asns, cities, subdivisions }: GeographyOptions): Lookup[] => [
  ...[...new Set(asns)].map(
    (id): Lookup => ({
      kind: 'asn',
      id: String(id),
      read: async ({ client, signal }) => {
        const { name, nodes, ipAddresses, type, rir, countryId } = await readAsn(client, id, { signal });
        return { name, nodes, ipAddresses, details: { asnType: type, rir, countryId } };
      },
    }),
  ),
  ...[...new Set(cities)].map(
    (id): Lookup => ({
      kind: 'city',
      id: String(id),
      read: async ({ client, signal }) => {
        const { id: _, name, nodes, ...details } = await readCity(client, id, { signal });
        return { name, nodes, ipAddresses: null, details };
      },
    }),
  ),
  ...[...new Set(subdivisions)].map(
    (id): Lookup => ({
      kind: 'subdivision',
      id,
      read: async ({ client, signal }) => {
        const { id: _, name, nodes, ...details } = await readSubdivision(client, id, { signal });
        return { name, nodes, ipAddresses: null, details };
      },
    }),
  ),
];

async function lookUp(context: Context, { kind, id, read }: Lookup): Promise<number> {
  const { account, store } = context;
  try {
    await store.geography.save(account.name, [{ kind, id, ...(await read(context)) }], []);
    return 0;
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'not_found')
      await store.geography.save(account.name, [], [{ kind, id }]);
    throw error;
  }
}

/** Returns how many did not decode. */
async function collectContinents({ account, client, signal, store }: Context): Promise<number> {
  const seen = new Map<string, Place>();
  const skippedIds = new Set<string>();
  let skipped = 0;
  let isComplete = false;
  for await (const page of readContinents(client, { signal })) {
    for (const { id, name, alias } of page.items)
      seen.set(id, { kind: 'continent', id, name, nodes: null, ipAddresses: null, details: { alias } });
    for (const id of page.skippedIds) skippedIds.add(id);
    skipped += page.skipped;
    isComplete = page.end?.complete ?? false;
  }
  const known = await store.geography.places(account.name);
  const missing = known.filter(
    ({ kind, id }) => kind === 'continent' && !seen.has(id) && !skippedIds.has(id),
  );
  await store.geography.save(account.name, [...seen.values()], isComplete ? missing : []);
  return skipped;
}
