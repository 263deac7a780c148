// Defines the alerts about proxies, testers, targets, and the tests themselves.

import type { CollectorName } from '../../collectors/context.ts';
import { isExhausted } from '../../collectors/proxy-tests/budget/exhaustion.ts';
import { readCurrentFaults, readFleetCounts, readInconclusive } from '../../collectors/proxy-tests/fleet.ts';
import { readPlannerInput } from '../../collectors/proxy-tests/planner-input.ts';
import { proxyTests } from '../../collectors/proxy-tests/proxy-tests.ts';
import { readTestedProxies } from '../../collectors/proxy-tests/sources/tested-proxies.ts';
import { overdueProxies } from '../../collectors/proxy-tests/staleness.ts';
import { HOUR, SECOND } from '../../lib/time.ts';
import type { Fault } from '../../store/test-store.ts';
import type { AccountAlert, EvaluationContext, Finding } from '../alert.ts';

const COLLECTOR: CollectorName = 'proxy_tests';

/** A single failing proxy is reported by `ProxyFailing` alone. */
const MIN_PROXIES_AT_FAULT = 2;

/** A fault needs no hold, because it takes several rounds to begin and even more to end. */
const FAULT_ALERT = { scope: 'account', trigger: COLLECTOR, holdMs: 0, unit: 'none' } as const;
const expressionOf = (kind: Fault['kind']) => () => `proxywatch_fault{kind="${kind}"} == 1`;

const SUPPRESSED_BY_OUTAGE = [{ alert: 'ProviderOutage' }];

const LAST_SUCCESS = `max by (instance, account) (proxywatch_collector_last_success_timestamp_seconds{collector="${COLLECTOR}"})`;
/** The time from the timestamp to the last successful run, so that time without runs does not count. */
const untilSuccess = (timestamp: string): string =>
  `(${LAST_SUCCESS} - on (instance, account) group_right () ${timestamp})`;
const inCycles = (seconds: string): string =>
  `${seconds} / on (instance, account) group_left () max by (instance, account) (proxywatch_proxy_test_cycle_seconds)`;
const UNTESTED = untilSuccess(
  '(proxywatch_proxy_test_last_timestamp_seconds or proxywatch_proxy_test_waiting_since_timestamp_seconds)',
);
const STEADY = untilSuccess('proxywatch_proxy_test_steady_since_timestamp_seconds');

export const PROXY_TEST_ALERTS: readonly AccountAlert[] = [
  {
    ...FAULT_ALERT,
    name: 'ProxyFailing',
    severity: 'warning',
    labels: ['proxy_id'],
    expression: expressionOf('proxy'),
    suppressedBy: SUPPRESSED_BY_OUTAGE,
    summary: 'The proxy {proxy_id} fails its tests, and neither testers nor targets are to blame.',
    meaning:
      'The same test of the proxy failed `fault_after` rounds in a row, while the tester gets through other proxies and the target answers others.',
    action:
      'See its errors in proxywatch_proxy_test_failures_total or /api/v1/proxies; have the provider replace it, or check its user and password.',
    find: (evaluation) => faultsOf(evaluation, 'proxy', (proxy_id) => ({ proxy_id })),
  },
  {
    name: 'ProxiesFailing',
    scope: 'account',
    trigger: COLLECTOR,
    severity: 'critical',
    holdMs: 0,
    labels: ['product_type'],
    threshold: { value: 0.1, unit: 'ratio', meaning: 'of the tested proxies of a product type, more than' },
    unit: 'ratio',
    expression: (threshold) =>
      `proxywatch_proxies_at_fault / proxywatch_proxies_tested > ${threshold} and proxywatch_proxies_at_fault >= ${MIN_PROXIES_AT_FAULT}`,
    suppressedBy: SUPPRESSED_BY_OUTAGE,
    summary: '{value} of the tested proxies of type {product_type} fail.',
    meaning: `Many proxies of the type, ${MIN_PROXIES_AT_FAULT} at least, are themselves to blame for failing tests. What testers and targets are to blame for is not counted.`,
    action: 'Look for what they share: a service, a network, a country, a user whose password has changed.',
    async *find(evaluation) {
      const context = readContextOf(evaluation);
      for (const { productType, tested, atFault } of context ? await readFleetCounts(context) : [])
        if (atFault >= MIN_PROXIES_AT_FAULT && atFault / tested > evaluation.threshold)
          yield { labels: { product_type: productType }, value: atFault / tested };
    },
  },
  {
    ...FAULT_ALERT,
    name: 'ProxyTargetBlocked',
    severity: 'warning',
    labels: ['url'],
    expression: expressionOf('target'),
    summary: 'The target {url} of {account} is at fault: many proxies fail at it.',
    meaning:
      'At least half of five or more proxies, or of those of one product type, fail at the target, and another target works. With only one target or one tester there is nothing to compare: then at least half of the proxies have results that name the target as the source of the error.',
    action: 'See the error codes: the target may block the proxies, ask for a login, or be down.',
    find: (evaluation) => faultsOf(evaluation, 'target', (url) => ({ url })),
  },
  {
    ...FAULT_ALERT,
    name: 'ProxyTesterFailing',
    severity: 'info',
    labels: ['tester_server'],
    expression: expressionOf('tester'),
    summary: 'The tester server {tester_server} fails with proxies that others get through.',
    meaning:
      'At least half of five or more proxies fail from the tester, and another tester is sound. Proxies are not blamed for it.',
    action: 'Tell the provider; `tester_servers` may leave it out meanwhile.',
    find: (evaluation) => faultsOf(evaluation, 'tester', (tester_server) => ({ tester_server })),
  },
  {
    ...FAULT_ALERT,
    name: 'ProviderOutage',
    severity: 'critical',
    labels: [],
    expression: expressionOf('provider'),
    summary: 'Half of the proxies of {account} or more fail in all their tests.',
    meaning:
      'At least half of ten or more proxies fail from all testers at all targets. With only one target or one tester, only proxies count whose results name the proxy as the source of the error.',
    action:
      'See the provider’s status page; if it knows of nothing, check the password that the proxies share.',
    find: (evaluation) => faultsOf(evaluation, 'provider', () => ({})),
  },
  {
    name: 'ProxyTestsInconclusive',
    scope: 'account',
    trigger: COLLECTOR,
    severity: 'warning',
    holdMs: 0,
    labels: ['url'],
    unit: 'count',
    expression: () => 'proxywatch_proxy_tests_inconclusive > 0',
    summary: 'Proxies of {account} that fail at {url} for an unknown cause: {value}.',
    meaning:
      'At least half of the proxies fail, and these have failed all their tests `fault_after` rounds in a row. With only one target or one tester there is nothing to compare them with, and the error sources in the results do not settle it. The cause may be the proxies, the target, the tester or the provider. proxywatch blames none of them until the comparison or the error sources settle it.',
    action:
      'Open the target yourself, and see the error sources and codes in `/api/v1/failures` or `proxywatch_proxy_test_errors_total`. Then add a second url and a second tester (`tester_servers: []` uses all), so that proxywatch can attribute the next fault.',
    async *find(evaluation) {
      const context = readContextOf(evaluation);
      for (const [url, proxies] of context ? await readInconclusive(context) : [])
        if (proxies > 0) yield { labels: { url }, value: proxies };
    },
  },
  {
    name: 'ProxyTestsStale',
    scope: 'account',
    trigger: COLLECTOR,
    severity: 'warning',
    // A changed budget or fleet changes the cycle immediately, but the proxies get their turns only later.
    holdMs: HOUR,
    labels: ['proxy_id'],
    threshold: { value: 3, unit: 'count', meaning: 'planned cycles without a result, more than' },
    unit: 'seconds',
    expression: (threshold) =>
      [
        UNTESTED,
        `and ${inCycles(UNTESTED)} > ${threshold}`,
        `and on (instance, account) ${inCycles(STEADY)} > ${threshold}`,
      ].join(' '),
    suppressedBy: [
      { alert: 'ProviderKeysRejected' },
      { alert: 'CollectorFailing', sourceLabels: { collector: COLLECTOR } },
      { alert: 'TestBudgetExhausted' },
      { alert: 'TestQuotaRefused' },
    ],
    summary: 'The proxy {proxy_id} had no test result for {value}.',
    meaning:
      'Tests go on, and the proxy has had no result for three of the cycles in which each has its turn (proxywatch_proxy_test_cycle_seconds). What is shown of it is old. For a proxy without any result, the time counts from when proxywatch first knew of it.',
    action:
      'See the log of proxy_tests: a batch that always fails, results that belong to no proxy, or a source that fails so that the password is not known.',
    async *find(evaluation) {
      const context = readContextOf(evaluation);
      const until = context && (await lastSuccessOf(evaluation));
      if (!context || !until) return;
      for (const { id, untestedMs } of await overdueProxies(context, evaluation.threshold, until))
        yield { labels: { proxy_id: id }, value: untestedMs / SECOND };
    },
  },
  {
    name: 'TestBudgetExhausted',
    scope: 'account',
    trigger: COLLECTOR,
    severity: 'warning',
    holdMs: HOUR,
    labels: [],
    unit: 'none',
    expression: () => 'proxywatch_proxy_test_budget_exhausted == 1',
    summary: 'No test runs are left for {account}.',
    meaning:
      '`max_runs_per_day` is used up, and proxies are not tested until the oldest runs are more than a day ago. The alert also fires when one call costs more runs than `max_runs_per_day`: then only one proxy a day is tested, against one url, to find out whether calls have become cheaper. It does not fire for the pauses between calls of a budget that is spread over the day.',
    action:
      'Check whether calls cost more runs than before (`proxywatch_proxy_test_runs_per_call`), for example because of more testers. Then check with `proxywatch check-config` how many calls a day the schedule needs. Raise `max_runs_per_day`, or test less.',
    async *find(evaluation) {
      const context = readContextOf(evaluation);
      if (!context) return;
      const { proxies, budget, spent } = await readPlannerInput(context);
      if (isExhausted(proxies, budget, spent, evaluation.clock.now())) yield { labels: {}, value: 1 };
    },
  },
];

/** Returns the context that the collector's queries need; undefined while the collector is off. */
const readContextOf = ({ account, store, clock, options }: EvaluationContext) => {
  const own = options(proxyTests);
  return own && { account, store, clock, options: own };
};

async function* faultsOf(
  evaluation: EvaluationContext,
  wanted: Fault['kind'],
  labelsOf: (subject: string) => Finding['labels'],
): AsyncGenerator<Finding> {
  const context = readContextOf(evaluation);
  if (!context) return;
  for (const { kind, subject } of await readCurrentFaults(context, await readTestedProxies(context)))
    if (kind === wanted) yield { labels: labelsOf(subject), value: 1 };
}

const lastSuccessOf = async ({ account, store }: EvaluationContext): Promise<number | null | undefined> =>
  (await store.runs.states(account.name)).find(({ collector }) => collector === COLLECTOR)?.lastSuccessAt;
