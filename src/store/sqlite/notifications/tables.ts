// Describes the tables of alerts, notifications and silences. Their rows have the name of the account.

import { BY_NAME, KEEP, shifted, type Tables } from '../table.ts';

const TOLD = (columns: string): string => `SELECT ${columns} FROM source.told_alert WHERE ${BY_NAME}`;

const SILENCES = `(SELECT * FROM source.silence
  UNION ALL SELECT lower(hex(randomblob(6))), name, alert, subject, comment, starts_at, ends_at
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
