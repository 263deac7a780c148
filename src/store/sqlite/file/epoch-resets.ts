// Lists the statements that begin a new epoch: they set counters to 0 and clear baselines.

import { RESTARTED_USAGE } from '../users/unsettled-usage.ts';

/**
 * The statements by table. Rows stay as starting points, with all values that are no counters: balances, limits, rates
 * and outcomes. A graph is read again as far back as its configured history, because revisions since the file was
 * current were counted before and belong to the baseline. A new counter shows 0 until `@heldUntil` (ms).
 */
export const EPOCH_RESETS: Readonly<Record<string, string>> = {
  counter: 'UPDATE counter SET net = 0, served = 0, held_until = @heldUntil',
  graph: 'UPDATE graph SET baselined_at = NULL, watermark = NULL, deep_read_at = NULL',
  listing: `UPDATE listing SET baselined_at = NULL, began_at = NULL, use_stored_until = NULL,
    use_storing_hour = NULL`,
  proxy_user: `UPDATE proxy_user SET residential_net = 0, residential_served = 0, mobile_net = 0, mobile_served = 0,
    held_until = @heldUntil, unsettled_usage = '${RESTARTED_USAGE}'`,
  user_use_mark: 'UPDATE user_use_mark SET residential_net = 0, mobile_net = 0',
  // Elements 3 to 5 are results, successes, and the cell's hold relative to the row's held_until: see cell-pack.ts.
  test_cells: `UPDATE test_cells SET held_until = @heldUntil,
    cells = (SELECT json_group_array(json_set(value, '$[3]', 0, '$[4]', 0, '$[5]', 0)) FROM json_each(cells))`,
  test_failure: 'UPDATE test_failure SET count = 0, held_until = @heldUntil',
  test_error: 'UPDATE test_error SET count = 0, held_until = @heldUntil',
  url_tester: `UPDATE url_tester SET counts = (SELECT json_group_array(0) FROM json_each(counts)),
    sum_ms = 0, count = 0, held_until = @heldUntil`,
  probe_phase: `UPDATE probe_phase SET counts = (SELECT json_group_array(0) FROM json_each(counts)),
    sum_ms = 0, count = 0, held_until = @heldUntil`,
};

/**
 * Deletes what a new epoch does not continue. Graphs are read again, gaps included. The older file's notifications were
 * sent long ago or are outdated. Its alerts stay; ended ones are resolved once the provider's data was read again.
 */
export const OLDER_FILE_DELETIONS = ['DELETE FROM graph_gap', 'DELETE FROM notification'];
