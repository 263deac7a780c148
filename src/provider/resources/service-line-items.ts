// What a service consists of, location by location, under whatever names it comes.

/** Null where the provider gave no value that could be understood. */
export interface ServiceLineItem {
  /** What `lineItemId` of a proxy names. */
  readonly id: string | null;
  /** Two letters, lowercase. */
  readonly countryId: string | null;
  /** Proxies of this location. */
  readonly quantity: number;
  /** For the whole cycle, in the provider's unit of money: cents by its documentation. */
  readonly price: number | null;
}

export interface ServiceLineItems {
  readonly lineItems: ServiceLineItem[];
  /** Items that say no quantity, or were no objects. */
  readonly skippedLineItems: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The specification says that a service carries its line items, but names neither their field nor what is in them
 * but an id. So they are the list whose items have a line item's id, else the one whose items have a quantity;
 * proxies name their line item too, and are told by their own id.
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
  isObject(item) && Object.keys(item).some((key) => isCalled(key, name));

/** The provider puts the resource before a field's name: `quantity`, `item_quantity`, `service_line_item_quantity`. */
const isCalled = (key: string, name: string): boolean => key === name || key.endsWith(`_${name}`);

const toLineItem = (item: unknown): ServiceLineItem | undefined => {
  if (!isObject(item)) return undefined;
  const values = (name: string) =>
    Object.entries(item).flatMap(([key, value]) => (isCalled(key, name) ? [value] : []));
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
