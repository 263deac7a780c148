// What is always true of a store's rows, whatever the provider answered.

export interface Invariant {
  readonly holds: string;
  /** Counts the rows for which it does not. */
  readonly broken: string;
}

export const INVARIANTS: readonly Invariant[] = [
  {
    holds: 'counters show no less than they counted',
    broken: 'SELECT count(*) FROM counter WHERE served < net',
  },
  {
    holds: "users' counters show no less than they counted",
    broken: `SELECT count(*) FROM proxy_user
      WHERE residential_served < residential_net OR mobile_served < mobile_net`,
  },
  {
    holds: 'every graph has its counters',
    // But for those that are being deleted: see gone.ts.
    broken: `SELECT count(*) FROM graph
      WHERE NOT EXISTS (SELECT 1 FROM counter WHERE owner = 'graph/' || graph.id)
        AND NOT EXISTS (SELECT 1 FROM account WHERE id = account_id AND name LIKE 'gone/%')`,
  },
  {
    holds: 'history that was rolled up ends where the floor is, or before',
    broken: 'SELECT count(*) FROM old_bucket JOIN graph ON graph.id = graph_id WHERE at + width_ms > floor',
  },
  {
    holds: 'graphs and listings with a baseline have been read',
    broken: `SELECT (SELECT count(*) FROM graph WHERE baselined_at IS NOT NULL AND watermark IS NULL)
      + (SELECT count(*) FROM listing WHERE baselined_at IS NOT NULL AND complete_at IS NULL)`,
  },
  {
    holds: 'tests have no more successes than results, and as many outcomes as they remember',
    broken: `SELECT count(*) FROM test_cells, json_each(cells) AS cell
      WHERE value ->> 4 < 0 OR value ->> 4 > value ->> 3 OR value ->> 6 < 1 OR value ->> 6 >= 1 << 9`,
  },
  {
    holds: 'what is tested has a name',
    broken: `SELECT (SELECT count(*) FROM tested_proxy WHERE proxy NOT IN (SELECT id FROM subject))
      + (SELECT count(*) FROM url_tester WHERE url NOT IN (SELECT id FROM subject)
         OR tester NOT IN (SELECT id FROM subject))`,
  },
  {
    holds: 'response times add up',
    broken: `SELECT count(*) FROM url_tester
      WHERE count < (SELECT max(value) FROM json_each(counts))`,
  },
];
