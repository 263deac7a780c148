// Simulates checkout/quote: parses both forms of its body into an order, and returns the price, if there is enough stock.

import { z } from 'zod';
import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { HttpError, type Route } from '../http.ts';
import { draw, hashText, mix, uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import { type Catalog, type CycleInterval, type Product, unitPrice } from './catalog.ts';

/** The sample in the API's documentation has this word instead of a JSON null. */
const WORD_NULL = 'null';

export const quoteRoute = (scenario: Scenario, catalog: Catalog): Route => ({
  method: 'POST',
  endpoint: 'checkout/quote',
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

interface Order {
  readonly product: Product;
  /** `<count>:<interval>` */
  readonly cycle: string;
  readonly quantity: number;
  readonly asnId: number | null;
  /** The quantity of each product. An order over several countries has several parts. */
  readonly parts: readonly { readonly product: Product; readonly quantity: number }[];
  readonly promotionalCode: string | null;
}

type Products = ReturnType<Catalog>;

const count = z.int().min(1);
const interval = z.enum(['year', 'month', 'week', 'day']) satisfies z.ZodType<CycleInterval>;
const type = z.enum(PRODUCT_TYPES);

const flatFields = {
  product_code: z.string().optional(),
  product_type: type.optional(),
  country_id: z.string().optional(),
  product_protocol: z.enum(['ipv4', 'ipv6', 'dual']).optional(),
  cycle_interval: interval.default('month'),
  cycle_interval_count: count.default(1),
  quantity: count,
  service_fulfillment_filter: z.strictObject({ asn_id: z.int().optional() }).optional(),
};
const flatForm = z.strictObject({ ...flatFields, promotional_code: z.string().optional() });

const locationsForm = z.strictObject({
  promotional_code: z.string().optional(),
  line_items: z.array(
    z.strictObject({
      product_type: type,
      item_quantity: count,
      cycle_interval: interval,
      cycle_interval_count: count,
      service_fulfillment_filter: z.array(z.strictObject({ country_id: z.string(), quantity: count })).min(1),
    }),
  ),
});

/** Throws HttpError: 400 for a malformed body, 422 for both forms at once and for an order that is not offered. */
const parseOrder = (body: unknown, products: Products): Order => {
  const order =
    isObject(body) && 'line_items' in body ? locationsOrder(body, products) : flatOrder(body, products);
  const wrong = order.parts.find(({ product }) => !product.product_cycle_options.includes(order.cycle));
  if (wrong) throw new HttpError(422, `${wrong.product.product_name} is not sold by ${order.cycle}.`);
  return order;
};

const isObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body);

const parseForm = <T>(form: z.ZodType<T>, body: unknown): T => {
  const { data, error } = form.safeParse(body);
  if (error) throw new HttpError(400, z.prettifyError(error));
  return data;
};

const flatOrder = (body: unknown, products: Products): Order => {
  const request = parseForm(flatForm, body);
  const { product_code: code, product_type, country_id = null, product_protocol = 'ipv4' } = request;
  const product =
    code === undefined
      ? findProduct(products, product_type, country_id, product_protocol)
      : products.get(code);
  if (!product) throw new HttpError(422, 'Product not found.');
  return {
    product,
    cycle: `${request.cycle_interval_count}:${request.cycle_interval}`,
    quantity: request.quantity,
    asnId: request.service_fulfillment_filter?.asn_id ?? null,
    parts: [{ product, quantity: request.quantity }],
    promotionalCode: request.promotional_code ?? null,
  };
};

const locationsOrder = (body: Record<string, unknown>, products: Products): Order => {
  const both = Object.keys(flatFields).find((name) => name in body);
  if (both) throw new HttpError(422, `${both} cannot be used together with line_items.`);
  const { line_items, promotional_code = null } = parseForm(locationsForm, body);
  const [item] = line_items;
  if (!item || line_items.length > 1) throw new HttpError(422, 'line_items must hold exactly one item.');
  const parts = item.service_fulfillment_filter.map(({ country_id, quantity }) => {
    const product = findProduct(products, item.product_type, country_id, 'ipv4');
    if (!product) throw new HttpError(422, 'Product not found.');
    return { product, quantity };
  });
  const quantity = parts.reduce((sum, part) => sum + part.quantity, 0);
  const [first] = parts;
  if (!first || quantity !== item.item_quantity)
    throw new HttpError(422, 'The quantities of service_fulfillment_filter must add up to item_quantity.');
  const cycle = `${item.cycle_interval_count}:${item.cycle_interval}`;
  return { product: first.product, cycle, quantity, asnId: null, parts, promotionalCode: promotional_code };
};

const findProduct = (
  products: Products,
  wanted: string | undefined,
  country: string | null,
  protocol: string,
): Product | undefined =>
  [...products.values()].find(
    ({ product_type, country_id, product_protocol }) =>
      product_type === wanted && country_id === country && product_protocol === protocol,
  );
