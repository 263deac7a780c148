// The documented fields of products in the catalog and of quotes.

import { PRODUCT_TYPE_WORDS, PROTOCOL_WORDS } from '../documented-words.ts';
import { list, object, optional, orNull, value, word } from './shapes.ts';

export const product = object(
  {
    text: 'product_name',
    'country or null': 'country_id',
    boolean: 'product_is_available product_is_per_ip',
    integer: 'product_stock',
  },
  {
    product_type: word(PRODUCT_TYPE_WORDS),
    product_protocol: word(PROTOCOL_WORDS),
    product_cycle_options: list(value('cycle')),
  },
);

/** The documentation has an "absent value" for these fields: null, the text "null", or no field at all. */
const textOrAbsent = optional(orNull(value('text', 'word_null')));

const lineItem = object(
  {
    text: 'item_name item_price_type item_price_id',
    integer: 'item_quantity',
    number: 'item_per_unit_amount item_total',
  },
  {
    item_type: word(PRODUCT_TYPE_WORDS),
    item_country_id: optional(orNull(value('country', 'word_null'))),
    service_fulfillment_filter: list(object({ country: 'country_id', integer: 'quantity' })),
  },
);

export const quote = object(
  {
    boolean: 'is_valid discounted credit_only_checkout customer_credit_balance_applied is_top_up',
    number: `before_discount_total discount total total_after_applied_credit credit_balance
      customer_credit_balance_applied_amount top_up_amount`,
  },
  {
    invalid_reason: textOrAbsent,
    promotional_code: textOrAbsent,
    promotional_code_id: textOrAbsent,
    line_items: list(lineItem),
  },
);
