// Finds what readers know changes of the inventory by: the address of the proxy, the names of networks and cities, and the reason
// of a replacement. The provider names places at its proxies only, so the name of a city is known while a proxy is in it.

import type { InventoryChange, InventoryStore } from '../../inventory-store.ts';
import { REASON_OF_CHANGE } from '../adjustments/reasons.ts';
import type { Database } from '../file/database.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

export const createChangeNames = (db: Database): Pick<InventoryStore, 'nameChanges'> => {
  const addresses = db.sql.prepare<[number, string], Named>(
    `SELECT id, address AS name FROM inventory_proxy
     WHERE account_id = ? AND id IN (SELECT value FROM json_each(?)) AND address IS NOT NULL`,
  );
  /** The name that most proxies have comes last. */
  const namesIn = (column: 'city' | 'asn') =>
    db.sql.prepare<[number, string], Named>(
      `SELECT CAST(${column}_id AS TEXT) AS id, ${column}_name AS name FROM inventory_proxy
       WHERE account_id = ? AND ${column}_id IN (SELECT value FROM json_each(?)) AND ${column}_name IS NOT NULL
       GROUP BY ${column}_id, ${column}_name ORDER BY count(*)`,
    );
  const reasons = db.sql.prepare<[number, string], Named>(
    `SELECT CAST(number AS TEXT) AS id, ${REASON_OF_CHANGE} AS name FROM inventory_change
     WHERE account_id = ? AND number IN (SELECT value FROM json_each(?))`,
  );
  const names = { city: namesIn('city'), asn: namesIn('asn') };

  const nameChanges = db.readOf((accountId, changes: readonly InventoryChange[]) => {
    const idsOf = (kind: InventoryChange['change']): number[] =>
      changes
        .filter(({ change }) => change === kind)
        .flatMap(({ before, after }) => [Number(before), Number(after)]);
    const mapOf = (rows: readonly Named[]) => new Map(rows.map(({ id, name }) => [id, name]));
    // Without a change of this kind, no proxy is read.
    const namesOf = (kind: 'city' | 'asn') => {
      const ids = idsOf(kind);
      return mapOf(ids.length === 0 ? [] : names[kind].all(accountId, JSON.stringify(ids)));
    };
    const named = { city: namesOf('city'), asn: namesOf('asn') };
    const addressById = mapOf(
      addresses.all(accountId, JSON.stringify(changes.map(({ proxyId }) => proxyId))),
    );
    const numbers = JSON.stringify(changes.map(({ number }) => number));
    const reasonByNumber = mapOf(reasons.all(accountId, numbers));
    return changes.map((change) => {
      const known = change.change === 'city' || change.change === 'asn' ? named[change.change] : undefined;
      const nameOf = (id: string | null) => known?.get(id ?? '') ?? null;
      return {
        ...change,
        address: addressById.get(change.proxyId) ?? null,
        reason: reasonByNumber.get(`${change.number}`) ?? null,
        ...{ beforeName: nameOf(change.before), afterName: nameOf(change.after) },
      };
    });
  });
  return { nameChanges };
};
