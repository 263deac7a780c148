// Stores silences.

import type { Silence, SilenceStore } from '../silence-store.ts';
import type { Database } from './file/database.ts';
import { isHere } from './move/moves.ts';

export const createSilenceStore = (db: Database): SilenceStore => {
  const { sql } = db;
  const all = sql.prepare<[], Silence>(
    `SELECT id, account, alert, subject, comment, starts_at AS startsAt, ends_at AS endsAt FROM silence
     WHERE ${isHere('silence.account')} ORDER BY starts_at, id`,
  );
  const add = sql.prepare<Silence>(
    `INSERT INTO silence (id, account, alert, subject, comment, starts_at, ends_at)
     VALUES (@id, @account, @alert, @subject, @comment, @startsAt, @endsAt)`,
  );
  const remove = sql.prepare<[string]>('DELETE FROM silence WHERE id = ?');
  return {
    all: async () => db.read(() => all.all()),
    add: async (silence) => {
      db.write(() => add.run(silence));
    },
    remove: async (ids) => {
      db.write(() => {
        for (const id of ids) remove.run(id);
      });
    },
  };
};
