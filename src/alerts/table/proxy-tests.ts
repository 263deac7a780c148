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
    summary: 'Proxy {proxy_id} of account {account} fails its tests, while testers and targets work.',
    meaning:
      'The same test of this proxy failed in several rounds in a row. Its tester gets through other proxies, and its target answers other proxies.',
    consequence: 'Requests through this proxy are likely to fail until it works again.',
    checks: [
      'Read the errors of the proxy in `/api/v1/proxies` or in `proxywatch_proxy_test_failures_total`.',
      'Check the user name and password of the proxy.',
    ],
    remedy: 'Ask the provider to replace the proxy.',
    condition:
      'The same test of the proxy failed in `fault_after` rounds in a row, while the tester gets through other proxies and the target answers others.',
    find: (evaluation) => faultsOf(evaluation, 'proxy', (proxy_id) => ({ proxy_id })),
  },
  {
    name: 'ProxiesFailing',
    scope: 'account',
    trigger: COLLECTOR,
    severity: 'critical',
    holdMs: 0,
    labels: ['product_type'],
    threshold: {
      value: 0.1,
      unit: 'ratio',
      meaning: 'The alert fires if more than this share of the tested proxies of a product type are at fault',
    },
    unit: 'ratio',
    expression: (threshold) =>
      `proxywatch_proxies_at_fault / proxywatch_proxies_tested > ${threshold} and proxywatch_proxies_at_fault >= ${MIN_PROXIES_AT_FAULT}`,
    suppressedBy: SUPPRESSED_BY_OUTAGE,
    summary: '{value} of the tested {product_type} proxies of account {account} fail.',
    meaning:
      'Many proxies of this product type fail their tests, and they are to blame themselves. Failures because of a tester or a target are not counted.',
    consequence: 'Many requests through these proxies are likely to fail.',
    checks: [
      'Look for what the failing proxies share: a service, a network or a country.',
      'Check whether the password of a user that they share has changed.',
    ],
    condition: `More than {threshold} of the tested proxies of a product type are at fault, and at least ${MIN_PROXIES_AT_FAULT} of them.`,
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
    summary: 'Target {url} of account {account} is at fault: many proxies fail there.',
    meaning:
      'Many proxies fail at this target, and the target is to blame. proxywatch does not blame the proxies for it.',
    consequence:
      'Requests to this target through these proxies are likely to fail until the target works for them again.',
    checks: [
      'Open the target yourself. It may block the proxies, ask for a login, or be down.',
      'Read the error codes in `/api/v1/failures` or in `proxywatch_proxy_test_errors_total`.',
    ],
    condition:
      'At least half of five or more proxies, or of those of one product type, fail at the target, and another target works. With only one target or one tester there is nothing to compare. Then at least half of the proxies must have results that name the target as the source of the error.',
    find: (evaluation) => faultsOf(evaluation, 'target', (url) => ({ url })),
  },
  {
    ...FAULT_ALERT,
    name: 'ProxyTesterFailing',
    severity: 'info',
    labels: ['tester_server'],
    expression: expressionOf('tester'),
    summary: 'Tester {tester_server} fails with proxies of account {account} that work from other testers.',
    meaning:
      'Many proxies fail from this tester, and another tester works. proxywatch does not blame the proxies for it.',
    consequence: 'Until the tester works again, its results say nothing about the proxies.',
    checks: [
      'Compare the testers on the status page of proxywatch or in `/api/v1/testers`.',
      'Look at the provider’s status page, and report the tester to the provider.',
    ],
    remedy: 'Leave the tester out with `tester_servers` until it works again.',
    condition: 'At least half of five or more proxies fail from the tester, and another tester works.',
    find: (evaluation) => faultsOf(evaluation, 'tester', (tester_server) => ({ tester_server })),
  },
  {
    ...FAULT_ALERT,
    name: 'ProviderOutage',
    severity: 'critical',
    labels: [],
    expression: expressionOf('provider'),
    summary: 'At least half of the proxies of account {account} fail all their tests.',
    meaning:
      'At least half of the proxies fail from all testers at all targets, so the provider is most likely to blame.',
    consequence:
      'Most requests through the provider are likely to fail. Alerts about single proxies are suppressed meanwhile.',
    checks: [
      'Look at the provider’s status page.',
      'If the provider reports no outage, check the password that the proxies share.',
    ],
    condition:
      'At least half of ten or more proxies fail from all testers at all targets. With only one target or one tester, a proxy counts only if its results name the proxy as the source of the error.',
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
    summary: 'Proxies of account {account} that fail at target {url} for an unknown reason: {value}.',
    meaning:
      'At least half of the proxies fail, and neither a comparison nor the error sources show why. The cause may be the proxies, the target, the tester or the provider.',
    consequence:
      'proxywatch blames none of them until the comparison or the error sources show the cause. Until then requests to this target may fail.',
    checks: [
      'Open the target yourself.',
      'Read the error sources and codes in `/api/v1/failures` or in `proxywatch_proxy_test_errors_total`.',
    ],
    remedy:
      'Add a second url and a second tester (`tester_servers: []` uses all), so that proxywatch can attribute the next fault.',
    condition:
      'At least half of the proxies fail, and these have failed all their tests in `fault_after` rounds in a row. With only one target or one tester there is nothing to compare them with, and the error sources in the results do not settle it.',
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
    threshold: {
      value: 3,
      unit: 'count',
      meaning: 'The alert fires if a proxy has had no result for more than this number of planned cycles',
    },
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
    summary: 'Proxy {proxy_id} of account {account} has had no test result for {value}.',
    meaning: 'proxywatch makes tests, but this proxy gets no results.',
    consequence: 'What you see of the proxy is old, and a new fault of it would stay unnoticed.',
    checks: [
      'Read the log of `proxy_tests`. A batch may fail every time, or results may belong to no proxy.',
      'Check the source of the proxy. If it fails, proxywatch does not know the password.',
    ],
    condition:
      'Tests go on, and the proxy has had no result for more than {threshold} planned cycles (`proxywatch_proxy_test_cycle_seconds`). In a cycle every proxy has its turn. For a proxy without any result, the time counts from when proxywatch first knew of it.',
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
    summary: 'Account {account} has no test runs left.',
    meaning: '`max_runs_per_day` is used up.',
    consequence:
      'proxywatch does not test proxies until the oldest runs are more than a day ago, so a new fault stays unnoticed until then.',
    checks: [
      'Check whether calls cost more runs than before (`proxywatch_proxy_test_runs_per_call`), for example because of more testers.',
      'Run `proxywatch check-config` to see how many calls a day the schedule needs.',
    ],
    remedy: 'Raise `max_runs_per_day`, or test less.',
    condition:
      '`max_runs_per_day` is used up. The alert also fires when one call costs more runs than `max_runs_per_day`. Then proxywatch tests only one proxy a day, against one url, to find out whether calls have become cheaper. The alert does not fire for the pauses between the calls of a budget that is spread over the day.',
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
