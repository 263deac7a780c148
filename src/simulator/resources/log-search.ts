// Simulates log/search: filters by time, product type and code, random order, pages, and the number of all matching rows.

import { MINUTE, SECOND } from '../../lib/time.ts';
import { type ApiCall, HttpError, type Route } from '../http.ts';
import type { LocalTime } from '../local-time.ts';
import { hashText, mix } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import { type Cell, LOG_KEPT_MS, type ProxiedRequests } from './proxied-requests.ts';
import { type Filter, filtersOf, integerOf, matchesFilter } from './search.ts';

interface Segment {
  readonly cell: Cell;
  readonly count: number;
}

interface Setup {
  readonly scenario: Scenario;
  readonly requests: ProxiedRequests;
  readonly local: LocalTime;
  /** The start of the history (ms). */
  readonly start: number;
}

const AT = 'log_request_datetime';
/** Only filters by these fields are simulated: they need no rows. */
const FILTERED = { [AT]: '', log_network: '', log_status_code: 0 };
const ORDERS: readonly (string | null)[] = [null, 'random', 'log_id'];

export const logRoute = (setup: Setup): Route => {
  const { scenario, requests } = setup;
  let draws = 0;
  const handle = (call: ApiCall) => {
    const { query, at } = call;
    const page = integerOf(query, 'page', 1, Number.MAX_SAFE_INTEGER);
    const perPage = integerOf(query, 'per_page', 100, 100);
    const segments = matching(setup, filtersOf(query, FILTERED, {}).filter(isApplied(scenario)), at);
    const total = segments.reduce((sum, { count }) => sum + count, 0);
    const sortBy = orderOf(query, scenario);
    const places = placesOf({ sortBy, total, first: (page - 1) * perPage, perPage, draw: ++draws });
    const data = rowsAt(segments, places).map(({ cell, row }) => requests.item(cell, row));
    return {
      ...{ data, item_count: data.length, message: 'Search successful.', page, per_page: perPage },
      total_count: total,
    };
  };
  return { method: 'GET', endpoint: 'log/search', handle };
};

const isApplied =
  ({ log }: Scenario) =>
  ({ field, operator }: Filter): boolean =>
    !log.ignored.includes(operator === 'is' ? field : `${operator}_${field}`);

const orderOf = (query: URLSearchParams, { log }: Scenario): string | null => {
  const sortBy = query.get('sort_by');
  if (!ORDERS.includes(sortBy)) throw new HttpError(400, `Unknown sort key ${sortBy}.`);
  return sortBy !== null && log.ignored.includes(sortBy) ? null : sortBy;
};

/** Returns the matching rows, by time. */
const matching = ({ requests, local, start }: Setup, filters: readonly Filter[], at: number): Segment[] => {
  const { from, to } = rangeOf(filters, local);
  const ofCells = filters.filter(({ field }) => field !== AT);
  const segments: Segment[] = [];
  const first = Math.floor(Math.max(from, start, at - LOG_KEPT_MS - MINUTE) / MINUTE) * MINUTE;
  for (let minute = first; minute <= Math.min(to, at); minute += MINUTE)
    for (const cell of requests.cells(minute)) {
      const item = { log_network: cell.type, log_status_code: cell.code } as Readonly<
        Record<string, unknown>
      >;
      if (ofCells.every((filter) => matchesFilter(item[filter.field], filter)))
        segments.push({ cell, count: requests.visibleRows(cell, at) });
    }
  return segments;
};

/** Both bounds are inclusive: a range of whole minutes ends at the last second of a minute. */
const rangeOf = (filters: readonly Filter[], local: LocalTime): { from: number; to: number } => {
  let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { field, operator, operand } of filters) {
    if (field !== AT) continue;
    const parsed = local.parse(operand);
    if (!parsed || operator === 'like' || operator === 'not') throw new HttpError(400, `Malformed ${AT}.`);
    if (operator !== 'max') from = Math.max(from, parsed.first);
    if (operator !== 'min') to = Math.min(to, parsed.last);
  }
  if ([from, to + SECOND].some((bound) => Number.isFinite(bound) && bound % MINUTE !== 0))
    throw new HttpError(400, `${AT}: only whole minutes are simulated.`);
  return { from, to };
};

interface Page {
  readonly sortBy: string | null;
  readonly total: number;
  readonly first: number;
  readonly perPage: number;
  /** Is another one for each page. */
  readonly draw: number;
}

/** Returns the places of the page's rows among the matching ones, in the order of time. */
const placesOf = ({ sortBy, total, first, perPage, draw }: Page): number[] => {
  const length = Math.max(0, Math.min(perPage, total - first));
  if (sortBy !== 'random') return Array.from({ length }, (_, index) => first + index);
  const places = new Set<number>();
  for (let n = 0; places.size < length; n += 1) places.add(mix(mix(hashText('log'), draw), n) % total);
  return [...places];
};

const rowsAt = (segments: readonly Segment[], places: readonly number[]): { cell: Cell; row: number }[] => {
  const ends: number[] = [];
  for (const { count } of segments) ends.push((ends.at(-1) ?? 0) + count);
  return places.map((place) => {
    const index = ends.findIndex((end) => end > place);
    const { cell, count } = segments[index] as Segment;
    return { cell, row: place - ((ends[index] ?? 0) - count) };
  });
};
