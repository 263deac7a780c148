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
    broken: `SELECT count(*) FROM graph
      WHERE NOT EXISTS (SELECT 1 FROM counter WHERE owner = 'graph/' || graph.id)`,
  },
  {
    holds: 'graphs and listings with a baseline have been read',
    broken: `SELECT (SELECT count(*) FROM graph WHERE baselined_at IS NOT NULL AND watermark IS NULL)
      + (SELECT count(*) FROM listing WHERE baselined_at IS NOT NULL AND complete_at IS NULL)`,
  },
  {
    holds: 'tests have no more successes than results, and as many outcomes as they remember',
    broken: `SELECT count(*) FROM test_cell
      WHERE successes < 0 OR successes > results OR history < 0 OR history >= 1 << rounds`,
  },
  {
    holds: 'response times add up',
    broken: `SELECT count(*) FROM test_response_time
      WHERE count < (SELECT max(value) FROM json_each(counts))`,
  },
];
