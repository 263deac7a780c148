// Asks where others place the addresses of proxies, and compares that with the countries in which the proxies were bought.

import { setImmediate } from 'node:timers/promises';
import { cronOf } from '../../lib/cron.ts';
import { DAY } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { readGeolocation } from '../../provider/resources/inventory.ts';
import type { PlacedProxy } from '../../store/inventory-store.ts';
import { withAdvice } from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { evenlySpread, remainingOf, sortByLastTest, WINDOW_MS } from '../day-budget.ts';
import type { PartStates } from '../parts/part-states.ts';
import { SINGLE_PART_ERRORS } from '../parts/parts-run.ts';
import { isInUse } from '../proxy-info.ts';

interface PlacementOptions {
  readonly schedule: string;
  readonly max_geolocations_per_day: number;
}
type Context = ReadContext<PlacementOptions>;

const PART = 'geolocation';
const ADVICE = 'set inventory.max_geolocations_per_day to 0';
/** After this time, an answer is asked for again. */
const ANSWER_VALID_MS = 30 * DAY;
/** An older one is not compared any more, because the endpoint may have stopped to answer. */
const ANSWER_USED_MS = 2 * ANSWER_VALID_MS;
/** So many refused addresses in a row are more than a coincidence. */
const MANY_REFUSALS = 10;
const PAGE_SIZE = 500;

/** Yields all proxies. It reads them page by page, so that they neither fill the memory nor block the event loop. */
export async function* allProxies(
  { account, store }: Pick<Context, 'account' | 'store'>,
  drain: () => Promise<void> = setImmediate,
): AsyncGenerator<PlacedProxy, void, undefined> {
  for (let after = ''; ; ) {
    const page = await store.inventory.page(account.name, after, PAGE_SIZE);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
    await drain();
  }
}

/** At `now` (ms), a clock that was ahead must not delay a request. */
const isWithin = (at: number | null, ms: number, now: number): boolean =>
  at !== null && Math.abs(now - at) < ms;

/** Any other text is no country that can be compared. */
const isCountry = (id: string | null): id is string => id?.length === 2;

/** The proxies that were bought in a country and that others place in any, and an example of those in another country. */
const noProxies = (labels: { readonly product_type: string; readonly country_id: string }) => ({
  ...{ labels, compared: 0, elsewhere: 0, example: '' },
});

/** Counts the proxies of an account that were compared, by type and country. */
export class PlacementCounts {
  readonly #counts = new Map<string, ReturnType<typeof noProxies>>();
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  get all(): readonly ReturnType<typeof noProxies>[] {
    return [...this.#counts.values()];
  }

  add({ id, productType, countryId, placedIn, placedAt, status }: PlacedProxy): void {
    if (!isCountry(countryId) || placedIn === null || !isInUse(status)) return;
    if (!isWithin(placedAt, ANSWER_USED_MS, this.#now)) return;
    const labels = { product_type: productType ?? '', country_id: countryId };
    const key = JSON.stringify(labels);
    const count = this.#counts.get(key) ?? noProxies(labels);
    this.#counts.set(key, count);
    count.compared += 1;
    if (placedIn === countryId.toLowerCase()) return;
    count.elsewhere += 1;
    count.example ||= `proxy ${id} in ${placedIn}`;
  }
}

export const countPlacements = async (context: Context): Promise<PlacementCounts['all']> => {
  const counts = new PlacementCounts(context.clock.now());
  if (context.options.max_geolocations_per_day === 0) return [];
  for await (const proxy of allProxies(context)) counts.add(proxy);
  return counts.all;
};

/** Asks for as many addresses as the day's budget allows now, until it fails. Returns how many answers had an invalid value. */
export const askForPlacements = async (
  context: RunContext<PlacementOptions>,
  state: { readonly parts: PartStates; refused: number },
): Promise<number> => {
  const { account, client, clock, log, signal, store } = context;
  const { parts } = state;
  const { due, placed, isAnyDue } = await readDue(context);
  let [skipped, isAnswering] = [0, placed.size > 0];
  // A single failure is not kept for the day after which its address is due again.
  if (!isAnyDue && isAnswering && state.refused < MANY_REFUSALS) parts.recordSuccess(PART, log);
  for (const { id: address } of due) {
    const askedAt = clock.now();
    const save = (placedAt: number | null, placedIn: string | null) =>
      store.inventory.place(account.name, address, { askedAt, placedAt, placedIn });
    try {
      const { country, hasInvalidValue } = await readGeolocation(client, address, signal);
      await save(askedAt, country);
      parts.recordSuccess(PART, log);
      skipped += Number(hasInvalidValue);
      isAnswering ||= country !== null;
      state.refused = 0;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      // If no address was ever placed, or many in a row are refused, the account may lack the endpoint.
      state.refused += 1;
      const isAnswer = isAnswering && SINGLE_PART_ERRORS.has(error.kind) && state.refused < MANY_REFUSALS;
      // A place that is known stays known for a while.
      await save(isAnswer && !placed.has(address) ? askedAt : null, null);
      if (isAnswer) continue;
      if (!signal.aborted) parts.recordFailure(PART, askedAt, withAdvice(error, ADVICE), log);
      break;
    }
  }
  return skipped;
};

/** Returns the addresses that may be asked for now: those that were never asked for, then the longest unasked ones. */
const readDue = async (context: Context) => {
  const { account, clock, options, store } = context;
  const now = clock.now();
  const due = new Map<string, number | null>();
  const placed = new Set<string>();
  for await (const { address, askedAt, placedAt, placedIn, countryId, status } of allProxies(context)) {
    if (address === null) continue;
    if (placedIn !== null) placed.add(address);
    // The store keeps only the newest request for an address, which so must be the only one of a day.
    const isFresh = isWithin(askedAt, DAY, now) || isWithin(placedAt, ANSWER_VALID_MS, now);
    if (isCountry(countryId) && isInUse(status) && !isFresh) due.set(address, askedAt);
  }
  const spent = await store.inventory.askedSince(account.name, now - WINDOW_MS);
  const intervalMs = cronOf(options.schedule, account.schedule_time_zone).gap(now);
  const budget = { perDay: options.max_geolocations_per_day, reserve: 1, intervalMs };
  const allowed = Math.floor(Math.min(remainingOf(budget, spent, now), evenlySpread(budget, spent, now)));
  const turns = [...due].map(([id, lastTestedAt]) => ({ id, lastTestedAt }));
  return { due: sortByLastTest(turns).slice(0, allowed), placed, isAnyDue: due.size > 0 };
};
