// Serves GET /api/v1/adjustments: adjustments of the services of all accounts, page by page.

import { z } from 'zod';
import type { Adjustment, AdjustmentChanges, Replacement } from '../../store/adjustment-store.ts';
import { accountItemOf, itemOf, orNull, text } from './item.ts';
import { itemsOf, listRoute } from './list-route.ts';
import * as parameters from './parameters.ts';
import { accountWithCollector, revisionOfParts } from './route.ts';

export const { schema: changes } = itemOf<AdjustmentChanges>()('AdjustmentChanges', () => ({
  quantity_before: orNull.count,
  quantity_after: orNull.count,
  expiry_before: orNull.time,
  expiry_after: orNull.time,
  total_before: orNull.amount.describe('Price of the service, in cents by the provider’s documentation'),
  total_after: orNull.amount,
}));

const { schema: replacement } = itemOf<Replacement>()('Replacement', () => ({
  reason: orNull.text.describe('Such as `ip_reputation` or `customer_request`'),
  old_address: orNull.text,
  new_address: orNull.text,
}));

export const adjustmentFields = {
  type: orNull.text.describe('Such as `top_up` or `proxy_replacement`'),
  status: orNull.text.describe('`pending`, `complete`, `failed` or another word of the provider'),
  by: orNull.text.describe('`administrator`, `automatic` or `customer`'),
};

export const { schema: adjustment, json: adjustmentJson } = accountItemOf<Adjustment>()(
  'Adjustment',
  (from) => ({
    adjustment_id: from(text, 'id'),
    service_id: orNull.text,
    ...adjustmentFields,
    created_at: orNull.time.describe('Time by the provider’s clock'),
    updated_at: orNull.time.describe('Time by the provider’s clock'),
    changes: changes.describe('Values of the service before and after. Null if they are not given'),
    replacements: z
      .array(replacement)
      .nullable()
      .describe('The proxies that were replaced, at most 1,000. Null if not given'),
  }),
);

export const ADJUSTMENT_ROUTE = listRoute({
  path: '/api/v1/adjustments',
  collector: 'adjustments',
  summary: 'Adjustments of services, of each account the newest first',
  query: {
    service_id: parameters.singleText.describe('Only adjustments of this service'),
    from: parameters.time.describe('Only adjustments created at this time or later'),
    to: parameters.time.describe('Only adjustments created before this time'),
  },
  item: adjustment,
  revision: revisionOfParts(['adjustments']),
  list: (view, query) => {
    const filter = { serviceId: query.service_id, ...parameters.periodOf(query) };
    return async (account, after, limit) => {
      const store = accountWithCollector(view, account, 'adjustments')?.store;
      const of = { ...filter, after: after ?? undefined };
      return itemsOf<Adjustment>((await store?.adjustments.newest(account, limit, of)) ?? [], ({ id }) => id);
    };
  },
  toJson: adjustmentJson,
});
