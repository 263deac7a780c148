// Reads the history of alerts page by page, finds what became of notifications, and deletes what is older than the retention.

import type {
  AlertHistoryStore,
  Delivery,
  Episode,
  EpisodeFilter,
  EpisodeNotice,
} from '../../alert-history-store.ts';
import type { Loss } from '../../alert-store.ts';
import { isHere } from '../accounts/accounts.ts';
import type { Database } from '../file/database.ts';
import { conditionsFor, describeRow, plain } from '../row.ts';
import { SLICE_ROWS, type Slice } from '../slices.ts';
import { MAX_LOST } from './alerts.ts';

/** How many episodes one transaction compares with a filter. That takes about a millisecond. */
const COMPARED_ROWS = 1_000;
/** Of how many episodes one transaction reads what became of their notifications. */
const NOTICED_ROWS = 50;

type EpisodeRow = Omit<Episode, 'labels' | 'notified'> & { readonly labels: string };
type NoticeRow = Omit<EpisodeNotice, 'delivery'> & { readonly episode: number };

const EPISODE = describeRow<EpisodeRow>(
  plain('id account alert labels severity since firingSince endedAt value lastValue'),
);

/** Ids from `lowest` to below `below`. */
interface Range {
  readonly lowest: number;
  readonly below: number;
}

export const createAlertHistoryStore = (db: Database): AlertHistoryStore => {
  const rangeOf = createRanges(db);
  const withNotices = createWithNotices(db);
  return {
    page: async (filter, limit, before = Number.MAX_SAFE_INTEGER) => {
      const read = createReader(db, conditionsOf(filter));
      const range = db.read(() => rangeOf(filter));
      const rows: EpisodeRow[] = [];
      for (let below = Math.min(before, range.below); rows.length < limit && below > range.lowest; ) {
        const slice = db.read(() => read({ lowest: range.lowest, below }, limit - rows.length));
        rows.push(...slice.rows);
        below = slice.lowest;
        await new Promise(setImmediate);
      }
      const episodes: Episode[] = [];
      for (let first = 0; first < rows.length; first += NOTICED_ROWS) {
        episodes.push(...db.read(() => withNotices(rows.slice(first, first + NOTICED_ROWS))));
        await new Promise(setImmediate);
      }
      return episodes;
    },
  };
};

/** Returns a function that returns a slice that deletes episodes that ended, and notifications that were lost, before `oldest` (ms). */
export const createHistoryPrune =
  ({ sql }: Database) =>
  (oldest: number): Slice =>
  () =>
    sql.run(`DELETE FROM alert_history WHERE ended_at < ? LIMIT ${SLICE_ROWS}`, oldest) +
    sql.run(`DELETE FROM lost_notification WHERE created_at < ? LIMIT ${SLICE_ROWS}`, oldest);

/** Returns a function that finds the ids between which all episodes of a period lie, and perhaps others. */
const createRanges = ({ sql }: Database): ((filter: EpisodeFilter) => Range) => {
  const between = sql.prepare<[from: number, to: number], { lowest: number | null; highest: number }>(
    'SELECT min(id) AS lowest, max(id) AS highest FROM alert_history WHERE firing_since >= ? AND firing_since < ?',
  );
  return ({ from, to }) => {
    if (from === undefined && to === undefined) return { lowest: 0, below: Number.MAX_SAFE_INTEGER };
    const { lowest = null, highest = 0 } = between.get(from ?? 0, to ?? Number.MAX_SAFE_INTEGER) ?? {};
    return lowest === null ? { lowest: 0, below: 0 } : { lowest, below: highest + 1 };
  };
};

/** Returns a function that reads one slice of the range, newest first. The slice ends at its `lowest`. */
const createReader = ({ sql, prepareValue }: Database, { indexed, compared, values }: Conditions) => {
  const range = ['id < @below AND id >= @lowest', ...indexed].join(' AND ');
  const end = prepareValue<object, number>(
    `SELECT id FROM alert_history WHERE ${range} ORDER BY id DESC LIMIT 1 OFFSET ${COMPARED_ROWS - 1}`,
  );
  const matching = sql.prepare<object, EpisodeRow>(
    `SELECT ${EPISODE.selected} FROM alert_history WHERE ${[range, ...compared, isHere('alert_history.account')].join(' AND ')} ORDER BY id DESC LIMIT @limit`,
  );
  return ({ below, lowest: last }: Range, limit: number) => {
    const lowest = end.get({ ...values, below, lowest: last }) ?? last;
    return { rows: matching.all({ ...values, below, lowest, limit }), lowest };
  };
};

const createWithNotices = (db: Database): ((rows: readonly EpisodeRow[]) => Episode[]) => {
  const deliveryOf = createDeliveries(db);
  const notices = db.sql.prepare<[string], NoticeRow>(
    `SELECT episode, receiver, firing_at AS firingAt, resolved_at AS resolvedAt FROM alert_history_notice
     WHERE episode IN (SELECT value FROM json_each(?)) ORDER BY receiver`,
  );
  return (rows) => {
    const found = notices.all(JSON.stringify(rows.map(({ id }) => id)));
    const byEpisode = Map.groupBy(found, ({ episode }) => episode);
    return rows.map(({ value, lastValue, ...row }) => {
      const episode = { ...row, labels: JSON.parse(row.labels) };
      return {
        ...{ ...episode, value: finite(value), lastValue: finite(lastValue) },
        notified: (byEpisode.get(row.id) ?? []).map(({ episode: _, ...notice }) => ({
          ...notice,
          delivery: deliveryOf(episode, notice.receiver, notice.firingAt),
        })),
      };
    });
  };
};

const finite = (value: number | null): number | null => (Number.isFinite(value) ? value : null);

type Labels = Readonly<Record<string, string | undefined>>;
type Subject = Pick<Episode, 'account' | 'alert' | 'severity' | 'labels'>;

/** A notification that the receiver did not accept, or not yet. */
interface Undelivered {
  readonly groupKey: string;
  readonly state: 'waiting' | Loss;
}

/** Returns a function that returns what became of the receiver's notification about an alert. Call it in a transaction. */
const createDeliveries = ({ sql }: Database) => {
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

/** The plus keeps SQLite from looking the condition up in an index, which would not be in the order of the page. */
const COMPARED = {
  accounts: '+account IN (SELECT value FROM json_each(@accounts))',
  severity: '+severity = @severity',
  state: "+iif(ended_at IS NULL, 'firing', 'resolved') = @state",
  from: '+firing_since >= @from',
  to: '+firing_since < @to',
  endedAfter: '+coalesce(ended_at > @endedAfter, true)',
  // Matches the alerts that a silence with this subject matches. The first condition only makes it fast: the JSON of such
  // labels has the end of the subject, and the quote after it.
  subject: `(+instr(labels, @ending) > 0 AND EXISTS (
    SELECT 1 FROM json_each(labels) WHERE json_each.value = @subject OR key || '=' || json_each.value = @subject)
    OR @subject = 'graph=' AND json_extract(labels, '$.graph') IS NULL)`,
  text: `(instr(lower(alert), @text) > 0 OR instr(lower(account), @text) > 0 OR EXISTS (
    SELECT 1 FROM json_each(labels) WHERE instr(lower(json_each.value), @text) > 0))`,
} as const satisfies Partial<Record<keyof EpisodeFilter, string>>;

interface Conditions {
  /** The conditions that an index finds. */
  readonly indexed: readonly string[];
  /** The conditions that each of the found rows is compared with. */
  readonly compared: readonly string[];
  /** The values of the conditions, by name. */
  readonly values: object;
}

const conditionsOf = ({ accounts, text, ...filter }: EpisodeFilter): Conditions => {
  const { alert, subject = '' } = filter;
  const [account, ...others] = accounts ?? [];
  const isOneAccount = account !== undefined && others.length === 0 && alert === undefined;
  const values = {
    ...filter,
    accounts: isOneAccount ? undefined : accounts && JSON.stringify(accounts),
    ending: JSON.stringify(subject.slice(subject.lastIndexOf('=') + 1)).slice(1),
    // The function `lower` converts only the letters A to Z, so the text is converted in the same way.
    text: text === '' ? undefined : text?.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  };
  return {
    indexed: [
      ...(alert === undefined ? [] : ['alert = @alert']),
      ...(isOneAccount ? ['account = @account'] : []),
    ],
    compared: conditionsFor(COMPARED, values),
    values: { ...values, account },
  };
};
