// Reads the optional details of a quote: credit, promotional code and line items. An invalid one does not fail the quote.

import { z } from 'zod';
import { amount as anyAmount, count, fields, nullable, nullIfInvalid, text } from '../schema.ts';

const word = text.catch(null);
const amount = nullable(anyAmount).catch(null);
const integer = nullable(count).catch(null);
const flag = nullable(z.boolean()).catch(null);

/** Keeps the items that decode. */
const listOf = <T>(item: z.ZodType<T>) =>
  nullIfInvalid(z.array(nullIfInvalid(item))).transform((items) =>
    (items ?? []).flatMap((each) => (each === null || each === undefined ? [] : [each])),
  );

/** The filter of an order in the flat form is an object, which gives an empty list. */
const listOrFilter = <T>(item: z.ZodType<T>) =>
  z.preprocess((value) => (Array.isArray(value) ? value : []), listOf(item));

const lineItem = fields({
  name: ['item_name', word],
  /** Such as `isp`. */
  type: ['item_type', word],
  /** Such as `recurring`. */
  priceType: ['item_price_type', word],
  priceId: ['item_price_id', word],
  unitPrice: ['item_per_unit_amount', amount],
  quantity: ['item_quantity', integer],
  total: ['item_total', amount],
  countryId: ['item_country_id', word],
  locations: [
    'service_fulfillment_filter',
    listOrFilter(fields({ countryId: ['country_id', word], quantity: ['quantity', integer] })),
  ],
});

/**
 * The details as answered, also for an order that cannot be made. A value is null if the provider did not give it. Money
 * is in the unit of the quote.
 */
export const detailTypes = {
  /** The rest of the total after the account's credit is used. */
  totalAfterCredit: ['total_after_applied_credit', amount],
  isDiscounted: ['discounted', flag],
  promotionalCode: ['promotional_code', word],
  promotionalCodeId: ['promotional_code_id', word],
  /** The API's documentation does not explain it. */
  isCreditOnly: ['credit_only_checkout', flag],
  isCreditApplied: ['customer_credit_balance_applied', flag],
  appliedCredit: ['customer_credit_balance_applied_amount', amount],
  isTopUp: ['is_top_up', flag],
  topUpAmount: ['top_up_amount', amount],
  lineItems: ['line_items', listOf(lineItem)],
} as const;
