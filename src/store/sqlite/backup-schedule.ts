// Stores since when backups are scheduled.

import type { BackupScheduleStore } from '../store.ts';
import type { Database } from './file/database.ts';

interface Row {
  readonly schedule: string;
  readonly since: number;
}

export const createBackupScheduleStore = (db: Database): BackupScheduleStore => {
  const { sql } = db;
  const find = sql.prepare<[], Row>('SELECT schedule, since FROM backup_schedule');
  const put = sql.prepare('INSERT OR REPLACE INTO backup_schedule VALUES (1, ?, ?)');
  return {
    since: async (schedule, now, known) => {
      const before = db.read(() => find.get());
      if (before?.schedule === schedule) return before.since;
      const since = before ? now : known;
      db.write(() => put.run(schedule, since));
      return since;
    },
  };
};
