// Recognizes the orders in which databases sort ids. It is not documented which one the provider uses.

export type Id = string | number;
/** Returns a negative number if `one` comes before `other`, and 0 if they are equal in this order. */
type Order = (one: Id, other: Id) => number;

const compare: Order = (one, other) => {
  if (one < other) return -1;
  return one > other ? 1 : 0;
};

/** Numbers have only one order. */
const ofTexts =
  (order: (one: string, other: string) => number): Order =>
  (one, other) =>
    typeof one === 'string' && typeof other === 'string' ? order(one, other) : compare(one, other);

const changed = (change: (text: string) => string): Order =>
  ofTexts((one, other) => compare(change(one), change(other)));

/** Databases differ in what they make of case, of punctuation and of numbers in texts. */
const ORDERS: readonly Order[] = [
  compare,
  changed((text) => text.toLowerCase()),
  changed((text) => text.toUpperCase()),
  changed((text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')),
  ofTexts(new Intl.Collator('en').compare),
  ofTexts(new Intl.Collator('en', { numeric: true }).compare),
];

/** Returns the orders that the ids are in. Equal ids fit every order. */
export const ordersOf = (ids: readonly Id[]): readonly Order[] =>
  ORDERS.filter((order) => ids.every((id, i) => order(ids[i - 1] ?? id, id) <= 0));

/** Whether the ids go back between two lists, in all orders that both lists are in. */
export const goesBack = (
  last: Id,
  ordersBefore: readonly Order[],
  first: Id,
  orders: readonly Order[],
): boolean => {
  const common = orders.filter((order) => ordersBefore.includes(order));
  return common.length > 0 && common.every((order) => order(last, first) > 0);
};

/** No id is longer. A longer text is not kept until the next page. */
const MAX_ID_LENGTH = 200;

export const isId = (value: unknown): value is Id =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ID_LENGTH);
