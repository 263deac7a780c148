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
      meaning: 'The alert fires if the unexplained difference is more than this share of a day’s bytes',
    },
    unit: 'ratio',
    expression: (threshold) =>
      `abs(proxywatch_reconcile_unexplained_bytes) / (proxywatch_reconcile_compared_bytes > 0) > ${threshold}`,
    summary:
      'In account {account}, the sources of the pair {pair} differ by {value} of a day’s bytes, and the reason is unknown.',
    meaning:
      'Two sources report different numbers of bytes for the same day, and proxywatch cannot explain the difference. proxywatch compares the newest day for which both sources have complete data.',
    consequence: 'If the difference remains, the invoice can differ from the traffic that you see.',
    section: 'traffic',
    checks: [
      'Open {view}. If the plots have a gap on that day, proxywatch could not read all traffic of the day.',
      'Run `proxywatch reconcile --config config.yaml --from DAY --to DAY`. The command shows the explanation of each difference, and the hours in which the sources differ.',
    ],
    remedy:
      'Look up the pair in “[Check an invoice](how-to/check-an-invoice.md)”: its two sources, why they can differ, and what to do.',
    condition:
      'For the newest day with complete data in both sources, the unexplained difference is more than {threshold} of the bytes of the larger source.',
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
