// What an order would cost: checkout/quote. It buys nothing.

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import { quote } from '../provider-words.ts';
import { nullable, text } from '../schema.ts';
import { detailFields, type QuoteDetails, toDetails } from './quote-details.ts';

export const CYCLE_INTERVALS = ['day', 'week', 'month', 'year'] as const;

interface OrderTerms {
  /** One that the product's `cycles` in the catalog have. */
  readonly cycle: { readonly interval: (typeof CYCLE_INTERVALS)[number]; readonly count: number };
  readonly promotionalCode?: string | undefined;
}

/** So many of one product; its code says all, and a country is for datacenter and isp. */
export interface ProductOrder extends OrderTerms {
  readonly product:
    | { readonly code: string }
    | {
        readonly type: string;
        readonly countryId?: string | undefined;
        readonly protocol?: string | undefined;
      };
  readonly quantity: number;
  /** Proxies of this network alone; needs a permission of the account. */
  readonly asnId?: number | undefined;
}

/** Of one product type, so many in each of several countries. */
export interface LocationsOrder extends OrderTerms {
  readonly productType: string;
  readonly locations: readonly { readonly countryId: string; readonly quantity: number }[];
}

/** The two forms of the API, of which an order has one. */
export type QuoteOrder = ProductOrder | LocationsOrder;

/** In the provider's unit of money: cents by its documentation, the currency is nowhere named. */
export interface QuotePrices {
  /** To be paid for a cycle, the discount taken off. */
  readonly total: number;
  readonly listPrice: number | null;
  readonly discount: number | null;
}

interface Priced {
  /** What the account has, before the order, in the provider's unit of money. */
  readonly creditBalance: number | null;
  readonly details: QuoteDetails;
}

export type Quote =
  | ({ readonly state: 'valid'; readonly prices: QuotePrices } & Priced)
  /** The order can't be made as it is; `reason` are the provider's words, if any. */
  | ({ readonly state: 'invalid'; readonly reason: string | null } & Priced)
  /** There is less stock than ordered. */
  | { readonly state: 'short_stock' };

const ENDPOINT = 'checkout/quote';

/**
 * Asks for the price of an order. Throws ProviderError: `rejected` for an order that the provider does not
 * understand or sell, and for a filter by ASN without the permission. It is sent again only after 429.
 */
export const readQuote = async (
  client: ProviderClient,
  order: QuoteOrder,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Quote> => {
  try {
    const { data } = await client.post(ENDPOINT, toBody(order), { schema: answer, signal });
    return toQuote(data);
  } catch (error) {
    // Short stock is told by an error, and so is what is no matter of the keys' but of the order's.
    if (error instanceof ProviderError && isShortStock(error)) return { state: 'short_stock' };
    if (error instanceof ProviderError && isAsnRefused(error, order)) throw asRejected(error);
    throw error;
  }
};

const toBody = (order: QuoteOrder) => {
  const { cycle, promotionalCode } = order;
  const cycleFields = { cycle_interval: cycle.interval, cycle_interval_count: cycle.count };
  if ('locations' in order) {
    const filter = order.locations.map(({ countryId, quantity }) => ({ country_id: countryId, quantity }));
    const item = {
      product_type: order.productType,
      item_quantity: filter.reduce((sum, { quantity }) => sum + quantity, 0),
      ...cycleFields,
      service_fulfillment_filter: filter,
    };
    return { line_items: [item], promotional_code: promotionalCode };
  }
  return {
    ...productFields(order.product),
    ...cycleFields,
    quantity: order.quantity,
    service_fulfillment_filter: order.asnId === undefined ? undefined : { asn_id: order.asnId },
    promotional_code: promotionalCode,
  };
};

const productFields = (product: ProductOrder['product']) =>
  'code' in product
    ? { product_code: product.code }
    : { product_type: product.type, country_id: product.countryId, product_protocol: product.protocol };

const money = nullable(z.number());

const answer = z.object({
  data: z.object({
    is_valid: z.boolean(),
    invalid_reason: text,
    total: money,
    before_discount_total: money,
    discount: money,
    credit_balance: money,
    ...detailFields,
  }),
});

const toQuote = (data: z.infer<typeof answer>['data']): Quote => {
  const { is_valid: isValid, invalid_reason: words, credit_balance: creditBalance, total } = data;
  const reason = words && quote(words, []);
  const details = toDetails(data);
  if (!isValid) return { state: 'invalid', reason, creditBalance, details };
  if (total === null) throw new ProviderError('bad_response', ENDPOINT, 'a valid quote without a total');
  const prices = { total, listPrice: data.before_discount_total, discount: data.discount };
  return { state: 'valid', prices, creditBalance, details };
};

/** The specification has 422 for short stock, but leaves its words open, and other broken rules are 422 as well. */
const isShortStock = ({ status, message }: ProviderError): boolean =>
  status === 422 &&
  /\b(?:stock|sold out|not enough|insufficient)\b/i.test(message) &&
  !/permission|credit|balance/i.test(message);

const isAsnRefused = ({ status }: ProviderError, order: QuoteOrder): boolean =>
  status === 403 && 'asnId' in order && order.asnId !== undefined;

const asRejected = (cause: ProviderError): ProviderError => {
  const { status, requestId } = cause;
  const what = 'answered 403: the account may not filter by ASN';
  return new ProviderError('rejected', ENDPOINT, what, { status, requestId, cause });
};
