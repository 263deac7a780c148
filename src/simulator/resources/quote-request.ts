// Parses both forms of the body of checkout/quote into an order.

import { z } from 'zod';
import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { HttpError } from '../http.ts';
import type { Catalog, CycleInterval, Product } from './catalog.ts';

export interface Order {
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
export const parseOrder = (body: unknown, products: Products): Order => {
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
