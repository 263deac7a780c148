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
    summary: 'Account {account} cannot place the order {quote}: stock is short, or the provider rejects it.',
    meaning: 'The provider answered that the configured order cannot be made as it is written.',
    consequence: 'You cannot place this order until the stock or the order changes.',
    checks: [
      'Read in the log what the provider answered.',
      'Look at the stock of the product in the catalog (`/api/v1/products`).',
    ],
    remedy: 'Order fewer, or wait.',
    condition: 'The last answer to the order was that it cannot be made.',
    async *find({ account, store, options }) {
      if (!options(quotes)) return;
      for (const { name, state } of await store.quotes.quotes(account.name))
        if (state !== 'valid') yield { labels: { quote: name }, value: 0 };
    },
  },
];
