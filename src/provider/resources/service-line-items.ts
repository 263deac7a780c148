// Finds the line items of a service (one for each location), whose field names the provider does not document.

import { count, countInvalidValue, detectInvalid, nonNegativeAmount } from '../schema.ts';

/** A value is null if the provider did not give it, or it has an unexpected type. */
export interface ServiceLineItem {
  /** The id that `lineItemId` of a proxy refers to. */
  readonly id: string | null;
  /** Two lowercase letters. */
  readonly countryId: string | null;
  /** Number of proxies in this location. */
  readonly quantity: number;
  /** For the whole cycle, in the provider's unit of money: cents by its documentation. */
  readonly price: number | null;
}

export interface ServiceLineItems {
  readonly lineItems: ServiceLineItem[];
  /** Number of items that have no quantity, are not objects, or lack a value because its type is unexpected. */
  readonly skippedLineItems: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether the field that is probably the one of the line items has no list. */
const isFieldInvalid = (service: Fields): boolean =>
  Object.entries(service).some(
    ([key, value]) => isNamed(key, 'line_items') && (value ?? null) !== null && !Array.isArray(value),
  );

/**
 * Finds the line items of a service. The specification says that a service carries them, but names neither their field
 * nor their content except an id. So it takes the list whose items have the id of a line item, or else a quantity. The
 * items of proxies also have the id of a line item; they are recognized by their own id.
 */
export const lineItemsOf = (service: Fields): ServiceLineItems => {
  const lists = Object.values(service).filter((value) => Array.isArray(value));
  const candidates = lists.filter((list) => !list.some((item) => hasField(item, 'proxy_id')));
  const items: unknown[] =
    candidates.find((list) => list.some((item) => hasField(item, 'line_item_id'))) ??
    candidates.find((list) => list.some((item) => hasField(item, 'quantity'))) ??
    [];
  const decoded = items.map((item) => detectInvalid(() => toLineItem(item)));
  const skipped = decoded.filter(({ decoded: item, hasInvalidValue }) => !item || hasInvalidValue).length;
  return {
    lineItems: decoded.flatMap(({ decoded: item }) => item ?? []),
    skippedLineItems: skipped + Number(items.length === 0 && isFieldInvalid(service)),
  };
};

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasField = (item: unknown, name: string): boolean =>
  isObject(item) && Object.keys(item).some((key) => isNamed(key, name));

/** The provider puts the resource before a field's name: `quantity`, `item_quantity`, `service_line_item_quantity`. */
const isNamed = (key: string, name: string): boolean => key === name || key.endsWith(`_${name}`);

const toLineItem = (item: unknown): ServiceLineItem | undefined => {
  if (!isObject(item)) return undefined;
  const values = (name: string) =>
    Object.entries(item).flatMap(([key, value]) => (isNamed(key, name) ? [value] : []));
  const quantity = values('quantity').find((value) => count.safeParse(value).success);
  if (quantity === undefined) return undefined;
  return {
    id: textOf(values('line_item_id')),
    countryId: textOf(values('country_id')),
    quantity: Number(quantity),
    price: priceOf(values('total')),
  };
};

const textOf = (values: readonly unknown[]): string | null =>
  countIfInvalid(values, values.find((value) => typeof value === 'string') ?? null);

const priceOf = (values: readonly unknown[]): number | null =>
  countIfInvalid(
    values,
    values.map((value) => nonNegativeAmount.safeParse(value).data).find((value) => value !== undefined) ??
      null,
  );

/** Counts an invalid value if the item gives a value of which none was found. */
const countIfInvalid = <T>(values: readonly unknown[], found: T | null): T | null => {
  if (found === null && values.some((value) => (value ?? null) !== null)) countInvalidValue();
  return found;
};
