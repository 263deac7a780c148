// Statements of alerts, and of the notices that wait for receivers.

import type { AlertStore, NewNotice, QueuedNotice, StoredAlert } from '../alert-store.ts';
import type { Database } from './file/database.ts';

/** For each receiver: the oldest go first. */
const MAX_WAITING = 1_000;

type Row = Omit<StoredAlert, 'labels' | 'value'> & { readonly labels: string; readonly value: number | null };

export const createAlertStore = (db: Database): AlertStore => {
  const { sql } = db;
  const all = sql.prepare<[], Row>(
    `SELECT account, alert, labels, severity, value, since, firing_since AS firingSince, absent_since AS absentSince,
       ended_at AS endedAt
     FROM alert`,
  );
  const put = sql.prepare<Row>(
    `INSERT OR REPLACE INTO alert VALUES (@account, @alert, @labels, @severity, @value, @since, @firingSince,
       @absentSince, @endedAt)`,
  );
  const remove = sql.prepare<Row>(
    'DELETE FROM alert WHERE account = @account AND alert = @alert AND labels = @labels',
  );
  const forget = sql.prepare<Row>(
    'DELETE FROM alert WHERE account = @account AND alert = @alert AND labels = @labels AND ended_at IS NOT NULL',
  );
  const queue = createQueue(db);
  return {
    all: async () => db.read(() => all.all().map(fromRow)),
    save: async ({ put: changed, removed, notices, receivers, isKeptBack = false }) =>
      db.write(() => {
        for (const alert of changed) put.run(toRow(alert));
        for (const alert of removed) remove.run(toRow(alert));
        const dropped = receivers ? queue.retain(receivers) : new Map<string, number>();
        for (const notice of notices) queue.add(notice, dropped, isKeptBack);
        return dropped;
      }),
    release: () => queue.release(),
    forgetEnded: async (alerts) => {
      db.write(() => {
        for (const alert of alerts) forget.run(toRow(alert));
      });
    },
    receivers: async () => db.read(queue.receivers),
    waiting: async (receiver) => db.read(() => queue.waiting(receiver)),
    nextNotice: async (receiver) => db.read(() => queue.next(receiver)),
    finishNotice: async (number) => {
      db.write(() => queue.finish(number));
    },
  };
};

/** To be used inside transactions. */
const createQueue = ({ sql }: Database) => {
  const receivers = sql.prepare<[], string>('SELECT name FROM receiver ORDER BY name').pluck();
  const putReceiver = sql.prepare<[string]>('INSERT OR IGNORE INTO receiver VALUES (?)');
  const removeReceiver = sql.prepare<[string]>('DELETE FROM receiver WHERE name = ?');
  const removeNotices = sql.prepare<[string]>('DELETE FROM notice WHERE receiver = ?');
  const add = sql.prepare<NewNotice>(
    'INSERT INTO notice (receiver, id, created_at, body) VALUES (@receiver, @id, @createdAt, @body)',
  );
  const grow = sql.prepare<[string, number]>('UPDATE notice SET body = ? WHERE number = ?');
  const count = sql.prepare<[string], number>('SELECT count(*) FROM notice WHERE receiver = ?').pluck();
  const next = sql.prepare<[string], QueuedNotice>(
    'SELECT number, receiver, id, created_at AS createdAt, body FROM notice WHERE receiver = ? ORDER BY number LIMIT 1',
  );
  const removeOldest = sql.prepare<[string, number]>(
    'DELETE FROM notice WHERE number IN (SELECT number FROM notice WHERE receiver = ? ORDER BY number LIMIT ?)',
  );
  const finish = sql.prepare<[number]>('DELETE FROM notice WHERE number = ?');
  const waiting = (receiver: string): number => count.get(receiver) ?? 0;
  /** Numbers by id of what is kept back; in memory alone, so that after a crash it is given out as it is. */
  const keptBack = new Map<string, number>();
  return {
    waiting,
    receivers: () => receivers.all(),
    next: (receiver: string) => {
      const oldest = next.get(receiver);
      return oldest && keptBack.has(oldest.id) ? undefined : oldest;
    },
    release: () => keptBack.clear(),
    finish: (number: number) => finish.run(number),
    add: (notice: NewNotice, dropped: Map<string, number>, isKeptBack: boolean): void => {
      const { receiver, id, body } = notice;
      const known = keptBack.get(id);
      if (known !== undefined) {
        grow.run(body, known);
        return;
      }
      const { lastInsertRowid } = add.run(notice);
      if (isKeptBack) keptBack.set(id, Number(lastInsertRowid));
      const surplus = waiting(receiver) - MAX_WAITING;
      if (surplus <= 0) return;
      const { changes } = removeOldest.run(receiver, surplus);
      dropped.set(receiver, (dropped.get(receiver) ?? 0) + changes);
    },
    /** Returns how many notices went with receivers that are none of these. */
    retain: (names: readonly string[]): Map<string, number> => {
      const dropped = new Map<string, number>();
      for (const name of receivers.all().filter((known) => !names.includes(known))) {
        const { changes } = removeNotices.run(name);
        if (changes > 0) dropped.set(name, changes);
        removeReceiver.run(name);
      }
      for (const name of names) putReceiver.run(name);
      return dropped;
    },
  };
};

const fromRow = ({ labels, value, ...row }: Row): StoredAlert => ({
  ...row,
  labels: JSON.parse(labels),
  value: value ?? Number.NaN,
});

const toRow = ({ labels, ...alert }: StoredAlert): Row => ({
  ...alert,
  labels: JSON.stringify(
    Object.fromEntries(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))),
  ),
});
