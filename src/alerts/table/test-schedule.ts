// Defines the alerts about proxy tests that are not made: because they are late, or because their budget is used up.

import type { CollectorName } from '../../collectors/context.ts';
import { readPlannerInput } from '../../collectors/proxy-tests/planner-input.ts';
import { isExhausted, overdueProxies } from '../../collectors/proxy-tests/staleness.ts';
import { HOUR, SECOND } from '../../lib/time.ts';
import { accountAlerts } from '../alert.ts';
import { lastSuccessExpression, lastSuccessOf, testsOf } from './readings.ts';

const COLLECTOR: CollectorName = 'proxy_tests';

/** The time from the timestamp to the last successful run, so that time without runs does not count. */
const untilSuccess = (timestamp: string): string =>
  `(${lastSuccessExpression(COLLECTOR)} - on (instance, account) group_right () ${timestamp})`;
const inCycles = (seconds: string): string =>
  `${seconds} / on (instance, account) group_left () max by (instance, account) (proxywatch_proxy_test_cycle_seconds)`;
const UNTESTED = untilSuccess(
  '(proxywatch_proxy_test_last_timestamp_seconds or proxywatch_proxy_test_waiting_since_timestamp_seconds)',
);
const STEADY = untilSuccess('proxywatch_proxy_test_steady_since_timestamp_seconds');

/** A changed budget or fleet changes the cycle immediately, but the proxies get their turns only later. */
export const TEST_SCHEDULE_ALERTS = accountAlerts({ trigger: COLLECTOR, severity: 'warning', holdMs: HOUR }, [
  {
    name: 'ProxyTestsStale',
    labels: ['proxy_id'],
    threshold: {
      value: 3,
      unit: 'count',
      meaning: 'The alert fires if a proxy has had no result for more than this number of test cycles',
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
