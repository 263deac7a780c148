// Finds the line items of a service (one for each location), whose field names the provider does not document.

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
  /** Number of items that have no quantity or are not objects. */
  readonly skippedLineItems: number;
}

type Fields = Readonly<Record<string, unknown>>;

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
  const lineItems = items.flatMap((item) => toLineItem(item) ?? []);
  return { lineItems, skippedLineItems: items.length - lineItems.length };
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
  const quantity = values('quantity').find((value) => Number.isSafeInteger(value));
  if (quantity === undefined) return undefined;
  return {
    id: textOf(values('line_item_id')),
    countryId: textOf(values('country_id')),
    quantity: Number(quantity),
    price: numberOf(values('total')),
  };
};

const textOf = (values: readonly unknown[]): string | null =>
  values.find((value) => typeof value === 'string') ?? null;

const numberOf = (values: readonly unknown[]): number | null =>
  values.find((value) => typeof value === 'number') ?? null;
