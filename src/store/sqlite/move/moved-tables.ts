// Lists what moves with an account to another store. This is the only place that names these tables.

import { DAY } from '../../../lib/time.ts';

/** How the rows of a table are copied from the attached database `source`. Columns that are not named keep their value. */
export interface MovedTable {
  /** The rows to choose from, if they are more than those of the table in `source`. */
  readonly from?: string;
  /** Selects the account's rows. */
  readonly where: string;
  /** SQL for columns whose value differs in the other store, above all numbers of rows. */
  readonly columns?: Readonly<Record<string, string>>;
  /** What happens if the other store has such a row already. It cannot have one by default. */
  readonly onConflict?: string;
}

const KEEP = 'DO NOTHING';

const OF_ACCOUNT = 'account_id IN (SELECT old FROM temp.moved_account)';
const BY_NAME = 'account IN (SELECT name FROM temp.moved_account)';
const OF_GRAPHS = `graph_id IN (SELECT id FROM source.graph WHERE ${OF_ACCOUNT})`;
const OF_USERS = `user IN (SELECT rowid FROM source.proxy_user WHERE ${OF_ACCOUNT})`;
const OF_EPISODES = `episode IN (SELECT id FROM source.alert_history WHERE ${BY_NAME})`;
const OF_TOLD_RECEIVERS = `SELECT receiver FROM source.told_alert WHERE ${BY_NAME}`;
const OF_TOLD_GROUPS = `SELECT receiver, group_key FROM source.told_alert WHERE ${BY_NAME}`;

/** Numbers rise by the highest number of the other store, so that they keep their order and refer to the same rows. */
const shifted = (column: string, table: string): string =>
  `${column} + (SELECT ${table} FROM temp.moved_offset)`;
const subject = (column: string): string => `(SELECT new FROM temp.moved_subject WHERE old = ${column})`;
const hasSubjects = (...columns: readonly string[]): string =>
  [OF_ACCOUNT, ...columns.map((column) => `${column} IN (SELECT old FROM temp.moved_subject)`)].join(' AND ');

const accountId = '(SELECT new FROM temp.moved_account WHERE old = account_id)';
const plain: MovedTable = { where: OF_ACCOUNT, columns: { account_id: accountId } };
/** The number of such a row is not used elsewhere, so the other store gives a new one. */
const withOwnNumber = (column: string): MovedTable => ({
  where: OF_ACCOUNT,
  columns: { account_id: accountId, [column]: 'NULL' },
});
/** Rows of subjects that were deleted have no name any more, so nothing shows them. */
const ofSubjects = (...names: readonly string[]): MovedTable => ({
  where: hasSubjects(...names),
  columns: { account_id: accountId, ...Object.fromEntries(names.map((name) => [name, subject(name)])) },
});

// The owner of a counter is graph/<graph>, <collector>/<account> or <collector>/<account>/<name>.
const OWNER_REST = `substr(owner, instr(owner, '/') + 1)`;
const OWNER_ID = `CAST(${OWNER_REST} AS INTEGER)`;

// What applies to all accounts of the old store, such as its missing periods, goes on for the moved account alone.
const MISSING_PERIODS = `(SELECT * FROM source.account_missing_period
  UNION ALL SELECT id, began_at, ended_at FROM source.missing_period, source.account)`;
// A stream without a position begins at `start`. For the ledger, that can be up to a day earlier: see restartStreams.
const POSITIONS = `(SELECT * FROM source.remote_write_position
  UNION ALL SELECT name, publication.id, account_id, iif(source = 'ledger', start - ${DAY}, start), start
    FROM source.publication, source.remote_write_receiver AS receiver WHERE NOT EXISTS (
      SELECT 1 FROM source.remote_write_position WHERE receiver = name AND publication_id = publication.id))`;
const SILENCES = `(SELECT * FROM source.silence
  UNION ALL SELECT lower(hex(randomblob(6))), name, alert, subject, comment, starts_at, ends_at
    FROM source.silence, temp.moved_account WHERE account IS NULL AND name NOT LIKE 'probes/%')`;

/** The tables in an order in which rows follow those that they refer to. */
export const MOVED_TABLES: Readonly<Record<string, MovedTable>> = {
  account: {
    where: 'id IN (SELECT old FROM temp.moved_account)',
    columns: { id: '(SELECT new FROM temp.moved_account WHERE old = id)' },
  },
  account_move: { where: BY_NAME },
  account_missing_period: {
    ...plain,
    from: MISSING_PERIODS,
    onConflict: 'DO UPDATE SET ended_at = max(ended_at, excluded.ended_at)',
  },
  listing: plain,
  run: plain,
  endpoint: plain,
  graph: { where: OF_ACCOUNT, columns: { account_id: accountId, id: shifted('id', 'graph') } },
  bucket: { where: OF_GRAPHS, columns: { graph_id: shifted('graph_id', 'graph') } },
  rolled_up_bucket: { where: OF_GRAPHS, columns: { graph_id: shifted('graph_id', 'graph') } },
  graph_gap: { where: OF_GRAPHS, columns: { graph_id: shifted('graph_id', 'graph') } },
  counter: {
    where: `iif(owner LIKE 'graph/%',
      ${OWNER_ID} IN (SELECT id FROM source.graph WHERE ${OF_ACCOUNT}),
      ${OWNER_ID} IN (SELECT old FROM temp.moved_account))`,
    columns: {
      owner: `substr(owner, 1, instr(owner, '/')) ||
        iif(owner LIKE 'graph/%', ${shifted(OWNER_ID, 'graph')},
          (SELECT new FROM temp.moved_account WHERE old = ${OWNER_ID})) ||
        substr(${OWNER_REST}, length(${OWNER_ID}) + 1)`,
    },
  },
  ledger: plain,
  ledger_rates: plain,
  reconciliation: plain,
  proxy_user: {
    where: OF_ACCOUNT,
    columns: { account_id: accountId, rowid: shifted('rowid', 'proxy_user') },
  },
  proxy_user_details: { where: OF_USERS, columns: { user: shifted('user', 'proxy_user') } },
  user_usage: plain,
  user_use_mark: {
    where: OF_ACCOUNT,
    columns: {
      account_id: accountId,
      id: shifted('id', 'user_use_mark'),
      user: shifted('user', 'proxy_user'),
    },
  },
  user_use: { where: OF_ACCOUNT, columns: { account_id: accountId, mark: shifted('mark', 'user_use_mark') } },
  user_use_day: plain,
  inventory_proxy: withOwnNumber('rowid'),
  inventory_change: {
    where: OF_ACCOUNT,
    columns: { account_id: accountId, number: shifted('number', 'inventory_change') },
  },
  service: withOwnNumber('rowid'),
  place: plain,
  product: plain,
  quote: plain,
  source_proxy: plain,
  fault: plain,
  inconclusive_failure: plain,
  subject: { where: 'id IN (SELECT old FROM temp.used_subject)', columns: { id: 'NULL' }, onConflict: KEEP },
  test_cells: {
    where: hasSubjects('proxy', 'url'),
    columns: {
      account_id: accountId,
      id: 'NULL',
      proxy: subject('proxy'),
      url: subject('url'),
      // The first element of a cell is its tester. 0 stands for testers that were deleted: see PRUNED_SUBJECT.
      cells: `(SELECT json_group_array(json_set(value, '$[0]', coalesce(${subject("value ->> '$[0]'")}, 0))
        ORDER BY key) FROM json_each(cells))`,
    },
  },
  tested_proxy: ofSubjects('proxy'),
  test_failure: ofSubjects('proxy'),
  test_error: ofSubjects('url', 'tester'),
  url_tester: ofSubjects('url', 'tester'),
  tester_place: ofSubjects('tester'),
  test_sum: ofSubjects('proxy', 'url', 'tester'),
  recent_failure: ofSubjects('proxy', 'url', 'tester'),
  test_price: plain,
  test_spend: plain,
  probe_control: plain,
  probe_exit: plain,
  probe_failure: plain,
  probe_phase: plain,
  probe_spend: plain,
  publication: { where: OF_ACCOUNT, columns: { account_id: accountId, id: shifted('id', 'publication') } },
  correction: {
    where: OF_ACCOUNT,
    columns: {
      account_id: accountId,
      sequence: shifted('sequence', 'correction'),
      publication_id: shifted('publication_id', 'publication'),
    },
  },
  remote_write_position: {
    from: POSITIONS,
    where: OF_ACCOUNT,
    columns: { account_id: accountId, publication_id: shifted('publication_id', 'publication') },
  },
  alert: { where: BY_NAME },
  alert_history: { where: BY_NAME, columns: { id: shifted('id', 'alert_history') } },
  alert_history_notice: { where: OF_EPISODES, columns: { episode: shifted('episode', 'alert_history') } },
  told_alert: { where: BY_NAME, columns: { episode: shifted('episode', 'alert_history') } },
  // A store forgets what a receiver was notified of only if it knows the receiver.
  receiver: { where: `name IN (${OF_TOLD_RECEIVERS})`, onConflict: KEEP },
  notification_group: {
    where: `(receiver, group_key) IN (${OF_TOLD_GROUPS})`,
    onConflict: 'DO UPDATE SET notified_at = max(notified_at, excluded.notified_at)',
  },
  lost_notification: {
    where: `json_valid(group_key) AND group_key ->> '$.account' IN (SELECT name FROM temp.moved_account)`,
    onConflict: KEEP,
  },
  silence: { from: SILENCES, where: BY_NAME, onConflict: KEEP },
};

/** The tables of which nothing moves, with the reason. */
export const UNMOVED_TABLES: Readonly<Record<string, string>> = {
  backup_schedule: 'about the store',
  clock_step: 'about the clock of the machine',
  epoch: 'about the store',
  missing_period: 'about all accounts of the store; becomes a period of the moved account',
  write_check: 'about the store',
  notification: 'already formed, so the daemon of this store sends it after its next start',
  remote_write_batch:
    'already formed, so both stores send its samples, which are equal but for revised averages and maxima',
  remote_write_receiver: 'about all accounts of the store; its start moves with the positions',
};

/** The rows of an account that has no number: they are found by its name. */
export const TABLES_BY_NAME = ['alert', 'told_alert', 'alert_history', 'silence', 'account_move'] as const;

/** Finds the numbers of all subjects that an account uses. */
export const USED_SUBJECTS = [
  ...Object.entries({
    test_cells: ['proxy', 'url'],
    tested_proxy: ['proxy'],
    test_failure: ['proxy'],
    test_error: ['url', 'tester'],
    url_tester: ['url', 'tester'],
    tester_place: ['tester'],
    test_sum: ['proxy', 'url', 'tester'],
    recent_failure: ['proxy', 'url', 'tester'],
  }).flatMap(([table, columns]) =>
    columns.map((column) => `SELECT ${column} AS old FROM source.${table} WHERE ${OF_ACCOUNT}`),
  ),
  `SELECT value ->> '$[0]' FROM source.test_cells, json_each(cells) WHERE ${OF_ACCOUNT}`,
].join(' UNION ');
