// How every table begins a new epoch: its counters at 0, its baseline still to come.

import { RESTARTING } from '../users/unsettled-usage.ts';

/**
 * By table. Rows stay as starting points, and so does what they say beside counters: balances, limits, rates, outcomes.
 * A graph is read again as far back as history is asked for: what was revised since the file was current has been
 * counted before, and must be in the baseline. `@heldUntil` (ms) is until when a new counter shows 0.
 */
export const NEW_EPOCH: Readonly<Record<string, string>> = {
  counter: 'UPDATE counter SET net = 0, served = 0, held_until = @heldUntil',
  graph: 'UPDATE graph SET baselined_at = NULL, watermark = NULL, deep_read_at = NULL',
  listing: 'UPDATE listing SET baselined_at = NULL, began_at = NULL',
  proxy_user: `UPDATE proxy_user SET residential_net = 0, residential_served = 0, mobile_net = 0, mobile_served = 0,
    held_until = @heldUntil, unsettled = '${RESTARTING}'`,
  // Results, successes and how much later than the row's own held_until the cell's is: see test-cell-pack.ts.
  test_cells: `UPDATE test_cells SET held_until = @heldUntil,
    cells = (SELECT json_group_array(json_set(value, '$[3]', 0, '$[4]', 0, '$[5]', 0)) FROM json_each(cells))`,
  test_failure: 'UPDATE test_failure SET count = 0, held_until = @heldUntil',
  test_error: 'UPDATE test_error SET count = 0, held_until = @heldUntil',
  url_tester: `UPDATE url_tester SET counts = (SELECT json_group_array(0) FROM json_each(counts)),
    sum_ms = 0, count = 0, held_until = @heldUntil`,
};

/**
 * What is not taken up again: graphs are read again, gaps included, and an older file's notices were sent long ago, or are
 * of long ago. Its alerts stay, and those that have ended are resolved once the provider's data have been read again.
 */
export const OF_AN_OLDER_FILE = ['DELETE FROM graph_gap', 'DELETE FROM notice'];
