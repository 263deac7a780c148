// Describes the tables of alerts, and stores which alerts each receiver was notified of, and when of each group.

import type { Changes, NotifiedAlert, NotifiedGroup, StoredAlert } from '../../alert-store.ts';
import { isHere } from '../accounts/accounts.ts';
import type { Database } from '../file/database.ts';
import { describeRow, plain } from '../row.ts';
import { BY_NAME, KEEP, shifted, type Tables } from '../table.ts';

const TOLD = (columns: string): string => `SELECT ${columns} FROM source.told_alert WHERE ${BY_NAME}`;

const SILENCES = `(SELECT * FROM source.silence
  UNION ALL SELECT lower(hex(randomblob(6))), name, alert, subject, comment, starts_at, ends_at, until_resolved
    FROM source.silence, temp.moved_account WHERE account IS NULL AND name NOT LIKE 'probes/%')`;

export const ALERT_TABLES = {
  alert: { times: ['since', 'firing_since', 'absent_since', 'ended_at'], move: { where: BY_NAME } },
  alert_history: {
    times: ['since', 'firing_since', 'ended_at'],
    highest: "SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'alert_history'",
    move: { where: BY_NAME, columns: { id: shifted('id', 'alert_history') } },
  },
  alert_history_notice: {
    times: ['firing_at', 'resolved_at'],
    move: {
      where: `episode IN (SELECT id FROM source.alert_history WHERE ${BY_NAME})`,
      columns: { episode: shifted('episode', 'alert_history') },
    },
  },
  told_alert: {
    times: ['firing_since', 'ended_at', 'notified_at'],
    move: { where: BY_NAME, columns: { episode: shifted('episode', 'alert_history') } },
  },
  // A store forgets what a receiver was notified of only if it knows the receiver.
  receiver: { move: { where: `name IN (${TOLD('receiver')})`, onConflict: KEEP } },
  notification_group: {
    times: ['notified_at'],
    move: {
      where: `(receiver, group_key) IN (${TOLD('receiver, group_key')})`,
      onConflict: 'DO UPDATE SET notified_at = max(notified_at, excluded.notified_at)',
    },
  },
  notification: {
    times: ['created_at'],
    // The notifications of an older file were sent long ago or are outdated. Its alerts stay, and ended ones are resolved
    // once the provider's data was read again.
    reset: 'DELETE FROM notification',
    move: 'already formed, so the daemon of this store sends it after its next start',
  },
  lost_notification: {
    // Rows that have the same time now are of the same group and receiver, and say the same.
    corrections: ['UPDATE OR REPLACE lost_notification SET created_at = @now WHERE created_at > @now'],
    move: {
      where: `json_valid(group_key) AND group_key ->> '$.account' IN (SELECT name FROM temp.moved_account)`,
      onConflict: KEEP,
    },
  },
  silence: { move: { from: SILENCES, where: BY_NAME, onConflict: KEEP } },
} as const satisfies Tables;

interface Row
  extends Omit<NotifiedAlert, 'alert'>,
    Pick<StoredAlert, 'account' | 'alert' | 'severity' | 'endedAt' | 'step'> {
  readonly labels: string;
  readonly value: number | null;
  readonly firingSince: number;
}

const ROW = describeRow<Row>(
  plain('receiver account alert labels severity groupKey value firingSince endedAt step notifiedAt'),
  ['receiver', 'account', 'alert', 'labels', 'severity'],
);
/** How many rows one transaction reads or deletes. */
const PAGE_ROWS = 500;
/** The condition for the rows of an alert with a severity. */
export const OF_ALERT = 'account = @account AND alert = @alert AND labels = @labels AND severity = @severity';

/** All functions run inside transactions. */
export const createNotifiedAlerts = ({ sql }: Database) => {
  const page = sql.prepare<[...string[], number], Row>(
    `SELECT ${ROW.selected} FROM told_alert WHERE (receiver, account, alert, labels, severity) > (?, ?, ?, ?, ?)
       AND ${isHere('told_alert.account')}
     ORDER BY receiver, account, alert, labels, severity LIMIT ?`,
  );
  const put = sql.prepare<Row & { readonly episode: number | null }>(
    `INSERT INTO told_alert (${ROW.columns}, episode) VALUES (${ROW.values}, @episode)
     ON CONFLICT DO UPDATE SET ${ROW.updates}, episode = coalesce(@episode, episode)`,
  );
  const remove = sql.prepare<Pick<Row, 'receiver' | 'account' | 'alert' | 'labels' | 'severity'>>(
    `DELETE FROM told_alert WHERE receiver = @receiver AND ${OF_ALERT}`,
  );
  const ofReceiver = sql.prepare<[string, number], Row>(
    'SELECT receiver, account, alert, labels, severity FROM told_alert WHERE receiver = ? LIMIT ?',
  );
  const groups = sql.prepare<[], NotifiedGroup>(
    'SELECT receiver, group_key AS groupKey, notified_at AS notifiedAt FROM notification_group',
  );
  const putGroup = sql.prepare<NotifiedGroup>(
    'INSERT OR REPLACE INTO notification_group VALUES (@receiver, @groupKey, @notifiedAt)',
  );
  return {
    page: (after?: NotifiedAlert) => page.all(...keyOf(after), PAGE_ROWS).map(fromRow),
    groups: () => groups.all(),
    /** An alert that is removed and put stays. `episodeOf` returns the episodes of which the receivers were just notified. */
    change: (changes: Changes<NotifiedAlert>, episodeOf: (row: Row) => number | undefined): void => {
      for (const each of changes.removed) remove.run(toRow(each));
      for (const each of changes.put) {
        const row = toRow(each);
        put.run({ ...row, episode: episodeOf(row) ?? null });
      }
    },
    changeGroups: (changes: Changes<NotifiedGroup>): void => {
      for (const group of changes.put) putGroup.run(group);
      for (const { receiver, groupKey } of changes.removed)
        sql.run('DELETE FROM notification_group WHERE receiver = ? AND group_key = ?', receiver, groupKey);
    },
    forgetGroups: (receiver: string): void =>
      void sql.run('DELETE FROM notification_group WHERE receiver = ?', receiver),
    forget: (receiver: string): boolean => {
      const batch = ofReceiver.all(receiver, PAGE_ROWS);
      for (const row of batch) remove.run(row);
      return batch.length === PAGE_ROWS;
    },
  };
};

/** Returns the stored form of labels, which does not depend on their order. */
export const labelsText = (labels: StoredAlert['labels']): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))),
  );

const fromRow = ({
  receiver,
  groupKey,
  notifiedAt,
  labels,
  value,
  firingSince,
  ...row
}: Row): NotifiedAlert => ({
  ...{ receiver, groupKey, notifiedAt },
  alert: {
    ...row,
    ...{ labels: JSON.parse(labels), value: value ?? Number.NaN },
    ...{ since: firingSince, skippedMs: 0, firingSince, absentSince: null },
  },
});

/** The primary key; lower than all keys if there is no alert. */
const keyOf = (notified: NotifiedAlert | undefined): string[] => {
  if (!notified) return ['', '', '', '', ''];
  const { account, alert, labels, severity } = notified.alert;
  return [notified.receiver, account, alert, labelsText(labels), severity];
};

const toRow = ({ receiver, groupKey, notifiedAt, alert: known }: NotifiedAlert): Row => {
  const { account, alert, labels, severity, value, since, firingSince, endedAt, step } = known;
  const times = { firingSince: firingSince ?? since, endedAt, notifiedAt };
  return { receiver, groupKey, account, alert, labels: labelsText(labels), severity, value, step, ...times };
};
