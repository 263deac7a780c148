// Implements the store of what probes show beyond their results.

import { DAY, MINUTE } from '../../../lib/time.ts';
import {
  BYTE_DIRECTIONS,
  type ByteDirection,
  type ProbeBatch,
  type ProbeStore,
  type SpentBytes,
  type StoredControl,
} from '../../probe-store.ts';
import { createListings } from '../accounts/listings.ts';
import { createCounters, NO_COUNTER } from '../counters.ts';
import { type Database, writeFor } from '../file/database.ts';
import { describeRow, flags, plain, type RowOf } from '../row.ts';
import { createExits, createPhases, createProbeFailures } from './results.ts';

export const createProbeStore = (db: Database): ProbeStore => {
  // Holds are compared with the time of the results, which are proxy tests: see future-holds.ts.
  const listings = createListings(db, 'proxy_tests');
  const counters = createCounters(db);
  const phases = createPhases(db);
  const failures = createProbeFailures(db);
  const exits = createExits(db);

  const countBytes = (accountId: number, bytes: ProbeBatch['bytes'], heldUntil: number): void => {
    const growth: Record<string, number> = {};
    const grow = (name: string, by: number): void => {
      growth[name] = (growth[name] ?? 0) + by;
    };
    for (const each of bytes)
      for (const direction of BYTE_DIRECTIONS) grow(byteName(each.url, direction), each[direction]);
    counters.grow(bytesOwner(accountId), growth, heldUntil);
  };

  return {
    ...createControls(db),
    ...phases.queries,
    ...failures.queries,
    ...exits.queries,
    ...createSpending(db),
    open: async (account, urls, refusalClasses, now) => {
      const accountId = db.accountId(account);
      const heldUntil = db.read(() => listings.heldUntil(accountId, now));
      const names = urls.flatMap((url) => BYTE_DIRECTIONS.map((direction) => byteName(url, direction)));
      db.write(() => {
        counters.create(bytesOwner(accountId), names, heldUntil);
        counters.create(refusalsOwner(accountId), refusalClasses, heldUntil);
      });
    },
    saveBatch: (account, batch) =>
      writeFor(db, account, (accountId) => {
        const { now } = batch;
        const heldUntil = listings.heldUntil(accountId, now);
        phases.add(accountId, batch.phases, now, heldUntil);
        countBytes(accountId, batch.bytes, heldUntil);
        counters.grow(refusalsOwner(accountId), Object.fromEntries(batch.refusals), heldUntil);
        failures.add(accountId, batch.failures, now);
        exits.add(accountId, batch.exits, now);
      }),
    bytes: async (account, urls) =>
      db.read(() => {
        const owner = bytesOwner(db.knownAccountId(account));
        const find = (direction: ByteDirection, url: string) =>
          counters.find(owner, byteName(url, direction)) ?? NO_COUNTER;
        return new Map(
          urls.map((url) => [url, { sent: find('sent', url), received: find('received', url) }]),
        );
      }),
    refusals: async (account, classes) =>
      db.read(() => counters.of(refusalsOwner(db.knownAccountId(account)), classes)),
  };
};

const bytesOwner = (accountId: number): string => `proxy_tests/${accountId}/probe_bytes`;
const refusalsOwner = (accountId: number): string => `proxy_tests/${accountId}/probe_refusals`;
const byteName = (url: string, direction: ByteDirection): string => `${direction} ${url}`;

/** Slots of this width are fine enough for a window of one day, and need few rows. */
const SLOT_MS = 10 * MINUTE;
/** So many slots are kept. An age would be measured by the clock, and one that is days ahead would delete today's slots. */
const KEPT_SLOTS = (2 * DAY) / SLOT_MS;

const createSpending = (db: Database): Pick<ProbeStore, 'spend' | 'spent'> => {
  const add = db.sql.prepare(
    'INSERT INTO probe_spend VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes',
  );
  const deleteOld = db.sql.prepare<{ accountId: number }>(
    `DELETE FROM probe_spend WHERE account_id = @accountId AND at <= (
       SELECT at FROM probe_spend WHERE account_id = @accountId ORDER BY at DESC LIMIT 1 OFFSET ${KEPT_SLOTS})`,
  );
  const spentSince = db.sql.prepare<[number, number], SpentBytes>(
    'SELECT at, bytes FROM probe_spend WHERE account_id = ? AND at >= ? ORDER BY at',
  );
  return {
    spend: (account, amounts) =>
      writeFor(db, account, (accountId) => {
        for (const { at, bytes } of amounts) add.run(accountId, Math.floor(at / SLOT_MS) * SLOT_MS, bytes);
        deleteOld.run({ accountId });
      }),
    spent: async (account, from) => db.read(() => spentSince.all(db.knownAccountId(account), from)),
  };
};

const CONTROL = describeRow<StoredControl>({
  ...plain('url failingRounds unreachedRounds at error'),
  ...flags('isSuccessful'),
});

const createControls = (db: Database): Pick<ProbeStore, 'controls' | 'saveControls'> => {
  const controlsOf = db.sql.prepare<[number], RowOf<StoredControl>>(
    `SELECT ${CONTROL.selected} FROM probe_control WHERE account_id = ? ORDER BY url`,
  );
  const put = db.sql.prepare(
    `INSERT INTO probe_control (account_id, ${CONTROL.columns}) VALUES (@accountId, ${CONTROL.values})
     ON CONFLICT DO UPDATE SET is_successful = excluded.is_successful, error = excluded.error, at = excluded.at,
       failing_rounds = iif(excluded.failing_rounds = 0, 0, failing_rounds + 1),
       unreached_rounds = iif(excluded.unreached_rounds = 0, 0, unreached_rounds + 1)`,
  );
  return {
    controls: async (account) =>
      db.read(() => controlsOf.all(db.knownAccountId(account))).map(CONTROL.fromRow),
    saveControls: (account, results, now) =>
      writeFor(db, account, (accountId) => {
        for (const { isUnreached, ...result } of results) {
          const rounds = {
            failingRounds: Number(!result.isSuccessful),
            unreachedRounds: Number(isUnreached),
          };
          put.run({ accountId, ...CONTROL.toRow({ ...result, ...rounds, at: now }) });
        }
      }),
  };
};
