// Defines the alerts about proxies, testers, targets, and tests, also those that are late or beyond their budget.

import type { CollectorName } from '../../collectors/context.ts';
import { readFleetCounts, readInconclusive } from '../../collectors/proxy-tests/fleet.ts';
import { readPlannerInput } from '../../collectors/proxy-tests/planner-input.ts';
import { isExhausted, overdueProxies } from '../../collectors/proxy-tests/staleness.ts';
import { HOUR, SECOND } from '../../lib/time.ts';
import { accountAlerts, firesIf, SAME_LABELS } from '../alert.ts';
import { lastSuccessExpression, lastSuccessOf, testsOf, whileAtFault } from './readings.ts';

/** A single failing proxy is reported by `ProxyFailing` alone. */
const MIN_PROXIES_AT_FAULT = 2;

/** The probes find these faults too. A fault that both find is one alert, because it has the same subject. */
const SHARED_FAULT = { alsoAfter: ['probes'] } as const;
const SUPPRESSED_BY_OUTAGE = [{ alert: 'ProviderOutage' }];

/** A fault needs no hold, because it takes several rounds to begin and even more to end. */
export const PROXY_TEST_ALERTS = accountAlerts({ trigger: 'proxy_tests', alsoAtStart: true }, [
  {
    ...SHARED_FAULT,
    name: 'ProxyFailing',
    severity: 'warning',
    ...whileAtFault('proxy', 'proxy_id'),
    suppressedBy: SUPPRESSED_BY_OUTAGE,
    summary: 'Proxy {proxy_id} of account {account} fails its tests[: {reason}].',
    meaning:
      'The same test of this proxy failed in several rounds in a row. The tester works with other proxies, and the target answers other proxies.',
    consequence: 'Until the proxy works again, requests through it are likely to fail.',
    checks: [
      'Open {view}. It shows the reason of the fault, and the error of the last test at each target.',
      'Run `proxywatch probe PROXY URL --config config.yaml` with the id of the proxy and the URL of a target. The last line says why the proxy fails, and what to do next.',
    ],
    remedy:
      'If the user name or password in the source of the proxy (`proxy_tests.proxies`) differs from the provider’s, correct it. Otherwise, ask the provider to replace the proxy.',
    condition:
      'The same test of the proxy failed in several rounds, the tester works with other proxies, and the target answers other proxies. Probes also find this fault if the provider’s testers have no results of the proxy, unless at least half of ten or more proxies fail from the machine of proxywatch. A refused user name, password or option is `ProxyUnusableHere` instead.',
  },
  {
    name: 'ProxiesFailing',
    severity: 'critical',
    labels: ['product_type'],
    threshold: firesIf(
      0.1,
      'ratio',
      'more than this share of the tested proxies of a product type are at fault',
    ),
    expression: (threshold) =>
      `proxywatch_proxies_at_fault / ${SAME_LABELS} proxywatch_proxies_tested > ${threshold} and ${SAME_LABELS} proxywatch_proxies_at_fault >= ${MIN_PROXIES_AT_FAULT}`,
    suppressedBy: SUPPRESSED_BY_OUTAGE,
    summary:
      'Account {account}: {value} of the tested proxies [with the product type "{product_type}"|without a known product type] fail their tests.',
    meaning:
      'Many proxies of this product type fail their tests, although testers and targets work. Proxies without a known product type form a separate group with an empty name. proxywatch does not count failures that a tester or a target causes.',
    consequence: 'Until the proxies work again, many requests through them are likely to fail.',
    section: 'tests',
    checks: [
      'Open {view}. The table “Faults” lists the failing proxies with their reasons. Their pages show whether they share a service, a network or a country.',
      'Run `proxywatch probe PROXY URL --config config.yaml` with one of these proxies and the URL of a target. The last line says why the proxy fails, and what to do next.',
    ],
    remedy:
      'If the failing proxies share a service, network or country, report the problem to the provider. If they share a proxy user, ask whether its password changed, and correct it in the sources of the proxies (`proxy_tests.proxies`).',
    condition:
      'At least 2 proxies of a product type are at fault, and they are more than {threshold} of the tested proxies of this type.',
    async *find(evaluation) {
      const context = testsOf(evaluation);
      for (const { productType, tested, atFault } of context ? await readFleetCounts(context) : [])
        if (atFault >= MIN_PROXIES_AT_FAULT && atFault / tested > evaluation.threshold)
          yield { labels: { product_type: productType }, value: atFault / tested };
    },
  },
  {
    ...SHARED_FAULT,
    name: 'ProxyTargetBlocked',
    severity: 'warning',
    ...whileAtFault('target', 'url'),
    summary: 'Target {url} fails for proxies of account {account}[: {reason}].',
    meaning:
      'Many proxies fail at this target, and the target causes the failures. proxywatch does not report these failures as faults of the proxies.',
    consequence:
      'Until the target accepts the proxies again, requests through the proxies to this target are likely to fail.',
    checks: [
      'Open {view}. The error codes of the failed tests can show that the target blocks the proxies.',
      'Run `proxywatch probe PROXY URL --config config.yaml --control` with one of the proxies and the URL of the target. The command shows whether the target works without a proxy.',
    ],
    remedy:
      'If the target is down or requires a login, choose another in `proxy_tests.urls`. If it blocks the proxies, use other proxies for it.',
    condition:
      'At least half of the proxies fail at the target, and another target works, among all proxies or among those of a product type. At least five of them must have results. With only one target or tester, the results of at least half of the proxies must name the target as the error source. Probes find this fault in the same way, if the control request of the target succeeds. If the control fails in several rounds, at least half of the provider’s tests must fail at the target too or, if there are none, at least half of the probes through proxies.',
  },
  {
    name: 'ProxyTesterFailing',
    severity: 'info',
    ...whileAtFault('tester', 'tester_server'),
    summary: 'Tester {tester_server} fails for proxies of account {account}[: {reason}].',
    meaning:
      'Many proxies fail from this tester, but another tester works. proxywatch does not report these failures as faults of the proxies.',
    consequence: 'Until the tester works again, its results do not show whether the proxies work.',
    checks: [
      'Open {view}, and compare its uptime with the uptime of the other testers in the part “Proxy tests” of the status page. If the other testers also have a low uptime, look for another cause.',
      'Run `proxywatch probe PROXY URL --config config.yaml` with one of the proxies and the URL of a target. If the probe succeeds, the proxy works without this tester.',
    ],
    remedy:
      'If the provider’s status page reports no problem of its testers, report the tester to the provider. Until it works again, list only the other testers in `proxy_tests.tester_servers`.',
    condition:
      'Of at least five proxies with results from the tester, at least half fail from it, and another tester works.',
  },
  {
    ...SHARED_FAULT,
    name: 'ProviderOutage',
    severity: 'critical',
    ...whileAtFault('provider'),
    summary: 'The provider fails for proxies of account {account}[: {reason}].',
    meaning:
      'At least half of the proxies fail from all testers at all targets. The cause is probably the provider.',
    consequence:
      'Until the provider works again, requests through these proxies are likely to fail. During this time, proxywatch suppresses `ProxyFailing` and `ProxiesFailing`.',
    section: 'tests',
    checks: [
      'Open {view}. The table “Faults” shows since when the provider is at fault, and the reason.',
      'Run `proxywatch probe PROXY URL --config config.yaml` with one of the proxies and the URL of a target. The last line says why the proxy fails, and what to do next.',
    ],
    remedy:
      'If the provider’s status page reports no outage, ask whether the user names and passwords in `proxy_tests.proxies` are valid.',
    condition:
      'Of at least ten proxies with results, at least half fail from all testers at all targets. With only one target or tester, a failing proxy counts only if its results name the proxy as the error source. Probes also find this fault if the provider’s answers to at least half of ten or more proxies say that it has no node or a fault of its own.',
  },
  {
    name: 'ProxyTestsInconclusive',
    severity: 'warning',
    labels: ['url'],
    unit: 'count',
    expression: () => 'proxywatch_proxy_tests_inconclusive > 0',
    summary: 'Tests at target {url} fail for {value} proxies of account {account}, and the cause is unknown.',
    meaning:
      'At least half of the proxies fail at this target, or the only proxy that works and has tests of it, and proxywatch cannot find the cause. The cause can be the proxies, the target, the tester or the provider.',
    consequence:
      'Until proxywatch finds the cause, it reports no fault for these failures. Requests through the proxies to this target can fail as long as the problem lasts.',
    checks: [
      'Open {view}. If most failed tests have the same error source, look for the cause at this source.',
      'Run `proxywatch probe PROXY URL --config config.yaml --control` with one of the proxies and the URL of the target. If the target does not respond without a proxy either, the target is probably the cause.',
    ],
    remedy:
      'Add another URL to `proxy_tests.urls` if there is only one target. If there is only one tester, set `proxy_tests.tester_servers: []` to use all testers.',
    condition:
      'The configuration has only one target, tester or proxy that works, so proxywatch cannot compare results. At least half of the proxies failed all their tests at the target in several rounds, or a single proxy some of them, and the errors do not show the cause.',
    async *find(evaluation) {
      const context = testsOf(evaluation);
      for (const [url, proxies] of context ? await readInconclusive(context) : [])
        if (proxies > 0) yield { labels: { url }, value: proxies };
    },
  },
]);

const COLLECTOR: CollectorName = 'proxy_tests';

/** The time from the timestamp to the last successful run, so that time without runs does not count. */
const untilSuccess = (timestamp: string): string =>
  `(${lastSuccessExpression(COLLECTOR)} - on (instance, account) group_right () ${timestamp})`;
const inCycles = (seconds: string): string =>
  `${seconds} / on (instance, account) group_left () max by (instance, account) (proxywatch_proxy_test_cycle_seconds)`;
const UNTESTED = untilSuccess(
  `(proxywatch_proxy_test_last_timestamp_seconds or ${SAME_LABELS} proxywatch_proxy_test_waiting_since_timestamp_seconds)`,
);
const STEADY = untilSuccess('proxywatch_proxy_test_steady_since_timestamp_seconds');

/** A changed budget or fleet changes the cycle immediately, but the proxies get their turns only later. */
export const TEST_SCHEDULE_ALERTS = accountAlerts({ trigger: COLLECTOR, severity: 'warning', holdMs: HOUR }, [
  {
    name: 'ProxyTestsStale',
    labels: ['proxy_id'],
    threshold: firesIf(3, 'count', 'a proxy has had no result for more than this number of test cycles'),
    unit: 'seconds',
    expression: (threshold) =>
      [
        UNTESTED,
        `and ${SAME_LABELS} ${inCycles(UNTESTED)} > ${threshold}`,
        `and on (instance, account) ${inCycles(STEADY)} > ${threshold}`,
      ].join(' '),
    suppressedBy: [
      { alert: 'ProviderKeysRejected' },
      { alert: 'CollectorFailing', sourceLabels: { collector: COLLECTOR } },
      { alert: 'TestBudgetExhausted' },
      { alert: 'TestQuotaRefused' },
    ],
    summary: 'Proxy {proxy_id} of account {account} has had no test result for {value}.',
    meaning: 'proxywatch tests proxies, but gets no results for this proxy.',
    consequence:
      'Until proxywatch gets a result, it shows old results of the proxy and cannot detect a new fault of the proxy.',
    checks: [
      'Open {view}. It shows when the proxy was last tested.',
      'Run `proxywatch doctor --config config.yaml`. If the command reports an error of the source of this proxy, correct the source in `proxy_tests.proxies`. Without the source, proxywatch does not know the password of the proxy.',
    ],
    remedy:
      'Otherwise, look in the log of the `proxy_tests` collector for test calls that always fail, and for results of proxies that proxywatch did not test.',
    condition:
      'proxywatch tests proxies, but this one has had no result for more than {threshold} test cycles, or since proxywatch found it. A cycle tests every proxy in `proxywatch_proxy_test_cycle_seconds`.',
    async *find(evaluation) {
      const context = testsOf(evaluation);
      const until = context && (await lastSuccessOf(evaluation, COLLECTOR));
      if (!context || !until) return;
      for (const { id, untestedMs } of await overdueProxies(context, evaluation.threshold, until))
        yield { labels: { proxy_id: id }, value: untestedMs / SECOND };
    },
  },
  {
    name: 'TestBudgetExhausted',
    expression: () => 'proxywatch_proxy_test_budget_exhausted == 1',
    summary: 'Account {account} has used up its run budget for proxy tests.',
    meaning: 'The account has used up its run budget, which you set in `max_runs_per_day`.',
    consequence:
      'proxywatch does not test proxies until earlier test runs are more than 24 hours old and no longer count. Until then, proxywatch cannot detect new faults.',
    section: 'tests',
    checks: [
      'Open {view}. If it has more targets or testers than before, each test call costs more test runs.',
      'Run `proxywatch check-config --config config.yaml`. If the command estimates more test runs per day than `proxy_tests.max_runs_per_day` allows, the budget is too small for the schedule.',
    ],
    remedy:
      'If the account’s quota at the provider allows more test runs, raise `max_runs_per_day`. Otherwise, test fewer proxies or less often.',
    condition:
      'The account has used up `max_runs_per_day`, or one test call costs more. In the second case, proxywatch tests one proxy a day against one URL, to see whether calls are cheaper. Planned pauses of a budget that is spread over the day do not count.',
    async *find(evaluation) {
      const context = testsOf(evaluation);
      if (!context) return;
      const { proxies, budget, spent } = await readPlannerInput(context);
      if (isExhausted(proxies, budget, spent, evaluation.clock.now())) yield { labels: {}, value: 1 };
    },
  },
]);
