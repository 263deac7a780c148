// Stores which alerts each receiver was notified of, and when it was last notified of each group.

import type { Changes, NotifiedGroup, StoredAlert, ToldAlert } from '../../alert-store.ts';
import type { Database } from '../file/database.ts';
import { isHere } from '../move/moves.ts';

interface Row {
  readonly receiver: string;
  readonly groupKey: string;
  readonly account: string;
  readonly alert: string;
  readonly labels: string;
  readonly severity: string;
  readonly value: number | null;
  readonly firingSince: number;
  readonly endedAt: number | null;
  readonly step: number;
  readonly notifiedAt: number;
}

/** How many rows one transaction reads or deletes. */
const PAGE_ROWS = 500;
const KEY = 'account = @account AND alert = @alert AND labels = @labels AND severity = @severity';

/** All functions run inside transactions. */
export const createToldAlerts = ({ sql }: Database) => {
  const page = sql.prepare<[...string[], number], Row>(
    `SELECT receiver, group_key AS groupKey, account, alert, labels, severity, value, firing_since AS firingSince,
       ended_at AS endedAt, step, notified_at AS notifiedAt
     FROM told_alert WHERE (receiver, account, alert, labels, severity) > (?, ?, ?, ?, ?)
       AND ${isHere('told_alert.account')}
     ORDER BY receiver, account, alert, labels, severity LIMIT ?`,
  );
  const put = sql.prepare<Row & { readonly episode: number | null }>(
    `INSERT INTO told_alert VALUES (@receiver, @account, @alert, @labels, @severity, @groupKey, @value, @firingSince,
       @endedAt, @step, @notifiedAt, @episode)
     ON CONFLICT DO UPDATE SET group_key = @groupKey, value = @value, firing_since = @firingSince,
       ended_at = @endedAt, step = @step, notified_at = @notifiedAt, episode = coalesce(@episode, episode)`,
  );
  const remove = sql.prepare<Pick<Row, 'receiver' | 'account' | 'alert' | 'labels' | 'severity'>>(
    `DELETE FROM told_alert WHERE receiver = @receiver AND ${KEY}`,
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
  const removeGroup = sql.prepare<[string, string]>(
    'DELETE FROM notification_group WHERE receiver = ? AND group_key = ?',
  );
  const removeGroupsOf = sql.prepare<[string]>('DELETE FROM notification_group WHERE receiver = ?');
  return {
    page: (after?: ToldAlert) => page.all(...keyOf(after), PAGE_ROWS).map(fromRow),
    groups: () => groups.all(),
    /** An alert that is removed and put stays. `episodeOf` returns the episodes of which the receivers were just notified. */
    change: (told: Changes<ToldAlert>, episodeOf: (row: Row) => number | undefined): void => {
      for (const each of told.removed) remove.run(toRow(each));
      for (const each of told.put) {
        const row = toRow(each);
        put.run({ ...row, episode: episodeOf(row) ?? null });
      }
    },
    changeGroups: (changes: Changes<NotifiedGroup>): void => {
      for (const group of changes.put) putGroup.run(group);
      for (const { receiver, groupKey } of changes.removed) removeGroup.run(receiver, groupKey);
    },
    forgetGroups: (receiver: string): void => void removeGroupsOf.run(receiver),
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

const fromRow = ({ receiver, groupKey, notifiedAt, labels, value, firingSince, ...row }: Row): ToldAlert => ({
  ...{ receiver, groupKey, notifiedAt },
  alert: {
    ...row,
    ...{ labels: JSON.parse(labels), value: value ?? Number.NaN },
    ...{ since: firingSince, firingSince, absentSince: null },
  },
});

/** The primary key; lower than all keys if there is no alert. */
const keyOf = (told: ToldAlert | undefined): string[] => {
  if (!told) return ['', '', '', '', ''];
  const { account, alert, labels, severity } = told.alert;
  return [told.receiver, account, alert, labelsText(labels), severity];
};

const toRow = ({ receiver, groupKey, notifiedAt, alert: told }: ToldAlert): Row => {
  const { account, alert, labels, severity, value, since, firingSince, endedAt, step } = told;
  const times = { firingSince: firingSince ?? since, endedAt, notifiedAt };
  return { receiver, groupKey, account, alert, labels: labelsText(labels), severity, value, step, ...times };
};
