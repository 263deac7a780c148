// Epochs: an older file of the store, put back, must not make counters fall a little, which Prometheus would take for
// a reset and add all of their value again. They begin at 0 instead, with a new baseline.

import { randomBytes } from 'node:crypto';
import type { StoreEpoch } from '../../store.ts';
import type { Database } from './database.ts';
import { createLostTimes } from './lost-times.ts';
import { NEW_EPOCH, OF_AN_OLDER_FILE } from './new-epoch.ts';
import { readSidecar, type Sidecar, writeSidecar } from './sidecar.ts';

export interface Epochs {
  read(): StoreEpoch;
  /**
   * Takes the store up where it was left, or in a new epoch when its number is below the sidecar's. An opening counts
   * as well as a run: what a process stored before it was killed is shown by the next one. Throws StoreError.
   */
  resume(now: number): StoreEpoch;
  /** Counts what is about to be shown of the store. Inside a transaction. */
  advance(): void;
  /** Tells the sidecar how far the store has come; after that transaction. Throws StoreError. */
  note(): void;
  /** Asks for a new epoch at the next opening, whatever the sidecar will say then; `now` is when the file was put back. */
  markRestored(now: number): void;
}

interface EpochRow {
  readonly storeId: string;
  readonly sequence: number;
  readonly beganAt: number | null;
  readonly isRestored: number;
}

const READ =
  'SELECT store_id AS storeId, sequence, began_at AS beganAt, is_restored AS isRestored FROM epoch';
const LATEST = `SELECT max(at) FROM (
  SELECT max(stored_at) AS at FROM listing UNION ALL SELECT max(read_at) FROM graph)`;

export const createEpochs = (db: Database): Epochs => {
  const { sql, firstStepHoldMs } = db;
  const find = sql.prepare<[], EpochRow>(READ);
  const put = sql.prepare<EpochRow>(
    'INSERT OR REPLACE INTO epoch VALUES (1, @storeId, @sequence, @beganAt, @isRestored)',
  );
  const count = sql
    .prepare<[], number>('UPDATE epoch SET sequence = sequence + 1 RETURNING sequence')
    .pluck();
  const findAccount = sql.prepare('SELECT 1 FROM account');
  const lostTimes = createLostTimes(db);
  const latest = sql.prepare<[], number | null>(LATEST).pluck();
  const beginnings = [...Object.values(NEW_EPOCH), ...OF_AN_OLDER_FILE].map((statement) =>
    sql.prepare(statement),
  );

  let sidecar: Sidecar = new Map();
  let [storeId, sequence] = ['', 0];

  /**
   * A store without an identity is new, or older than identities: then it is an older file if a program that knows of
   * them has been here.
   */
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

  const beginAnew = (now: number): void => {
    // A clock set back must not show the first step before the time of a run that is stored already.
    const heldUntil = Math.max(now, latest.get() ?? now) + firstStepHoldMs;
    for (const begin of beginnings) begin.run({ heldUntil });
  };

  const note = (): void => {
    const others = [...sidecar].filter(([id]) => id !== storeId);
    sidecar = new Map([...others, [storeId, sequence]]);
    writeSidecar(sql.name, sidecar);
  };

  return {
    read: () => db.read(() => ({ beganAt: find.get()?.beganAt ?? null, isNew: false })),
    resume: (now) => {
      sidecar = readSidecar(sql.name);
      const epoch = db.write(() => {
        const found = find.get();
        const row = found ?? newIdentity(now);
        const noted = sidecar.get(row.storeId) ?? 0;
        const isNew = row.isRestored === 1 || noted > row.sequence;
        if (isNew) beginAnew(now);
        // A file that was marked as restored has been put back before, and knows when.
        if (isNew && found?.isRestored !== 1) lostTimes.note(now);
        const beganAt = isNew ? now : row.beganAt;
        [storeId, sequence] = [row.storeId, Math.max(noted, row.sequence) + 1];
        put.run({ storeId, sequence, beganAt, isRestored: 0 });
        return { beganAt, isNew };
      });
      note();
      return epoch;
    },
    advance: () => {
      sequence = count.get() ?? sequence;
    },
    note,
    markRestored: (now) => {
      db.write(() => {
        put.run({ ...(find.get() ?? newIdentity(0)), isRestored: 1 });
        lostTimes.note(now);
      });
    },
  };
};
