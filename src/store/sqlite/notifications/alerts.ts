// Stores alerts and silences.

import type {
  AlertStore,
  Loss,
  NewNotification,
  QueuedNotification,
  Silence,
  SilenceStore,
  StoredAlert,
} from '../../alert-store.ts';
import { isHere } from '../accounts/accounts.ts';
import type { Database } from '../file/database.ts';
import { describeRow, flags, plain, type RowOf } from '../row.ts';
import { createAlertEvents } from './events.ts';
import { createNotifiedAlerts, labelsText } from './told-alerts.ts';

/** Limit per receiver. The oldest notifications are dropped first. */
const MAX_QUEUED = 1_000;
/** Limit of lost notifications per receiver. The oldest are deleted first. */
export const MAX_LOST = MAX_QUEUED;
/** How many alerts one transaction reads. */
const PAGE_ROWS = 500;

type Row = Omit<StoredAlert, 'labels' | 'value'> & { readonly labels: string; readonly value: number | null };

const ALERT = describeRow<Row>(
  plain('account alert labels severity value since skippedMs firingSince absentSince endedAt step'),
);
const SILENCE = describeRow<Silence>({
  ...plain('id account alert subject comment startsAt endsAt'),
  ...flags('untilResolved'),
});

/** `maxEpisodes` limits the history, by default as documented. */
export const createAlertStore = (db: Database, maxEpisodes?: number): AlertStore => {
  const { sql } = db;
  const page = sql.prepare<[...string[], number], Row>(
    `SELECT ${ALERT.selected} FROM alert WHERE (account, alert, labels) > (?, ?, ?) AND ${isHere('alert.account')}
     ORDER BY account, alert, labels LIMIT ?`,
  );
  const put = sql.prepare<Row>(`INSERT OR REPLACE INTO alert (${ALERT.columns}) VALUES (${ALERT.values})`);
  const deletion = 'DELETE FROM alert WHERE account = @account AND alert = @alert AND labels = @labels';
  const remove = sql.prepare<Row>(deletion);
  const removeEnded = sql.prepare<Row>(`${deletion} AND ended_at IS NOT NULL`);
  const queue = createQueue(db);
  const notifiedAlerts = createNotifiedAlerts(db);
  const recordEvents = createAlertEvents(db, maxEpisodes);
  return {
    page: db.reading((after) => page.all(...keyOf(after), PAGE_ROWS).map(fromRow)),
    notified: db.reading((after) => notifiedAlerts.page(after)),
    groups: async () => db.read(notifiedAlerts.groups),
    save: async ({ receivers, isHeld = false, ...change }) =>
      db.write(() => {
        // The history needs to know what receivers were notified of before.
        const episodeOf = recordEvents(change.events ?? []);
        for (const alert of change.put) put.run(toRow(alert));
        for (const alert of change.removed) remove.run(toRow(alert));
        if (change.notified) notifiedAlerts.change(change.notified, episodeOf);
        if (change.groups) notifiedAlerts.changeGroups(change.groups);
        const dropped = receivers
          ? queue.retain(receivers, notifiedAlerts.forgetGroups)
          : new Map<string, number>();
        for (const notification of change.notifications) queue.add(notification, dropped, isHeld);
        return dropped;
      }),
    releaseHeld: () => queue.release(),
    forgetEnded: db.writing((alerts) => {
      for (const alert of alerts) removeEnded.run(toRow(alert));
    }),
    forgetReceiver: async (receiver) => db.write(() => notifiedAlerts.forget(receiver)),
    receivers: async () => db.read(queue.receivers),
    queuedCount: db.reading((receiver) => queue.count(receiver)),
    nextNotification: db.reading((receiver) => queue.next(receiver)),
    removeNotification: db.writing((number, loss) => queue.remove(number, loss)),
    lossOf: db.reading((receiver, groupKey, createdAt) => queue.lossOf(receiver, groupKey, createdAt)),
  };
};

/** The queue of notifications, and those that were lost from it. All its functions run inside transactions. */
const createQueue = ({ sql, prepareValue }: Database) => {
  const receivers = prepareValue<[], string>('SELECT name FROM receiver ORDER BY name');
  const add = sql.prepare<NewNotification>(
    'INSERT INTO notification (receiver, id, created_at, body) VALUES (@receiver, @id, @createdAt, @body)',
  );
  const countOf = prepareValue<[string], number>('SELECT count(*) FROM notification WHERE receiver = ?');
  const next = sql.prepare<[string], QueuedNotification>(
    `SELECT number, receiver, id, created_at AS createdAt, body FROM notification
     WHERE receiver = ? ORDER BY number LIMIT 1`,
  );
  const oldestNumbers = prepareValue<[string, number], number>(
    'SELECT number FROM notification WHERE receiver = ? ORDER BY number LIMIT ?',
  );
  // Earlier versions queued notifications without groups.
  const lose = (condition: string) =>
    prepareValue<[Loss, string | number], string>(
      `INSERT OR REPLACE INTO lost_notification (receiver, created_at, group_key, result)
       SELECT receiver, created_at, coalesce(json_extract(body, '$.groupKey'), ''), ? FROM notification
       WHERE ${condition} RETURNING receiver`,
    );
  const [loseOne, loseAllOf] = [lose('number = ?'), lose('receiver = ?')];
  const removeOldestLost = sql.prepare<{ receiver: string; kept: number }>(
    `DELETE FROM lost_notification WHERE receiver = @receiver AND created_at <= (
       SELECT created_at FROM lost_notification WHERE receiver = @receiver
       ORDER BY created_at DESC LIMIT 1 OFFSET @kept)`,
  );
  const lossOf = prepareValue<[string, string, number], Loss>(
    'SELECT result FROM lost_notification WHERE receiver = ? AND group_key = ? AND created_at = ?',
  );
  const limitLost = ([receiver]: readonly string[]): void => {
    if (receiver !== undefined) removeOldestLost.run({ receiver, kept: MAX_LOST });
  };
  const queuedCount = (receiver: string): number => countOf.get(receiver) ?? 0;
  /** Numbers of held notifications by id. They are only in memory, so after a crash these are sent as they are. */
  const heldNumbers = new Map<string, number>();
  const remove = (number: number, loss?: Loss): void => {
    if (loss) limitLost(loseOne.all(loss, number));
    sql.run('DELETE FROM notification WHERE number = ?', number);
  };
  return {
    count: queuedCount,
    receivers: () => receivers.all(),
    next: (receiver: string) => {
      const oldest = next.get(receiver);
      return oldest && heldNumbers.has(oldest.id) ? undefined : oldest;
    },
    release: () => heldNumbers.clear(),
    remove,
    lossOf: (receiver: string, groupKey: string, createdAt: number) =>
      lossOf.get(receiver, groupKey, createdAt),
    add: (notification: NewNotification, dropped: Map<string, number>, isHeld: boolean): void => {
      const { receiver, id, body } = notification;
      const held = heldNumbers.get(id);
      if (held !== undefined) {
        sql.run('UPDATE notification SET body = ? WHERE number = ?', body, held);
        return;
      }
      const { lastInsertRowid } = add.run(notification);
      if (isHeld) heldNumbers.set(id, Number(lastInsertRowid));
      const surplus = queuedCount(receiver) - MAX_QUEUED;
      if (surplus <= 0) return;
      for (const number of oldestNumbers.all(receiver, surplus)) remove(number, 'dropped');
      dropped.set(receiver, (dropped.get(receiver) ?? 0) + surplus);
    },
    /** Removes all other receivers with their queues. Returns by receiver how many notifications were dropped. */
    retain: (names: readonly string[], onRemoved: (name: string) => void): Map<string, number> => {
      const dropped = new Map<string, number>();
      for (const name of receivers.all().filter((known) => !names.includes(known))) {
        // Everything that waits for the receiver is lost. The history needs it even when the receiver is no more.
        limitLost(loseAllOf.all('dropped', name));
        const removed = sql.run('DELETE FROM notification WHERE receiver = ?', name);
        if (removed > 0) dropped.set(name, removed);
        sql.run('DELETE FROM receiver WHERE name = ?', name);
        onRemoved(name);
      }
      for (const name of names) sql.run('INSERT OR IGNORE INTO receiver VALUES (?)', name);
      return dropped;
    },
  };
};

const fromRow = ({ labels, value, ...row }: Row): StoredAlert => ({
  ...row,
  labels: JSON.parse(labels),
  value: value ?? Number.NaN,
});

/** The primary key; lower than all keys if there is no alert. */
const keyOf = (alert: StoredAlert | undefined): string[] =>
  alert ? [alert.account, alert.alert, labelsText(alert.labels)] : ['', '', ''];

const toRow = ({ labels, ...alert }: StoredAlert): Row => ({ ...alert, labels: labelsText(labels) });

export const createSilenceStore = ({ sql, ...db }: Database): SilenceStore => {
  const all = sql.prepare<[], RowOf<Silence>>(
    `SELECT ${SILENCE.selected} FROM silence WHERE ${isHere('silence.account')} ORDER BY starts_at, id`,
  );
  return {
    all: db.reading(() => all.all().map(SILENCE.fromRow)),
    add: db.writing((silence) =>
      sql.run(`INSERT INTO silence (${SILENCE.columns}) VALUES (${SILENCE.values})`, SILENCE.toRow(silence)),
    ),
    end: db.writing((ids, at) => {
      for (const id of ids) sql.run('UPDATE silence SET ends_at = ? WHERE id = ?', at, id);
    }),
    remove: db.writing((ids) => {
      for (const id of ids) sql.run('DELETE FROM silence WHERE id = ?', id);
    }),
  };
};
