// Statements of targets.

import { type ProxyFacts, type Target, type TargetStore, TESTED } from '../../target-store.ts';
import type { Database } from '../file/database.ts';
import { deleteInSlices, SLICE_ROWS, writeInSlices } from '../slices.ts';

type Row = Omit<Target, 'facts'> & { readonly [name in keyof ProxyFacts]: string | null };

export const createTargetStore = (db: Database): TargetStore => {
  const { sql } = db;
  const targetsOf = sql.prepare<[number, string], Row>(
    `SELECT id, name, provider_id AS providerId, product_type AS productType, protocol, host, port, username, status,
       address, country_id AS countryId, city_name AS cityName, asn_id AS asnId, asn_name AS asnName,
       subnet_id AS subnetId, service_id AS serviceId
     FROM target WHERE account_id = ? AND source = ? ORDER BY id`,
  );
  const sinceOf = sql
    .prepare<[number, string], [string, number]>(
      'SELECT id, since FROM target WHERE account_id = ? AND source = ?',
    )
    .raw();
  const put = sql.prepare(
    `INSERT OR REPLACE INTO target VALUES (@accountId, @source, @id, @name, @providerId, @productType, @protocol,
       @host, @port, @username, @status, @address, @countryId, @cityName, @asnId, @asnName, @subnetId, @serviceId,
       coalesce((SELECT since FROM target WHERE account_id = @accountId AND source = @source AND id = @id), @now))`,
  );
  const remove = sql.prepare('DELETE FROM target WHERE account_id = ? AND source = ? AND id = ?');
  const removeOthers = sql.prepare(
    `DELETE FROM target WHERE account_id = ? AND source NOT IN (SELECT value FROM json_each(?)) LIMIT ${SLICE_ROWS}`,
  );

  return {
    of: async (account, source) =>
      db.read(() => targetsOf.all(db.knownAccountId(account), source)).map(fromRow),
    since: async (account, source) => new Map(db.read(() => sinceOf.all(db.knownAccountId(account), source))),
    save: async (account, source, changed, goneIds, now) => {
      const accountId = db.accountId(account);
      // What is left to do after a crash shows when the source is next read.
      await writeInSlices(db, goneIds, (slice) => {
        for (const id of slice) remove.run(accountId, source, id);
      });
      await writeInSlices(db, changed, (slice) => {
        for (const target of slice) put.run({ accountId, source, now, ...toRow(target) });
      });
    },
    retain: async (account, sources) => {
      const accountId = db.accountId(account);
      const kept = JSON.stringify([...sources, TESTED]);
      await deleteInSlices(db, () => removeOthers.run(accountId, kept).changes);
    },
  };
};

const toRow = ({ facts, ...target }: Target): Row => ({ ...target, ...(facts ?? NO_FACTS) });

const NO_FACTS = {
  status: null,
  address: null,
  countryId: null,
  cityName: null,
  asnId: null,
  asnName: null,
  subnetId: null,
  serviceId: null,
} as const;

const fromRow = (row: Row): Target => {
  const { id, name, providerId, productType, protocol, host, port, username, ...facts } = row;
  const target = { id, name, providerId, productType, protocol, host, port, username };
  return { ...target, facts: hasFacts(facts) ? facts : null };
};

/** Facts are stored all together or not at all. */
const hasFacts = (facts: Record<keyof ProxyFacts, string | null>): facts is ProxyFacts =>
  facts.status !== null;
