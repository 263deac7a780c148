// Stores the places of testers, and the observation of each proxy by its newest result.

import type { ProxyObservation, TesterPlace, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import type { ResolvedBatch } from './test-batch.ts';

export interface TestObservations {
  /** Must run after the batch's proxies are stored in `tested_proxy`, inside the same transaction. */
  add(batch: ResolvedBatch): void;
  readonly queries: Pick<TestStore, 'observation' | 'testerPlaces'>;
}

export const createTestObservations = (db: Database): TestObservations => {
  const { sql } = db;
  const putObservation = sql.prepare(
    'UPDATE tested_proxy SET observation = ? WHERE account_id = ? AND proxy = ?',
  );
  const observationOf = sql
    .prepare<[number, string], string | null>(
      `SELECT observation FROM tested_proxy
       WHERE account_id = ? AND proxy = (SELECT id FROM subject WHERE text = ?)`,
    )
    .pluck();
  const putPlace = sql.prepare(
    `INSERT INTO tester_place VALUES (@accountId, @tester, @cityId, @cityName, @countryId)
     ON CONFLICT DO UPDATE SET city_id = excluded.city_id, city_name = excluded.city_name,
       country_id = excluded.country_id
     WHERE (city_id, city_name, country_id) IS NOT (excluded.city_id, excluded.city_name, excluded.country_id)`,
  );
  const placesOf = sql.prepare<[number], TesterPlace & { readonly tester: string }>(
    `SELECT text AS tester, city_id AS cityId, city_name AS cityName, country_id AS countryId
     FROM tester_place JOIN subject ON id = tester WHERE account_id = ?`,
  );
  return {
    add: ({ accountId, observations, places }) => {
      for (const [proxy, observation] of observations)
        putObservation.run(pack(observation), accountId, proxy);
      for (const [tester, place] of places) putPlace.run({ accountId, tester, ...place });
    },
    queries: {
      observation: async (account, proxy) => {
        const packed = db.read(() => observationOf.get(db.knownAccountId(account), proxy));
        return packed ? unpack(packed) : null;
      },
      testerPlaces: async (account) => {
        const rows = db.read(() => placesOf.all(db.knownAccountId(account)));
        return new Map(rows.map(({ tester, ...place }) => [tester, place]));
      },
    },
  };
};

/** An observation is packed as a list of values in this order: the names would need more space than the values. */
const FIELDS = [
  'resultId',
  'testerProxyId',
  'createdAt',
  'updatedAt',
  'address',
  'countryId',
  'cityId',
  'cityName',
  'asnId',
  'asnName',
] as const satisfies readonly (keyof ProxyObservation)[];

const pack = (observation: ProxyObservation): string =>
  JSON.stringify(FIELDS.map((field) => observation[field]));

const unpack = (packed: string): ProxyObservation => {
  const values: unknown[] = JSON.parse(packed);
  return Object.fromEntries(
    FIELDS.map((field, index) => [field, values[index]]),
  ) as unknown as ProxyObservation;
};
