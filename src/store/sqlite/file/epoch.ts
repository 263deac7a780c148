// Begins a new epoch when an older file of the store was put back: counters start at 0 again, with a new baseline.
// Otherwise they would fall a little, and Prometheus would take that for a reset and add their whole value again.

import { randomBytes } from 'node:crypto';
import { DAY } from '../../../lib/time.ts';
import type { StoreEpoch } from '../../store.ts';
import type { MissingPeriod } from '../../test-store.ts';
import { ofTables } from '../tables.ts';
import type { Database } from './database.ts';
import { readSidecar, type Sidecar, writeSidecar } from './sidecar.ts';

interface EpochRow {
  readonly storeId: string;
  readonly sequence: number;
  readonly beganAt: number | null;
  readonly isRestored: number;
}

const READ_EPOCH =
  'SELECT store_id AS storeId, sequence, began_at AS beganAt, is_restored AS isRestored FROM epoch';
const NEWEST_STORED_AT = `SELECT max(at) FROM (
  SELECT max(stored_at) AS at FROM listing UNION ALL SELECT max(read_at) FROM graph)`;

export const createEpochs = (db: Database) => {
  const { sql, firstStepHoldMs, prepareValue } = db;
  const find = sql.prepare<[], EpochRow>(READ_EPOCH);
  const putEpoch = sql.prepare<EpochRow>(
    'INSERT OR REPLACE INTO epoch VALUES (1, @storeId, @sequence, @beganAt, @isRestored)',
  );
  const incrementSequence = prepareValue<[], number>(
    'UPDATE epoch SET sequence = sequence + 1 RETURNING sequence',
  );
  const findAccount = sql.prepare('SELECT 1 FROM account');
  const missingPeriods = createMissingPeriods(db);
  const newestStoredAt = prepareValue<[], number | null>(NEWEST_STORED_AT);
  const resetStatements = ofTables(({ reset }) => reset && sql.prepare(reset));

  let sidecar: Sidecar = new Map();
  let [storeId, sequence] = ['', 0];

  /** A store without an identity is new or early. An early one is an older file if the sidecar shows a newer program. */
  const newIdentity = (now: number): EpochRow => {
    const isUsed = findAccount.get() !== undefined;
    const isRestored = Number(isUsed && sidecar.size > 0);
    return {
      storeId: randomBytes(16).toString('hex'),
      sequence: 0,
      beganAt: isUsed ? null : now,
      isRestored,
    };
  };

  const beginEpoch = (now: number): void => {
    // If the clock was set back, the first step must not be shown before the time of a run that is already stored.
    const heldUntil = Math.max(now, newestStoredAt.get() ?? now) + firstStepHoldMs;
    for (const reset of resetStatements) reset.run({ heldUntil });
  };

  const updateSidecar = (): void => {
    const others = [...sidecar].filter(([id]) => id !== storeId);
    sidecar = new Map([...others, [storeId, sequence]]);
    writeSidecar(sql.name, sidecar);
  };

  return {
    read: (): StoreEpoch =>
      db.read(() => {
        const { beganAt = null, storeId = '' } = find.get() ?? {};
        return { beganAt, isNew: false, storeId };
      }),
    /**
     * Continues the epoch, or begins a new one if the store's number is below the sidecar's. Each opening raises the
     * number too, because a process shows what the one before it stored until it was killed. Throws StoreError.
     */
    open: (now: number): StoreEpoch => {
      sidecar = readSidecar(sql.name);
      const epoch = db.write(() => {
        const found = find.get();
        const row = found ?? newIdentity(now);
        const sidecarSequence = sidecar.get(row.storeId) ?? 0;
        const isNew = row.isRestored === 1 || sidecarSequence > row.sequence;
        if (isNew) beginEpoch(now);
        // `markRestored` has already recorded the missing period of a restored file.
        if (isNew && found?.isRestored !== 1) missingPeriods.record(now);
        const beganAt = isNew ? now : row.beganAt;
        [storeId, sequence] = [row.storeId, Math.max(sidecarSequence, row.sequence) + 1];
        putEpoch.run({ storeId, sequence, beganAt, isRestored: 0 });
        return { beganAt, isNew, storeId };
      });
      updateSidecar();
      return epoch;
    },
    /** Raises the store's number, because new data is about to be shown. Inside a transaction. */
    advance: (): void => {
      sequence = incrementSequence.get() ?? sequence;
    },
    /** Writes the store's number to the sidecar, after the transaction of `advance`. Throws StoreError. */
    updateSidecar,
    /** Begins a new epoch at once, and records the period from the last write to `now` as missing. */
    restart: (now: number): void => {
      db.write(() => {
        missingPeriods.record(now);
        beginEpoch(now);
      });
    },
    /** Makes the next opening begin a new epoch, whatever the sidecar says then. `now` is when the file was put back. */
    markRestored: (now: number): void => {
      db.write(() => {
        putEpoch.run({ ...(find.get() ?? newIdentity(0)), isRestored: 1 });
        missingPeriods.record(now);
      });
    },
  };
};

export type Epochs = ReturnType<typeof createEpochs>;

/** Older periods do not affect the daily budget of test runs. */
const RETENTION_MS = 2 * DAY;
const MAX_PERIODS = 8;

/** Finds the time of the last write (ms). The slot of a spent test run begins before the run is written. */
const LAST_WRITTEN_AT = `SELECT max(at) FROM (
  SELECT max(finished_at) AS at FROM run UNION ALL SELECT max(stored_at) FROM listing
  UNION ALL SELECT max(read_at) FROM graph UNION ALL SELECT max(at) FROM test_spend)`;

export const createMissingPeriods = ({ sql, prepareValue }: Database) => {
  const lastWritten = prepareValue<[], number | null>(LAST_WRITTEN_AT);
  const put = sql.prepare(
    'INSERT INTO missing_period VALUES (?, ?) ON CONFLICT DO UPDATE SET ended_at = max(ended_at, excluded.ended_at)',
  );
  const dropOld = sql.prepare(
    `DELETE FROM missing_period WHERE ended_at < ? OR began_at NOT IN (
       SELECT began_at FROM missing_period ORDER BY ended_at DESC LIMIT ${MAX_PERIODS})`,
  );
  const dropOldOfAccounts = sql.prepare('DELETE FROM account_missing_period WHERE ended_at < ?');
  const find = sql.prepare<[number], MissingPeriod>(
    `SELECT began_at AS "from", ended_at AS "to" FROM missing_period
     UNION SELECT began_at, ended_at FROM account_missing_period WHERE account_id = ?`,
  );
  return {
    /** Records the period from the last write to `now` (ms) as missing. Inside a transaction. */
    record: (now: number): void => {
      // A merge sees by its end that an older file was put back, so it is recorded even if nothing is missing.
      put.run(Math.min(lastWritten.get() ?? now, now), now);
      for (const statement of [dropOld, dropOldOfAccounts]) statement.run(now - RETENTION_MS);
    },
    /** Returns the periods in which rows of the account may be missing. */
    of: (accountId: number): MissingPeriod[] => find.all(accountId),
  };
};
