// Statements of where testers stand, and of what the newest result said of each proxy.

import type { ProxyObservation, TesterPlace, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import type { NumberedBatch } from './test-batch.ts';

export interface TestObservations {
  /** After the batch's turns. Inside a transaction. */
  add(batch: NumberedBatch): void;
  readonly readings: Pick<TestStore, 'sighting' | 'testerPlaces'>;
}

export const createTestObservations = (db: Database): TestObservations => {
  const { sql } = db;
  const putSighting = sql.prepare('UPDATE tested_proxy SET seen = ? WHERE account_id = ? AND proxy = ?');
  const sightingOf = sql
    .prepare<[number, string], string | null>(
      `SELECT seen FROM tested_proxy
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
    add: ({ accountId, sightings, places }) => {
      for (const [proxy, sighting] of sightings) putSighting.run(pack(sighting), accountId, proxy);
      for (const [tester, place] of places) putPlace.run({ accountId, tester, ...place });
    },
    readings: {
      sighting: async (account, proxy) => {
        const packed = db.read(() => sightingOf.get(db.knownAccountId(account), proxy));
        return packed ? unpack(packed) : null;
      },
      testerPlaces: async (account) => {
        const rows = db.read(() => placesOf.all(db.knownAccountId(account)));
        return new Map(rows.map(({ tester, ...place }) => [tester, place]));
      },
    },
  };
};

/** In the order in which they are packed, as a list: the names would take more room than the values. */
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

const pack = (sighting: ProxyObservation): string => JSON.stringify(FIELDS.map((field) => sighting[field]));

const unpack = (packed: string): ProxyObservation => {
  const values: unknown[] = JSON.parse(packed);
  return Object.fromEntries(
    FIELDS.map((field, index) => [field, values[index]]),
  ) as unknown as ProxyObservation;
};
