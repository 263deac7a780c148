// Lists conditions that the rows of an undamaged store always meet, whatever the provider answered.

export interface Invariant {
  readonly description: string;
  /** SQL that counts the rows that violate it. */
  readonly countViolations: string;
}

export const INVARIANTS: readonly Invariant[] = [
  {
    description: 'counters show no less than they counted',
    countViolations: 'SELECT count(*) FROM counter WHERE served < net',
  },
  {
    description: "users' counters show no less than they counted",
    countViolations: `SELECT count(*) FROM proxy_user
      WHERE residential_served < residential_net OR mobile_served < mobile_net`,
  },
  {
    description: 'every graph has its counters',
    // Graphs that are being deleted may lack theirs: see removed.ts.
    countViolations: `SELECT count(*) FROM graph
      WHERE NOT EXISTS (SELECT 1 FROM counter WHERE owner = 'graph/' || graph.id)
        AND NOT EXISTS (SELECT 1 FROM account WHERE id = account_id AND name LIKE 'deleted/%')`,
  },
  {
    description: 'history that was rolled up ends where the floor is, or before',
    countViolations:
      'SELECT count(*) FROM rolled_up_bucket JOIN graph ON graph.id = graph_id WHERE at + width_ms > floor',
  },
  {
    description: 'graphs and listings with a baseline have been read',
    countViolations: `SELECT (SELECT count(*) FROM graph WHERE baselined_at IS NOT NULL AND watermark IS NULL)
      + (SELECT count(*) FROM listing WHERE baselined_at IS NOT NULL AND complete_at IS NULL)`,
  },
  {
    description: 'tests have no more successes than results, and as many outcomes as they remember',
    countViolations: `SELECT count(*) FROM test_cells, json_each(cells) AS cell
      WHERE value ->> 4 < 0 OR value ->> 4 > value ->> 3 OR value ->> 6 < 1 OR value ->> 6 >= 1 << 9`,
  },
  {
    description: 'what is tested has a name',
    countViolations: `SELECT (SELECT count(*) FROM tested_proxy WHERE proxy NOT IN (SELECT id FROM subject))
      + (SELECT count(*) FROM url_tester WHERE url NOT IN (SELECT id FROM subject)
         OR tester NOT IN (SELECT id FROM subject))`,
  },
  {
    description: 'response times add up',
    countViolations: `SELECT count(*) FROM url_tester
      WHERE count < (SELECT max(value) FROM json_each(counts))`,
  },
];
