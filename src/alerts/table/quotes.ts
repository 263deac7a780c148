// Defines the alerts about configured orders.

import { quotes } from '../../collectors/quotes/quotes.ts';
import { HOUR } from '../../lib/time.ts';
import type { Alert } from '../alert.ts';

export const QUOTE_ALERTS: readonly Alert[] = [
  {
    name: 'QuoteInvalid',
    scope: 'account',
    trigger: 'quotes',
    severity: 'info',
    holdMs: 0,
    keepFiringMs: 2 * HOUR,
    labels: ['quote'],
    unit: 'none',
    expression: () => 'proxywatch_quote_valid == 0',
    summary:
      'Account {account} cannot place order {quote}. The stock is too low, or the provider rejects the order.',
    meaning: 'According to the provider’s last answer, you cannot place the configured order.',
    consequence: 'You cannot place this order until the provider has enough stock or you change the order.',
    section: 'market',
    checks: [
      'Open {view}. “Orders” shows the state of the order and the reason. If the reason names an error in the order, correct the order in `quotes.items`.',
      'Run `proxywatch check-config --config config.yaml` after a correction, and reload the configuration.',
    ],
    remedy: 'If the state is “Not enough stock”, wait for new stock, or order a smaller quantity.',
    condition: 'According to the provider’s last answer, the account cannot place the order.',
    async *find({ account, store, options }) {
      if (!options(quotes)) return;
      for (const { name, state } of await store.quotes.quotes(account.name))
        if (state !== 'valid') yield { labels: { quote: name }, value: 0 };
    },
  },
];
