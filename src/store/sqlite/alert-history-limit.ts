// Limits the history of alerts: deletes the episodes that ended first. An alert that fires is never deleted.

import type { Database } from './file/database.ts';

/** The limit of the history: about 55 MB. */
const MAX_EPISODES = 200_000;
/** How many episodes one transaction deletes at most. That takes some milliseconds. */
const DELETE_BATCH = 1_000;

/** Its functions run inside transactions. */
export const createHistoryLimit = ({ sql }: Database, maxEpisodes = MAX_EPISODES) => {
  const count = sql.prepare<[], number>('SELECT count(*) FROM alert_history').pluck();
  const deleteFirstEnded = sql.prepare<[number]>(
    `DELETE FROM alert_history WHERE id IN (
       SELECT id FROM alert_history WHERE ended_at IS NOT NULL ORDER BY ended_at LIMIT ?)`,
  );
  /** At least the number of episodes, so that they need not be counted each time. */
  let most = Number.POSITIVE_INFINITY;
  return {
    added: (episodes: number): void => {
      most += episodes;
    },
    enforce: (): void => {
      if (most > maxEpisodes) most = count.get() ?? 0;
      const surplus = Math.min(DELETE_BATCH, most - maxEpisodes);
      if (surplus > 0) deleteFirstEnded.run(surplus);
    },
  };
};
