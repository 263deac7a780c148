// Stores counted requests and errors by hour, and what samples show of errors by class, proxy user and host name.

import { HOUR } from '../../../lib/time.ts';
import {
  type CountedWindow,
  type RequestCount,
  type RequestLogState,
  type RequestLogStore,
  SAMPLE_KINDS,
  type SampledSum,
  type WindowResult,
} from '../../request-log-store.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { ofAccount, type Tables } from '../table.ts';
import { createClients } from './clients.ts';
import { createErrorSums, createRequestCounters } from './sums.ts';

const ofHours = { expired: 'hour < @oldest', move: ofAccount() };

export const REQUEST_LOG_TABLES = {
  // The counters begin at 0 in a new epoch, so what was counted since the older file must not be counted for them again.
  request_log: {
    times: ['counted_to', 'clients_from'],
    reset: 'UPDATE request_log SET counted_to = NULL, clients_from = NULL',
    move: ofAccount(),
  },
  request_log_count: ofHours,
  request_log_sample: ofHours,
  request_log_client: { times: ['first_at', 'last_at'], expired: 'last_at < @oldest', move: ofAccount() },
} as const satisfies Tables;

/** A window that ended longer before the newest settled minute is old: it is counted after downtime. */
const FRESH_MS = 2 * HOUR;

export const createRequestLogStore = (db: Database): RequestLogStore => {
  const { sql } = db;
  const listings = createListings(db, 'request_log');
  const counters = createRequestCounters(db);
  const samples = createErrorSamples(db);
  const clients = createClients(db);
  const begin = sql.prepare<[number, number]>(
    `INSERT INTO request_log (account_id, counted_to) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET counted_to = coalesce(counted_to, excluded.counted_to)`,
  );
  const read = sql.prepare<[number], { readonly countedTo: number | null; readonly recent: string }>(
    'SELECT counted_to AS countedTo, recent FROM request_log WHERE account_id = ?',
  );
  const advance = sql.prepare('UPDATE request_log SET counted_to = ?, recent = ? WHERE account_id = ?');
  const addCount = sql.prepare(
    `INSERT INTO request_log_count VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET amount = amount + excluded.amount`,
  );

  const stateOf = (accountId: number): RequestLogState | undefined => {
    const row = read.get(accountId);
    if (!row || row.countedTo === null) return undefined;
    return { countedTo: row.countedTo, recent: JSON.parse(row.recent) as CountedWindow[] };
  };

  /** All requests of a product type have no class and no code. */
  const storeCounts = (accountId: number, hour: number, { productType, requests, errors }: RequestCount) => {
    addCount.run(accountId, hour, productType, '', '', requests);
    for (const { class: refusal, code, errors: rows } of errors)
      addCount.run(accountId, hour, productType, refusal, code, rows);
  };

  const save = (accountId: number, window: WindowResult, now: number, settledTo = now): void => {
    const { from, to, counts } = window;
    const before = stateOf(accountId);
    // Another window was stored meanwhile, or the counters began again.
    if (before?.countedTo !== from) return;
    const hour = Math.floor(from / HOUR) * HOUR;
    advance.run(
      to,
      JSON.stringify(window.to < settledTo - FRESH_MS ? before.recent : recentWith(before.recent, window)),
      accountId,
    );
    counters.grow(accountId, window, listings.heldUntil(accountId, now));
    listings.recordPage(accountId, now);
    clients.save(accountId, window);
    if (counts === null) return;
    addCount.run(accountId, hour, '', '', '', to - from);
    for (const count of counts) storeCounts(accountId, hour, count);
    samples.add(accountId, hour, window.samples);
  };

  return {
    open: db.writeOf((accountId, countedTo, now) => {
      begin.run(accountId, countedTo);
      counters.open(accountId, listings.heldUntil(accountId, now));
    }),
    state: db.readOf(stateOf),
    save: db.writeOf(save),
    counters: db.readOf((accountId) => ({
      storedAt: listings.of(accountId).storedAt,
      counters: counters.all(accountId),
    })),
    sums: createErrorSums(db),
    clients: db.readOf(clients.all),
    clientsOf: db.readOf(clients.of),
    forgetClients: db.writeOf(clients.forget),
  };
};

const recentWith = (
  recent: readonly CountedWindow[],
  { from, to, counts }: WindowResult,
): readonly CountedWindow[] =>
  counts === null ? recent : [...recent.filter((window) => window.to > to - HOUR), { from, to, counts }];

/** The most users, and the most host names, of an hour. All others are added up. */
const MAX_NAMES = 20;

const createErrorSamples = ({ sql, prepareValue }: Database) => {
  const OF_HOUR = 'FROM request_log_sample WHERE account_id = ? AND hour = ? AND kind = ? AND is_other = 0';
  const sum = (column: string) => `${column} = ${column} + excluded.${column}`;
  // A sum with an unknown part is unknown.
  const onConflict = `ON CONFLICT DO UPDATE SET ${['errors', 'errors_variance', 'bytes'].map(sum).join(', ')}`;
  const put = sql.prepare(
    `INSERT INTO request_log_sample VALUES (@accountId, @hour, @kind, @name, 0, @class, @errors, @errorsVariance, @bytes)
     ${onConflict}`,
  );
  // Names with many errors can appear late in the hour, and take the place of those with few.
  const surplusNames = prepareValue<[number, number, string], string>(
    `SELECT name ${OF_HOUR} GROUP BY name ORDER BY sum(errors) DESC, name LIMIT -1 OFFSET ${MAX_NAMES}`,
  );
  const addToOthers = sql.prepare(
    `INSERT INTO request_log_sample SELECT account_id, hour, kind, '', 1, class, errors, errors_variance, bytes
     ${OF_HOUR} AND name = ? ${onConflict}`,
  );
  const remove = sql.prepare(`DELETE ${OF_HOUR} AND name = ?`);

  return {
    /** Inside a transaction. */
    add: (accountId: number, hour: number, samples: readonly SampledSum[]): void => {
      for (const each of samples) put.run({ accountId, hour, ...each });
      for (const kind of SAMPLE_KINDS)
        for (const name of surplusNames.all(accountId, hour, kind)) {
          addToOthers.run(accountId, hour, kind, name);
          remove.run(accountId, hour, kind, name);
        }
    },
  };
};
