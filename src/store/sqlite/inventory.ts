// Statements of the inventory.

import type { InventoryListing, InventoryProxy, InventoryStore } from '../inventory-store.ts';
import type { Database } from './database.ts';
import { changesBetween, createInventoryChanges, type NewChange } from './inventory-changes.ts';
import { createListings } from './listings.ts';

/** Rows of a transaction: the first listing stores all that there are, and the event loop is to be free in between. */
const SLICE = 1_000;
/** Complete listings in a row that a proxy is missing from when it is gone. */
const MISSED_WHEN_GONE = 2;

const COLUMNS = `id, product_type AS productType, protocol, status, address,
  http_port AS httpPort, socks5_port AS socks5Port, subnet_id AS subnetId, asn_id AS asnId,
  asn_name AS asnName, city_id AS cityId, city_name AS cityName, country_id AS countryId, service_id AS serviceId`;

interface Missing {
  readonly id: string;
  readonly address: string | null;
  readonly missed: number;
}

export const createInventoryStore = (db: Database): InventoryStore => {
  const { sql } = db;
  const listings = createListings(db, 'inventory');
  const changes = createInventoryChanges(db);
  const find = sql.prepare<[number, string], InventoryProxy>(
    `SELECT ${COLUMNS} FROM inventory_proxy WHERE account_id = ? AND id = ?`,
  );
  const pageOf = sql.prepare<[number, string, number], InventoryProxy>(
    `SELECT ${COLUMNS} FROM inventory_proxy WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const put = sql.prepare(
    `INSERT INTO inventory_proxy (account_id, id, product_type, protocol, status, address, http_port, socks5_port,
       subnet_id, asn_id, asn_name,
       city_id, city_name, country_id, service_id)
     VALUES (@accountId, @id, @productType, @protocol, @status, @address, @httpPort, @socks5Port, @subnetId, @asnId, @asnName, @cityId,
       @cityName, @countryId, @serviceId)
     ON CONFLICT DO UPDATE SET product_type = excluded.product_type, protocol = excluded.protocol,
       status = excluded.status, address = excluded.address, http_port = excluded.http_port,
       socks5_port = excluded.socks5_port, subnet_id = excluded.subnet_id, asn_id = excluded.asn_id,
       asn_name = excluded.asn_name, city_id = excluded.city_id, city_name = excluded.city_name,
       country_id = excluded.country_id, service_id = excluded.service_id`,
  );
  const missedAfter = sql.prepare<[number, string, number], Missing>(
    'SELECT id, address, missed FROM inventory_proxy WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const setMissed = sql.prepare('UPDATE inventory_proxy SET missed = ? WHERE account_id = ? AND id = ?');
  const remove = sql.prepare('DELETE FROM inventory_proxy WHERE account_id = ? AND id = ?');

  /** Stores proxies as they are now; what that changes since the baseline is counted. */
  const saveSlice = (
    accountId: number,
    slice: readonly InventoryProxy[],
    listing: InventoryListing,
  ): void => {
    const found: NewChange[] = [];
    for (const proxy of slice) {
      const before = find.get(accountId, proxy.id);
      const after = overlay(before, proxy);
      put.run({ accountId, ...after });
      found.push(...changesBetween(before, after));
    }
    count(accountId, found, listing);
  };

  /** The first complete listing is history. */
  const count = (
    accountId: number,
    found: readonly NewChange[],
    { startedAt, now }: InventoryListing,
  ): void => {
    if (listings.of(accountId).baselinedAt === null || found.length === 0) return;
    changes.add(accountId, startedAt, found, listings.heldUntil(accountId, now));
  };

  /** Proxies whose count of missed listings changes: read in slices, as there may be many. */
  const missing = async (accountId: number, seen: ReadonlySet<string>): Promise<Missing[]> => {
    const changed: Missing[] = [];
    const sliceAfter = (id: string) => db.read(() => missedAfter.all(accountId, id, SLICE));
    for (let slice = sliceAfter(''); slice.length > 0; slice = sliceAfter(slice.at(-1)?.id ?? '')) {
      for (const row of slice) {
        const missed = seen.has(row.id) ? 0 : row.missed + 1;
        if (missed !== row.missed) changed.push({ ...row, missed });
      }
      await new Promise(setImmediate);
    }
    return changed;
  };

  const complete = (accountId: number, missed: readonly Missing[], listing: InventoryListing): void => {
    const gone = missed.filter((row) => row.missed >= MISSED_WHEN_GONE);
    for (const row of missed) setMissed.run(row.missed, accountId, row.id);
    for (const { id } of gone) remove.run(accountId, id);
    const found = gone.map(
      ({ id, address }): NewChange => ({ change: 'gone', proxyId: id, before: address, after: null }),
    );
    count(accountId, found, listing);
    listings.complete(accountId, listing.startedAt, listing.now);
  };

  return {
    open: async (account, now) => {
      const accountId = db.accountId(account);
      db.write(() => changes.create(accountId, listings.heldUntil(accountId, now)));
    },
    changed: async (account, proxies) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        return proxies.filter((proxy) => {
          const before = find.get(accountId, proxy.id);
          return !before || !isSame(before, overlay(before, proxy));
        });
      }),
    completeListing: async (account, listing) => {
      const accountId = db.accountId(account);
      for (let from = 0; from < listing.changed.length; from += SLICE) {
        db.write(() => saveSlice(accountId, listing.changed.slice(from, from + SLICE), listing));
        await new Promise(setImmediate);
      }
      const missed = await missing(accountId, listing.seen);
      db.write(() => complete(accountId, missed, listing));
    },
    listing: async (account) => db.read(() => listings.of(db.knownAccountId(account))),
    find: async (account, id) => db.read(() => find.get(db.knownAccountId(account), id)),
    page: async (account, after, limit) =>
      db.read(() => pageOf.all(db.knownAccountId(account), after, limit)),
    ...changes.readings,
  };
};

/**
 * The proxy with what was answered laid over what was known: an address, port, network or city that is not given
 * keeps the known one, and its name with it. Anything else may be given back, such as a service.
 */
const overlay = (before: InventoryProxy | undefined, answered: InventoryProxy): InventoryProxy => {
  if (!before) return answered;
  const { address, httpPort, socks5Port, subnetId, asnId, asnName, cityId, cityName, countryId } = before;
  return {
    ...answered,
    httpPort: answered.httpPort ?? httpPort,
    socks5Port: answered.socks5Port ?? socks5Port,
    ...(answered.address === null && { address, subnetId }),
    ...(answered.asnId === null && { asnId, asnName }),
    ...(answered.cityId === null && { cityId, cityName, countryId: answered.countryId ?? countryId }),
  };
};

const isSame = (before: InventoryProxy, after: InventoryProxy): boolean =>
  (Object.keys(before) as (keyof InventoryProxy)[]).every((key) => before[key] === after[key]);
