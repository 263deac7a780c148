// Describes the tables of what probes show beyond their results. Probes of a proxy or url that is no longer probed expire.

import { ofAccount, storedAtOf, type Tables } from '../table.ts';

const expired = 'at < @oldest';

export const PROBE_TABLES = {
  probe_control: { times: ['at'], expired, move: ofAccount() },
  probe_exit: { times: ['since', 'at'], expired, move: ofAccount() },
  probe_failure: { times: ['at'], expired, move: ofAccount() },
  probe_phase: {
    times: ['at'],
    expired,
    heldBy: storedAtOf("'proxy_tests'", 'probe_phase.account_id'),
    reset: `UPDATE probe_phase SET counts = (SELECT json_group_array(0) FROM json_each(counts)),
      sum_ms = 0, count = 0, held_until = @heldUntil`,
    move: ofAccount(),
  },
  probe_spend: {
    // Bytes that were spent still count against the budget.
    corrections: [
      `INSERT INTO probe_spend SELECT account_id, @now, sum(bytes) FROM probe_spend WHERE at > @now GROUP BY account_id
       ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes`,
      'DELETE FROM probe_spend WHERE at > @now',
    ],
    move: ofAccount(),
  },
} as const satisfies Tables;
