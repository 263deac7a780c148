// Reads the optional details of a quote: credit, promotional code and line items. An invalid one does not fail the quote.

import { z } from 'zod';
import { amount as anyAmount, count, nullable, nullIfInvalid, text } from '../schema.ts';

/**
 * The details as answered, also for an order that cannot be made. A value is null if the provider did not give it. Money
 * is in the unit of the quote.
 */
export interface QuoteDetails {
  /** The rest of the total after the account's credit is used. */
  readonly totalAfterCredit: number | null;
  readonly isDiscounted: boolean | null;
  readonly promotionalCode: string | null;
  readonly promotionalCodeId: string | null;
  /** `credit_only_checkout`, which the API's documentation does not explain. */
  readonly isCreditOnly: boolean | null;
  readonly isCreditApplied: boolean | null;
  readonly appliedCredit: number | null;
  readonly isTopUp: boolean | null;
  readonly topUpAmount: number | null;
  readonly lineItems: readonly QuoteLineItem[];
}

export interface QuoteLineItem {
  readonly name: string | null;
  /** Such as `isp`. */
  readonly type: string | null;
  /** Such as `recurring`. */
  readonly priceType: string | null;
  readonly priceId: string | null;
  readonly unitPrice: number | null;
  readonly quantity: number | null;
  readonly total: number | null;
  readonly countryId: string | null;
  /** The quantity in each country. */
  readonly locations: readonly { readonly countryId: string | null; readonly quantity: number | null }[];
}

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

const location = z
  .object({ country_id: word, quantity: integer })
  .transform(({ country_id, quantity }) => ({ countryId: country_id, quantity }));

const lineItem = z
  .object({
    item_name: word,
    item_type: word,
    item_price_type: word,
    item_price_id: word,
    item_per_unit_amount: amount,
    item_quantity: integer,
    item_total: amount,
    item_country_id: word,
    service_fulfillment_filter: listOrFilter(location),
  })
  .transform(
    (item): QuoteLineItem => ({
      name: item.item_name,
      type: item.item_type,
      priceType: item.item_price_type,
      priceId: item.item_price_id,
      unitPrice: item.item_per_unit_amount,
      quantity: item.item_quantity,
      total: item.item_total,
      countryId: item.item_country_id,
      locations: item.service_fulfillment_filter,
    }),
  );

export const detailFields = {
  total_after_applied_credit: amount,
  discounted: flag,
  promotional_code: word,
  promotional_code_id: word,
  credit_only_checkout: flag,
  customer_credit_balance_applied: flag,
  customer_credit_balance_applied_amount: amount,
  is_top_up: flag,
  top_up_amount: amount,
  line_items: listOf(lineItem),
} as const;

export const toDetails = (data: z.output<z.ZodObject<typeof detailFields>>): QuoteDetails => ({
  totalAfterCredit: data.total_after_applied_credit,
  isDiscounted: data.discounted,
  promotionalCode: data.promotional_code,
  promotionalCodeId: data.promotional_code_id,
  isCreditOnly: data.credit_only_checkout,
  isCreditApplied: data.customer_credit_balance_applied,
  appliedCredit: data.customer_credit_balance_applied_amount,
  isTopUp: data.is_top_up,
  topUpAmount: data.top_up_amount,
  lineItems: data.line_items,
});
