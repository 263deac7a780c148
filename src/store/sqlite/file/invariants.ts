// Lists conditions that the rows of an undamaged store always meet, whatever the provider answered.

export interface Invariant {
  readonly description: string;
  /** SQL that counts the rows that violate it. */
  readonly countViolations: string;
}

export const INVARIANTS: readonly Invariant[] = [
  {
    description: 'no counter shows less than it counted',
    countViolations: 'SELECT count(*) FROM counter WHERE served < net',
  },
  {
    description: 'no counter of a user shows less than it counted',
    countViolations: `SELECT count(*) FROM proxy_user
      WHERE residential_served < residential_net OR mobile_served < mobile_net`,
  },
  {
    description: 'the sums of the use of users match its rows',
    // An account that is being deleted may lack rows: see delete-removed.ts.
    countViolations: `WITH kept (account_id) AS (SELECT id FROM account WHERE name NOT LIKE 'deleted/%'),
        sums (days, bytes) AS (
          SELECT sum(days), sum(bytes) FROM user_use_mark WHERE account_id IN kept UNION ALL
          SELECT count(*), sum(residential + mobile) FROM user_use WHERE account_id IN kept)
      SELECT count(DISTINCT coalesce(days, 0)) - 1 + count(DISTINCT coalesce(bytes, 0)) - 1 FROM sums`,
  },
  {
    description: 'every graph has counters',
    // Graphs that are being deleted may lack theirs: see delete-removed.ts.
    countViolations: `SELECT count(*) FROM graph
      WHERE NOT EXISTS (SELECT 1 FROM counter WHERE owner = 'graph/' || graph.id)
        AND NOT EXISTS (SELECT 1 FROM account WHERE id = account_id AND name LIKE 'deleted/%')`,
  },
  {
    description: 'no rolled-up history is later than the floor of its graph',
    countViolations:
      'SELECT count(*) FROM rolled_up_bucket JOIN graph ON graph.id = graph_id WHERE at + width_ms > floor',
  },
  {
    description: 'every graph and listing with a baseline has been read',
    countViolations: `SELECT (SELECT count(*) FROM graph WHERE baselined_at IS NOT NULL AND watermark IS NULL)
      + (SELECT count(*) FROM listing WHERE baselined_at IS NOT NULL AND complete_at IS NULL)`,
  },
  {
    description: 'no test has more successes than results, or another number of outcomes than it remembers',
    countViolations: `SELECT count(*) FROM test_cells, json_each(cells) AS cell
      WHERE value ->> 4 < 0 OR value ->> 4 > value ->> 3 OR value ->> 6 < 1 OR value ->> 6 >= 1 << 9`,
  },
  {
    description: 'every proxy, url and tester has a name',
    countViolations: `SELECT (SELECT count(*) FROM tested_proxy WHERE proxy NOT IN (SELECT id FROM subject))
      + (SELECT count(*) FROM url_tester WHERE url NOT IN (SELECT id FROM subject)
         OR tester NOT IN (SELECT id FROM subject))`,
  },
  {
    description: 'the response times of each histogram add up',
    countViolations: `SELECT count(*) FROM url_tester
      WHERE count < (SELECT max(value) FROM json_each(counts))`,
  },
];
