// Asks for the price of an order (checkout/quote). This buys nothing. An invalid optional detail (credit, promotional code, line
// items) does not fail the quote.

import { z } from 'zod';
import { quotedText } from '../../lib/quoted-text.ts';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import type { SignalOption } from '../request.ts';
import {
  amount,
  count,
  type FieldValues,
  fields,
  nonNegativeAmount,
  nullable,
  nullIfInvalid,
  text,
  type Validity,
  withInvalidity,
} from '../schema.ts';

const word = text.catch(null);
const amountOrNull = nullable(amount).catch(null);
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
  unitPrice: ['item_per_unit_amount', amountOrNull],
  quantity: ['item_quantity', integer],
  total: ['item_total', amountOrNull],
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
const detailTypes = {
  /** The rest of the total after the account's credit is used. */
  totalAfterCredit: ['total_after_applied_credit', amountOrNull],
  isDiscounted: ['discounted', flag],
  promotionalCode: ['promotional_code', word],
  promotionalCodeId: ['promotional_code_id', word],
  /** The API's documentation does not explain it. */
  isCreditOnly: ['credit_only_checkout', flag],
  isCreditApplied: ['customer_credit_balance_applied', flag],
  appliedCredit: ['customer_credit_balance_applied_amount', amountOrNull],
  isTopUp: ['is_top_up', flag],
  topUpAmount: ['top_up_amount', amountOrNull],
  lineItems: ['line_items', listOf(lineItem)],
} as const;

export const CYCLE_INTERVALS = ['day', 'week', 'month', 'year'] as const;

interface OrderTerms {
  /** One of the product's `cycles` in the catalog. */
  readonly cycle: { readonly interval: (typeof CYCLE_INTERVALS)[number]; readonly count: number };
  readonly promotionalCode?: string | undefined;
}

/** An order for a quantity of one product, given by its code, or by its type with a country for datacenter and isp. */
export interface ProductOrder extends OrderTerms {
  readonly product:
    | { readonly code: string }
    | {
        readonly type: string;
        readonly countryId?: string | undefined;
        readonly protocol?: string | undefined;
      };
  readonly quantity: number;
  /** Only proxies of this network. The account needs a permission for it. */
  readonly asnId?: number | undefined;
}

/** An order for one product type, with a quantity in each of several countries. */
export interface LocationsOrder extends OrderTerms {
  readonly productType: string;
  readonly locations: readonly { readonly countryId: string; readonly quantity: number }[];
}

/** An order in one of the two forms of the API. */
export type QuoteOrder = ProductOrder | LocationsOrder;

/** Prices in the provider's unit of money: cents by its documentation, which does not name the currency. */
export interface QuotePrices {
  /** The price of a cycle after the discount. */
  readonly total: number;
  readonly listPrice: number | null;
  readonly discount: number | null;
}

interface CommonFields extends Validity {
  /** The account's credit before the order, in the provider's unit of money. */
  readonly creditBalance: number | null;
  readonly details: FieldValues<typeof detailTypes>;
}

export type Quote =
  | ({ readonly state: 'valid'; readonly prices: QuotePrices } & CommonFields)
  /** The order cannot be made as it is; `reason` is the provider's text, if any. */
  | ({ readonly state: 'invalid'; readonly reason: string | null } & CommonFields)
  /** The stock is smaller than the order. */
  | { readonly state: 'short_stock' };

const ENDPOINT = 'checkout/quote';

/**
 * Asks for the price of an order. Throws ProviderError: `rejected` for an order that the provider does not understand or
 * sell, and for a filter by ASN without the permission. The request is repeated only after 429.
 */
export const readQuote = async (
  client: ProviderClient,
  order: QuoteOrder,
  { signal }: SignalOption = {},
): Promise<Quote> => {
  try {
    const { data } = await client.post(ENDPOINT, toBody(order), { schema: answer, signal });
    return toQuote(data);
  } catch (error) {
    // The provider reports short stock by an error. Its 403 for a filter by ASN concerns the order, not the keys.
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

const money = nullable(amount);
const price = nullable(nonNegativeAmount);

const answer = z.object({
  data: withInvalidity(
    fields({
      isValid: ['is_valid', z.boolean()],
      givenReason: ['invalid_reason', text],
      total: ['total', price],
      listPrice: ['before_discount_total', price],
      // The documentation does not say which sign a discount has. A negative balance of credit is a debt.
      discount: ['discount', money],
      creditBalance: ['credit_balance', money],
      ...detailTypes,
    }),
  ),
});

const toQuote = ({ value: data, hasInvalidValue }: z.infer<typeof answer>['data']): Quote => {
  const { isValid, givenReason, total, listPrice, discount, creditBalance, ...details } = data;
  const reason = givenReason && quotedText(givenReason, []);
  if (!isValid) return { state: 'invalid', reason, creditBalance, details, hasInvalidValue };
  if (total === null)
    throw new ProviderError('bad_response', ENDPOINT, 'the quote is valid, but has no total');
  const prices = { total, listPrice, discount };
  return { state: 'valid', prices, creditBalance, details, hasInvalidValue };
};

/** The specification has 422 for short stock, but does not define its message, and uses 422 for other broken rules too. */
const isShortStock = ({ status, message }: ProviderError): boolean =>
  status === 422 &&
  /\b(?:stock|sold out|not enough|insufficient)\b/i.test(message) &&
  !/permission|credit|balance/i.test(message);

const isAsnRefused = ({ status, needsSecondFactor }: ProviderError, order: QuoteOrder): boolean =>
  status === 403 && !needsSecondFactor && 'asnId' in order && order.asnId !== undefined;

const asRejected = (cause: ProviderError): ProviderError => {
  const { status, requestId } = cause;
  const problem = 'answered 403: the account may not filter by ASN';
  return new ProviderError('rejected', ENDPOINT, problem, { status, requestId, cause });
};
