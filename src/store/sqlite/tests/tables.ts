// Describes the tables of proxy tests.

import { DAY } from '../../../lib/time.ts';
import {
  ACCOUNT_ID,
  KEEP,
  type Move,
  OF_ACCOUNT,
  ofAccount,
  spentNow,
  storedAtOf,
  type Table,
  type Tables,
} from '../table.ts';

const subject = (column: string): string => `(SELECT new FROM temp.moved_subject WHERE old = ${column})`;

/** Rows of subjects that were deleted have no name any more, so nothing shows them. */
const ofSubjects = (...subjects: readonly string[]): Move => ({
  subjects,
  where: [OF_ACCOUNT, ...subjects.map((name) => `${name} IN (SELECT old FROM temp.moved_subject)`)].join(
    ' AND ',
  ),
  columns: { account_id: ACCOUNT_ID, ...Object.fromEntries(subjects.map((name) => [name, subject(name)])) },
});
const CELLS = ofSubjects('proxy', 'url');

const heldBy = (table: string): string => storedAtOf("'proxy_tests'", `${table}.account_id`);

export const TEST_TABLES = {
  source_proxy: { times: ['since'], move: ofAccount() },
  fault: { times: ['since'], move: ofAccount() },
  inconclusive_failure: { move: ofAccount() },
  subject: {
    move: {
      where: 'id IN (SELECT old FROM temp.used_subject)',
      columns: { id: 'NULL' },
      onConflict: KEEP,
    },
  },
  // Each cell of a packed row has a time and a hold of its own, which future-holds.ts corrects.
  test_cells: {
    // Elements 3 to 5 are results, successes, and the cell's hold relative to the row's held_until: see cell-pack.ts.
    reset: `UPDATE test_cells SET held_until = @heldUntil,
      cells = (SELECT json_group_array(json_set(value, '$[3]', 0, '$[4]', 0, '$[5]', 0)) FROM json_each(cells))`,
    move: {
      ...CELLS,
      columns: {
        ...CELLS.columns,
        id: 'NULL',
        // The first element of a cell is its tester. 0 stands for testers that were deleted: see PRUNED_SUBJECT.
        cells: `(SELECT json_group_array(json_set(value, '$[0]', coalesce(${subject("value ->> '$[0]'")}, 0))
          ORDER BY key) FROM json_each(cells))`,
      },
    },
  },
  tested_proxy: { times: ['last_tested_at'], move: ofSubjects('proxy') },
  test_failure: {
    heldBy: heldBy('test_failure'),
    reset: 'UPDATE test_failure SET count = 0, held_until = @heldUntil',
    move: ofSubjects('proxy'),
  },
  test_error: {
    heldBy: heldBy('test_error'),
    reset: 'UPDATE test_error SET count = 0, held_until = @heldUntil',
    move: ofSubjects('url', 'tester'),
  },
  url_tester: {
    times: ['at'],
    heldBy: heldBy('url_tester'),
    reset: `UPDATE url_tester SET counts = (SELECT json_group_array(0) FROM json_each(counts)),
      sum_ms = 0, count = 0, held_until = @heldUntil`,
    move: ofSubjects('url', 'tester'),
  },
  tester_place: { move: ofSubjects('tester') },
  test_sum: { move: ofSubjects('proxy', 'url', 'tester') },
  recent_failure: { move: ofSubjects('proxy', 'url', 'tester') },
  test_price: {
    // A price is kept as the price of today.
    corrections: [
      `INSERT INTO test_price SELECT account_id, @now - @now % ${DAY}, min(price_key), max(runs) FROM test_price
       WHERE at > @now GROUP BY account_id ON CONFLICT DO UPDATE SET runs = max(runs, excluded.runs)`,
      'DELETE FROM test_price WHERE at > @now',
    ],
    move: ofAccount(),
  },
  test_spend: { corrections: spentNow('test_spend', 'runs'), move: ofAccount() },
} as const satisfies Tables;

/** Finds the numbers of all subjects that an account uses. */
export const USED_SUBJECTS = [
  ...Object.entries<Table>(TEST_TABLES).flatMap(([table, { move }]) =>
    (typeof move === 'string' ? [] : (move.subjects ?? [])).map(
      (column) => `SELECT ${column} AS old FROM source.${table} WHERE ${OF_ACCOUNT}`,
    ),
  ),
  `SELECT value ->> '$[0]' FROM source.test_cells, json_each(cells) WHERE ${OF_ACCOUNT}`,
].join(' UNION ');
