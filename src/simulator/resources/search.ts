// Builds search routes with filters, operators, sorting and paging over any listing.

import { type ApiCall, HttpError, type Route } from '../http.ts';
import { hashText, mix } from '../random.ts';

export type Item = Readonly<Record<string, unknown>>;

/** Items of a resource. `rows` returns the same array for as long as only live fields change. */
export interface Listing<Row> {
  /** Returns the rows in the default order. */
  readonly rows: (at: number) => readonly Row[];
  readonly item: (row: Row, at: number) => Item;
  /** Fields that change between calls over the same rows. */
  readonly liveFields: readonly string[];
  /** Fields by the names of filters that differ from the field's name. */
  readonly aliases?: Readonly<Record<string, string>>;
}

type Operator = 'is' | 'not' | 'min' | 'max' | 'like';

export interface Filter {
  readonly field: string;
  readonly operator: Operator;
  readonly operand: string;
}

interface Order {
  readonly field: string;
  readonly isDescending: boolean;
}

const PAGING = ['page', 'per_page', 'sort_by'];
const CACHED_SELECTIONS = 20;

/** Returns the route of a search. An unknown filter or sort key is a 400, so that spelling mistakes are noticed. */
export const searchRoute = <Row>(endpoint: string, listing: Listing<Row>): Route => {
  const select = selector(listing);
  let shuffles = 0;
  const handle = ({ query, at, pageShift }: ApiCall) => {
    const page = integerOf(query, 'page', 1, Number.MAX_SAFE_INTEGER);
    const perPage = integerOf(query, 'per_page', 100, 100);
    const selected = select(query, at);
    const rows = query.get('sort_by') === 'random' ? shuffled(selected, ++shuffles) : selected;
    const first = (page - 1) * perPage + (page > 1 ? pageShift : 0);
    const data = rows.slice(first, first + perPage).map((row) => listing.item(row, at));
    return {
      data,
      item_count: data.length,
      message: 'Search successful.',
      page,
      per_page: perPage,
      total_count: rows.length - (page > 1 ? pageShift : 0),
    };
  };
  return { method: 'GET', endpoint, handle };
};

/** Caches selections that depend on no live field, for as long as the rows are the same. */
const selector = <Row>(listing: Listing<Row>) => {
  const cachedSelections = new WeakMap<readonly Row[], Map<string, readonly Row[]>>();
  return (query: URLSearchParams, at: number): readonly Row[] => {
    const rows = listing.rows(at);
    const sample = rows[0] === undefined ? undefined : listing.item(rows[0], at);
    const filters = filtersOf(query, sample, listing.aliases ?? {});
    const order = orderOf(query.get('sort_by'), sample);
    if (filters.length === 0 && !order) return rows;
    const fields = [...filters.map(({ field }) => field), ...(order ? [order.field] : [])];
    const compute = () => selection(rows, (row) => listing.item(row, at), filters, order);
    if (fields.some((field) => listing.liveFields.includes(field))) return compute();
    const cache = cachedSelections.get(rows) ?? new Map<string, readonly Row[]>();
    cachedSelections.set(rows, cache);
    return getOrCompute(cache, JSON.stringify([filters, order]), compute);
  };
};

const getOrCompute = <V>(cache: Map<string, V>, key: string, compute: () => V): V => {
  const value = cache.get(key) ?? compute();
  if (cache.size >= CACHED_SELECTIONS) cache.clear();
  cache.set(key, value);
  return value;
};

const selection = <Row>(
  rows: readonly Row[],
  itemOf: (row: Row) => Item,
  filters: readonly Filter[],
  order: Order | undefined,
): readonly Row[] => {
  const pairs = rows
    .map((row) => ({ row, item: itemOf(row) }))
    .filter(({ item }) => filters.every((filter) => matchesFilter(item[filter.field], filter)));
  if (order) {
    const sign = order.isDescending ? -1 : 1;
    pairs.sort((a, b) => sign * compare(a.item[order.field], b.item[order.field]));
  }
  return pairs.map(({ row }) => row);
};

export const filtersOf = (
  query: URLSearchParams,
  sample: Item | undefined,
  aliases: Readonly<Record<string, string>>,
): Filter[] =>
  [...query]
    .filter(([name]) => !PAGING.includes(name))
    .map(([name, operand]) => {
      const [, prefix, rest = name] = /^(min|max|like|not)_(.+)$/.exec(name) ?? [];
      const field = aliases[rest] ?? rest;
      if (sample && !(field in sample)) throw new HttpError(400, `Unknown filter ${name}.`);
      return { field, operator: operatorOf(prefix), operand };
    });

const operatorOf = (prefix: string | undefined): Operator =>
  prefix === 'min' || prefix === 'max' || prefix === 'like' || prefix === 'not' ? prefix : 'is';

const orderOf = (sortBy: string | null, sample: Item | undefined): Order | undefined => {
  if (sortBy === null || sortBy === 'random') return undefined;
  const [, field = sortBy, direction = 'asc'] = /^(.+?)(?:_(asc|desc))?$/.exec(sortBy) ?? [];
  if (sample && !(field in sample)) throw new HttpError(400, `Unknown sort key ${sortBy}.`);
  return { field, isDescending: direction === 'desc' };
};

export const matchesFilter = (value: unknown, { operator, operand }: Filter): boolean => {
  if (operator === 'not') return !equals(value, operand);
  if (operator === 'is') return equals(value, operand);
  if (value === null || value === undefined) return false;
  if (operator === 'like') return likePattern(operand).test(String(value));
  const order = compare(value, typeof value === 'number' ? Number(operand) : operand);
  return operator === 'min' ? order >= 0 : order <= 0;
};

const equals = (value: unknown, operand: string): boolean => {
  if (Array.isArray(value)) return value.includes(operand);
  if (typeof value === 'number') return value === Number(operand);
  if (typeof value === 'boolean') return String(value) === operand.toLowerCase();
  return value === operand;
};

const likePattern = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('%', '.*')}$`, 'is');

/** Compares numbers by value and everything else as text. Nulls come last. */
const compare = (a: unknown, b: unknown): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};

export const integerOf = (
  query: URLSearchParams,
  name: string,
  fallback: number,
  highest: number,
): number => {
  const text = query.get(name);
  if (text === null) return fallback;
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > highest)
    throw new HttpError(400, `${name} must be an integer from 1 to ${highest}.`);
  return value;
};

const shuffled = <Row>(rows: readonly Row[], turn: number): Row[] =>
  rows
    .map((row, index) => ({ row, place: mix(hashText('shuffle') + turn, index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
