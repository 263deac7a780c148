// Stores places and networks.

import type { GeographyStore, Place, PlaceKey } from '../geography-store.ts';
import { MISSED_LISTINGS_UNTIL_REMOVED } from '../listing.ts';
import type { Database } from './file/database.ts';
import { describeRow, json, plain, type RowOf } from './row.ts';

const ROW = describeRow<Place>({
  ...plain('kind id name nodes ipAddresses'),
  ...json('details'),
});

export const createGeographyStore = (db: Database): GeographyStore => {
  const { sql } = db;
  const placesOf = sql.prepare<[number], RowOf<Place>>(
    `SELECT ${ROW.selected} FROM place WHERE account_id = ? ORDER BY kind, id`,
  );
  const put = sql.prepare(
    `INSERT OR REPLACE INTO place (account_id, missed_listings, ${ROW.columns}) VALUES (@accountId, 0, ${ROW.values})`,
  );
  const countMiss = sql.prepare(
    'UPDATE place SET missed_listings = missed_listings + 1 WHERE account_id = ? AND kind = ? AND id = ?',
  );
  const deleteRemoved = sql.prepare(
    `DELETE FROM place WHERE account_id = ? AND missed_listings >= ${MISSED_LISTINGS_UNTIL_REMOVED}`,
  );
  const remove = sql.prepare('DELETE FROM place WHERE account_id = ? AND kind = ? AND id = ?');
  return {
    retain: async (account, places, continents) => {
      const accountId = db.accountId(account);
      const kept = new Set(places.map(keyOf));
      db.write(() => {
        for (const place of placesOf.all(accountId)) {
          const isKept = place.kind === 'continent' ? continents : kept.has(keyOf(place));
          if (!isKept) remove.run(accountId, place.kind, place.id);
        }
      });
    },
    save: async (account, places, missing) => {
      const accountId = db.accountId(account);
      db.write(() => {
        for (const place of places) put.run({ accountId, ...ROW.toRow(place) });
        for (const { kind, id } of missing) countMiss.run(accountId, kind, id);
        deleteRemoved.run(accountId);
      });
    },
    places: async (account) => db.read(() => placesOf.all(db.knownAccountId(account))).map(ROW.fromRow),
  };
};

const keyOf = ({ kind, id }: PlaceKey): string => `${kind} ${id}`;
