// Records in the history when alerts fire and end, and which receivers are notified. Limits the history.

import type { AlertEvent, ReceiverEvent, StoredAlert } from '../../alert-store.ts';
import type { Database } from '../file/database.ts';
import { labelsText, OF_ALERT } from './told-alerts.ts';

type Key = Pick<StoredAlert, 'account' | 'alert' | 'severity'> & { readonly labels: string };
type ReceiverKey = Key & { readonly receiver: string };

/** Returns the episode of which the receiver was notified by the recorded events; undefined if there is none. */
type EpisodeOf = (key: ReceiverKey) => number | undefined;

/** Records the events, inside a transaction. */
type RecordEvents = (events: readonly AlertEvent[]) => EpisodeOf;

export const createAlertEvents = (db: Database, maxEpisodes?: number): RecordEvents => {
  const { sql } = db;
  const add = sql.prepare<Key & Pick<StoredAlert, 'since' | 'value'> & { readonly at: number }>(
    `INSERT INTO alert_history (account, alert, labels, severity, since, firing_since, value)
     VALUES (@account, @alert, @labels, @severity, @since, @at, @value) ON CONFLICT DO NOTHING`,
  );
  // If the clock was set back, the end may seem to be before the beginning.
  const end = sql.prepare<Key & Pick<StoredAlert, 'value'> & { readonly at: number }>(
    `UPDATE alert_history SET ended_at = max(@at, firing_since), last_value = @value
     WHERE ${OF_ALERT} AND ended_at IS NULL`,
  );
  const notices = createNotices(db);
  const limit = createHistoryLimit(db, maxEpisodes);
  return (events) => {
    const episodes = new Map<string, number>();
    for (const event of events) {
      const { at } = event;
      const { account, alert, severity, labels, value, since } = event.alert;
      const key = { account, alert, severity, labels: labelsText(labels) };
      if ('receiver' in event) notices(event, { ...key, receiver: event.receiver }, episodes);
      else if (event.kind === 'resolved') end.run({ ...key, at, value });
      else limit.added(add.run({ ...key, since, at, value }).changes);
    }
    if (events.length > 0) limit.enforce();
    return (key) => episodes.get(mapKey(key));
  };
};

/** Returns a function that records a notice, and keeps in `episodes` which episode it was about. */
const createNotices = ({ sql, prepareValue }: Database) => {
  const firing = prepareValue<Key, number>(
    `SELECT id FROM alert_history WHERE ${OF_ALERT} AND ended_at IS NULL`,
  );
  const notified = prepareValue<ReceiverKey, number | null>(
    `SELECT episode FROM told_alert WHERE receiver = @receiver AND ${OF_ALERT}`,
  );
  const add = sql.prepare<[episode: number, receiver: string, at: number | null]>(
    `INSERT INTO alert_history_notice (episode, receiver, firing_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET firing_at = coalesce(firing_at, excluded.firing_at)`,
  );
  const end = sql.prepare<[at: number, episode: number, receiver: string]>(
    'UPDATE alert_history_notice SET resolved_at = ? WHERE episode = ? AND receiver = ?',
  );
  return ({ kind, at }: ReceiverEvent, key: ReceiverKey, episodes: Map<string, number>): void => {
    const isEnd = kind === 'notified_of_end';
    const episode = isEnd ? (episodes.get(mapKey(key)) ?? notified.get(key)) : firing.get(key);
    if (episode == null) return;
    episodes.set(mapKey(key), episode);
    if (isEnd) end.run(at, episode, key.receiver);
    else add.run(episode, key.receiver, kind === 'aware' ? null : at);
  };
};

const mapKey = ({ receiver, severity, account, alert, labels }: ReceiverKey): string =>
  [receiver, severity, account, alert, labels].join('\n');

/** The limit of the history: about 55 MB. */
const MAX_EPISODES = 200_000;
/** How many episodes one transaction deletes at most. That takes some milliseconds. */
const DELETE_BATCH = 1_000;

/** Its functions run inside transactions. */
const createHistoryLimit = ({ sql, prepareValue }: Database, maxEpisodes = MAX_EPISODES) => {
  const count = prepareValue<[], number>('SELECT count(*) FROM alert_history');
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
