// Stores which notifications were deleted from the queue although their receiver did not accept them.

import type { Loss } from '../alert-store.ts';
import type { Database } from './file/database.ts';

/** Limit per receiver, the same as for its queue. The oldest are deleted first. */
export const MAX_LOST = 1_000;

/** All functions run inside transactions. */
export const createLostNotifications = ({ sql }: Database) => {
  // Earlier versions queued notifications without groups.
  const add = sql
    .prepare<[Loss, number], string>(
      `INSERT OR REPLACE INTO lost_notification (receiver, created_at, group_key, result)
       SELECT receiver, created_at, coalesce(json_extract(body, '$.groupKey'), ''), ? FROM notification
       WHERE number = ? RETURNING receiver`,
    )
    .pluck();
  const removeOldest = sql.prepare<{ receiver: string; kept: number }>(
    `DELETE FROM lost_notification WHERE receiver = @receiver AND created_at <= (
       SELECT created_at FROM lost_notification WHERE receiver = @receiver
       ORDER BY created_at DESC LIMIT 1 OFFSET @kept)`,
  );
  const find = sql
    .prepare<[string, number, string], Loss>(
      'SELECT result FROM lost_notification WHERE receiver = ? AND created_at = ? AND group_key = ?',
    )
    .pluck();
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
