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
    summary: 'The order {quote} cannot be made: stock is short, or the provider does not take it.',
    meaning: 'The provider answered that the configured order can not be made as it is written.',
    action:
      'Look at the stock of the product in the catalog, order fewer, or wait. The log says what the provider answered.',
    async *find({ account, store, options }) {
      if (!options(quotes)) return;
      for (const { name, state } of await store.quotes.quotes(account.name))
        if (state !== 'valid') yield { labels: { quote: name }, value: 0 };
    },
  },
];
