// Names the groups of families that the tables report, and the families that say how polling goes.

/** A group of families: the beginnings of their names after `proxywatch_`. */
export interface FamilyGroup {
  /** The name in the tables. */
  readonly name: string;
  readonly prefixes: readonly string[];
}

export const GROUPS = {
  account: { name: 'account traffic', prefixes: ['traffic_', 'smartpath_'] },
  slices: { name: 'graphs', prefixes: ['graph_'] },
  reconciliation: { name: 'reconciliation', prefixes: ['reconcile_'] },
  ledger: { name: 'ledger', prefixes: ['residential_'] },
  mobileLedger: { name: 'mobile ledger', prefixes: ['mobile_'] },
  customer: { name: 'customer', prefixes: ['customer_'] },
  summaries: { name: 'summaries', prefixes: ['provider_bought_', 'provider_left_', 'provider_used_'] },
  usage: { name: 'usage', prefixes: ['charged_', 'user_charged_', 'hostname_'] },
  cost: {
    name: 'cost',
    prefixes: ['cost_', 'price_per_byte', 'burn_', 'balance_value', 'spend', 'budget'],
  },
  requestLog: {
    name: 'request log',
    prefixes: ['log_', 'user_client_addresses', 'user_unknown_client_addresses'],
  },
  users: { name: 'proxy users', prefixes: ['proxy_user_', 'proxy_users'] },
  results: {
    name: 'test results',
    prefixes: [
      'proxy_test_success',
      'proxy_test_results_',
      'proxy_test_last_',
      'proxy_test_failures_',
      'proxy_test_errors_',
      'proxy_test_waiting_',
    ],
  },
  budget: {
    name: 'test budget',
    prefixes: ['proxy_test_runs_', 'proxy_test_budget_', 'proxy_test_cycle_', 'proxy_test_steady_'],
  },
  fleet: {
    name: 'fleet',
    prefixes: [
      'proxy_test_response_time_',
      'proxies_tested',
      'proxies_failing',
      'proxies_at_fault',
      'fault',
      'proxy_tests_inconclusive',
    ],
  },
  inventory: { name: 'inventory', prefixes: ['proxies', 'proxy_info', 'inventory_'] },
  services: { name: 'services', prefixes: ['service_'] },
  adjustments: { name: 'adjustments', prefixes: ['service_adjustments_'] },
  catalog: { name: 'catalog', prefixes: ['catalog_'] },
  quotes: { name: 'quotes', prefixes: ['quote_', 'credit_balance'] },
  places: { name: 'places', prefixes: ['continents', 'available_', 'asn_', 'city_', 'subdivision_'] },
} as const satisfies Readonly<Record<string, FamilyGroup>>;

export type GroupKey = keyof typeof GROUPS;

/**
 * The families about polling and about the daemon itself. They change with every fault, and the tables report what they
 * say in columns of their own.
 */
const ABOUT_POLLING = [
  /^proxywatch_(api|collector|store|config|notifications|remote_write)_/,
  /^proxywatch_alert_(firing|threshold)$/,
  /^proxywatch_(items_skipped|inconsistent_answers)_total$/,
  /^proxywatch_(provider_clock_offset_seconds|build_info|shard_info|series_dropped)$/,
  /^proxywatch_service_last_answer_timestamp_seconds$/,
  /^(process|nodejs)_/,
];

export const isAboutPolling = (family: string): boolean => ABOUT_POLLING.some((name) => name.test(family));

/** Returns the group of a family; undefined if no group has it. The longest prefix decides. */
export const groupOf = (family: string): GroupKey | undefined => {
  const name = family.replace('proxywatch_', '');
  const candidates = (Object.keys(GROUPS) as GroupKey[]).flatMap((key) =>
    GROUPS[key].prefixes.filter((prefix) => name.startsWith(prefix)).map((prefix) => ({ key, prefix })),
  );
  return candidates.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.key;
};
