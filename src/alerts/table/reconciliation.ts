// Defines the alerts about sources of an account that do not agree.

import { comparedPairs } from '../../collectors/reconciliation/compare.ts';
import { TOLERATED_SHARE, unexplainedShare } from '../../collectors/reconciliation/explain.ts';
import { reconciliation } from '../../collectors/reconciliation/reconciliation.ts';
import type { Alert } from '../alert.ts';

export const RECONCILIATION_ALERTS: readonly Alert[] = [
  {
    name: 'ReconciliationDiffers',
    scope: 'account',
    trigger: 'reconciliation',
    severity: 'warning',
    holdMs: 0,
    labels: ['pair'],
    threshold: {
      value: TOLERATED_SHARE,
      unit: 'ratio',
      meaning: 'part of a day’s bytes that nothing explains, more than',
    },
    unit: 'ratio',
    expression: (threshold) =>
      `abs(proxywatch_reconcile_unexplained_bytes) / (proxywatch_reconcile_compared_bytes > 0) > ${threshold}`,
    summary: 'Sources of {account} differ by {value} of a day’s bytes ({pair}).',
    meaning:
      'Two sources say something else of the newest day that both have whole, and nothing known explains it: the invoice may not be what the traffic says.',
    action:
      '`proxywatch reconcile` shows each day with what explains a difference, and the hours in which the sources differ; docs/operations.md says what each pair means.',
    async *find({ account, options, store, threshold }) {
      if (!options(reconciliation)) return;
      const polled = comparedPairs(account);
      for (const day of await store.reconciliation.newest(account.name)) {
        const share = unexplainedShare(day);
        if (polled.includes(day.pair) && share > threshold)
          yield { labels: { pair: day.pair }, value: share };
      }
    },
  },
];
