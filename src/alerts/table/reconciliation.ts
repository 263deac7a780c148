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
      meaning: 'The alert fires if more than this share of a day’s bytes is unexplained',
    },
    unit: 'ratio',
    expression: (threshold) =>
      `abs(proxywatch_reconcile_unexplained_bytes) / (proxywatch_reconcile_compared_bytes > 0) > ${threshold}`,
    summary:
      'Two sources of account {account} ({pair}) differ by {value} of a day’s bytes without a known reason.',
    meaning:
      'Two sources report different numbers of bytes for the newest day that both have in full, and nothing known explains it.',
    consequence: 'The invoice may not match the traffic that you see.',
    checks: [
      'Run `proxywatch reconcile`. It shows each day with what explains a difference, and the hours in which the sources differ.',
      'Look up what the pair compares and what usually makes it differ: [check an invoice](how-to/check-an-invoice.md).',
    ],
    condition:
      'Of the newest day that both sources have in full, more than {threshold} of the bytes differ and nothing explains it.',
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
