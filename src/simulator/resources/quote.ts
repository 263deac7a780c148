// Simulates checkout/quote: the price of an order, if there is enough stock.

import { HttpError, type Route } from '../http.ts';
import { draw, hashText, mix, uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import { type Catalog, unitPrice } from './catalog.ts';
import { type Order, parseOrder } from './quote-request.ts';

/** The sample in the API's documentation has this word instead of a JSON null. */
const WORD_NULL = 'null';

export const quoteRoute = (scenario: Scenario, catalog: Catalog): Route => ({
  method: 'POST',
  endpoint: 'checkout/quote',
  takesId: false,
  handle: ({ body, at }) => {
    const order = parseOrder(body, catalog(at));
    checkStock(scenario, order);
    return { data: quoteOf(scenario, order), message: 'Quote generated.' };
  },
});

const checkStock = ({ seed, may_filter_by_asn }: Scenario, { parts, asnId }: Order): void => {
  if (asnId !== null && !may_filter_by_asn) throw new HttpError(403, 'You may not filter by asn_id.');
  const inNetwork = asnId === null ? 1 : draw(mix(seed, hashText('asn')), asnId);
  for (const { product, quantity } of parts) {
    const inStock = product.product_stock < 0 ? Number.POSITIVE_INFINITY : product.product_stock;
    const stock = product.product_is_available ? Math.floor(inStock * inNetwork) : 0;
    if (quantity > stock) throw new HttpError(422, 'There is insufficient stock for this order.');
  }
};

/** Money is in whole cents. */
const quoteOf = ({ seed, promotional_codes, credit_cents }: Scenario, order: Order) => {
  const { product, cycle, quantity, promotionalCode } = order;
  const unit = unitPrice(product.product_type, cycle);
  const before = unit * quantity;
  const percent = promotionalCode === null ? 0 : promotional_codes[promotionalCode];
  const discount = Math.floor((before * (percent ?? 0)) / 100);
  const total = before - discount;
  const applied = Math.min(total, credit_cents);
  return {
    is_valid: percent !== undefined,
    invalid_reason: percent === undefined ? 'The promotional code is not valid.' : WORD_NULL,
    before_discount_total: before,
    discount,
    total,
    total_after_applied_credit: total - applied,
    discounted: discount > 0,
    promotional_code: promotionalCode ?? WORD_NULL,
    promotional_code_id: promotionalCode === null ? null : uuid(seed, `code ${promotionalCode}`),
    credit_balance: credit_cents,
    credit_only_checkout: false,
    customer_credit_balance_applied: applied > 0,
    customer_credit_balance_applied_amount: applied,
    is_top_up: false,
    top_up_amount: 0,
    line_items: [lineItem(seed, order, unit)],
  };
};

/** The line item of an order over several countries has no country. */
const lineItem = (seed: number, { product, cycle, quantity, parts }: Order, unit: number) => ({
  item_name: product.product_name,
  item_type: product.product_type,
  item_price_type: 'recurring',
  item_price_id: uuid(seed, `price ${product.product_name} ${cycle}`),
  item_per_unit_amount: unit,
  item_quantity: quantity,
  item_total: unit * quantity,
  ...(parts.length === 1 && { item_country_id: product.country_id }),
  service_fulfillment_filter: parts.flatMap((part) =>
    part.product.country_id === null
      ? []
      : [{ country_id: part.product.country_id, quantity: part.quantity }],
  ),
});
