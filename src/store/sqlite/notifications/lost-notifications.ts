// Stores which notifications were not delivered, and finds what became of those that the history names.

import type { Delivery, Episode } from '../../alert-history-store.ts';
import type { Loss } from '../../alert-store.ts';
import type { Database } from '../file/database.ts';

/** Limit per receiver, the same as for its queue. The oldest are deleted first. */
const MAX_LOST = 1_000;

/** All functions run inside transactions. */
export const createLostNotifications = ({ sql, prepareValue }: Database) => {
  // Earlier versions queued notifications without groups.
  const add = prepareValue<
    [Loss, number],
    string
  >(`INSERT OR REPLACE INTO lost_notification (receiver, created_at, group_key, result)
       SELECT receiver, created_at, coalesce(json_extract(body, '$.groupKey'), ''), ? FROM notification
       WHERE number = ? RETURNING receiver`);
  const removeOldest = sql.prepare<{ receiver: string; kept: number }>(
    `DELETE FROM lost_notification WHERE receiver = @receiver AND created_at <= (
       SELECT created_at FROM lost_notification WHERE receiver = @receiver
       ORDER BY created_at DESC LIMIT 1 OFFSET @kept)`,
  );
  const find = prepareValue<[string, number, string], Loss>(
    'SELECT result FROM lost_notification WHERE receiver = ? AND created_at = ? AND group_key = ?',
  );
  const addAll = sql.prepare<[string]>(
    `INSERT OR REPLACE INTO lost_notification (receiver, created_at, group_key, result)
     SELECT receiver, created_at, coalesce(json_extract(body, '$.groupKey'), ''), 'dropped' FROM notification
     WHERE receiver = ?`,
  );
  return {
    add: (number: number, loss: Loss): void => {
      const receiver = add.get(loss, number);
      if (receiver !== undefined) removeOldest.run({ receiver, kept: MAX_LOST });
    },
    find: (receiver: string, groupKey: string, createdAt: number): Loss | undefined =>
      find.get(receiver, createdAt, groupKey),
    /** Everything that waits for the receiver is lost. The history needs it even when the receiver is no more. */
    addAll: (receiver: string): void => {
      addAll.run(receiver);
      removeOldest.run({ receiver, kept: MAX_LOST });
    },
  };
};

type Labels = Readonly<Record<string, string | undefined>>;
type Subject = Pick<Episode, 'account' | 'alert' | 'severity' | 'labels'>;

/** A notification that the receiver did not accept, or not yet. */
interface Undelivered {
  readonly groupKey: string;
  readonly state: 'waiting' | Loss;
}

/** Returns a function that returns what became of the receiver's notification about an alert. Call it in a transaction. */
export const createDeliveries = ({ sql }: Database) => {
  // Versions without groups queued notifications without a key. Their group contains every alert.
  const undelivered = sql.prepare<{ receiver: string; at: number }, Undelivered>(
    `SELECT coalesce(json_extract(body, '$.groupKey'), '') AS groupKey, 'waiting' AS state FROM notification
     WHERE receiver = @receiver AND created_at = @at
     UNION ALL
     SELECT group_key, result FROM lost_notification WHERE receiver = @receiver AND created_at = @at`,
  );
  const lost = sql.prepare<[string], { readonly count: number; readonly oldest: number | null }>(
    'SELECT count(*) AS count, min(created_at) AS oldest FROM lost_notification WHERE receiver = ?',
  );
  /** Old losses are deleted, so nothing is known about even older notifications of a receiver that lost many. */
  const isForgotten = (receiver: string, at: number): boolean => {
    const { count = 0, oldest = null } = lost.get(receiver) ?? {};
    return count >= MAX_LOST / 2 && at <= (oldest ?? 0);
  };
  return (subject: Subject, receiver: string, at: number | null): Delivery => {
    if (at === null) return 'unknown';
    const found = undelivered.all({ receiver, at }).flatMap(({ groupKey, state }) => {
      const labels: Labels = groupKey === '' ? {} : JSON.parse(groupKey);
      return isInGroup(subject, labels) ? [{ state, size: Object.keys(labels).length }] : [];
    });
    const [own] = found.toSorted((one, other) => other.size - one.size);
    if (own) return own.state === 'waiting' ? 'waiting' : 'given_up';
    return isForgotten(receiver, at) ? 'unknown' : 'accepted';
  };
};

const isInGroup = ({ account, alert, severity, labels }: Subject, group: Labels): boolean => {
  // Keys of groups that began in version 1.0.0 have the former name of the label.
  const all: Labels = { endpoint: labels.api_endpoint, ...labels, account, alertname: alert, severity };
  return Object.entries(group).every(([name, value]) => all[name] === value);
};
