// Alerts about how polling goes: they tell that the other ones rest on old data.

import { SECOND } from '../../lib/time.ts';
import type { Alert, Evaluation } from '../alert.ts';

/** Failed runs in a row. */
const FAILURES = 2;

export const COLLECTOR_ALERTS: readonly Alert[] = [
  {
    name: 'CollectorFailing',
    scope: 'account',
    when: 'runs',
    severity: 'warning',
    holdMs: 0,
    labels: ['collector'],
    threshold: { value: FAILURES, unit: 'count', meaning: 'failed runs in a row, at least' },
    unit: 'count',
    expression: (threshold) => `proxywatch_collector_consecutive_failures >= ${threshold}`,
    explainedBy: [{ alert: 'ProviderKeysRejected' }],
    summary: '{collector} has failed {value} times in a row.',
    meaning: 'Runs of the collector fail. What it shows stays as it was, and grows old.',
    action:
      'See the error in the log, on the status page, or as the kind in proxywatch_collector_error; `proxywatch doctor` tries each endpoint.',
    async *find(evaluation) {
      for (const { collector, failures } of await runsOf(evaluation))
        if (failures >= evaluation.threshold) yield { labels: { collector }, value: failures };
    },
  },
  {
    name: 'ProviderKeysRejected',
    scope: 'account',
    when: 'runs',
    severity: 'critical',
    holdMs: 0,
    labels: [],
    unit: 'none',
    expression: () => 'max by (account) (proxywatch_collector_error{kind="auth"}) == 1',
    summary: 'The provider rejects the keys of {account}.',
    meaning: 'The provider answered 401 or 403, so nothing of the account is polled any more.',
    action: 'Check the keys and the rights of the account; files of keys are read again by themselves.',
    async *find(evaluation) {
      if ((await runsOf(evaluation)).some(({ errorKind }) => errorKind === 'auth'))
        yield { labels: {}, value: 1 };
    },
  },
  {
    name: 'DataStale',
    scope: 'account',
    when: 'time',
    severity: 'warning',
    holdMs: 0,
    labels: ['collector'],
    threshold: { value: 3, unit: 'count', meaning: 'intervals of the schedule without a success, more than' },
    unit: 'seconds',
    expression: (threshold) =>
      [
        '(time() - proxywatch_collector_last_success_timestamp_seconds)',
        `and (time() - proxywatch_collector_last_success_timestamp_seconds) / proxywatch_collector_interval_seconds > ${threshold}`,
      ].join(' '),
    explainedBy: [{ alert: 'ProviderKeysRejected' }, { alert: 'CollectorFailing', on: ['collector'] }],
    summary: '{collector} last succeeded {value} ago.',
    meaning: 'No run has succeeded for three intervals, or ever; what the collector shows is that old.',
    action:
      'See the log and the status page: runs that hang, a pace too slow for the schedule, or a clock that jumped.',
    async *find(evaluation) {
      const now = evaluation.clock.now();
      for (const { collector, lastSuccessAt, intervalMs } of await runsOf(evaluation))
        if (lastSuccessAt !== null && now - lastSuccessAt > evaluation.threshold * intervalMs)
          yield { labels: { collector }, value: (now - lastSuccessAt) / SECOND };
    },
  },
];

/** Of collectors that are on. */
const runsOf = async ({ account, store }: Evaluation) =>
  (await store.runs.states(account.name)).filter(({ collector }) =>
    account.collectors.some((name) => name === collector),
  );
