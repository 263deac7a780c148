// Asks where others place the addresses of proxies, and compares that with the countries in which the proxies were bought.

import { setImmediate } from 'node:timers/promises';
import { cronOf } from '../../lib/cron.ts';
import { DAY } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { readGeolocation } from '../../provider/resources/places.ts';
import type { PlacedProxy, Placement } from '../../store/inventory-store.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { evenlySpread, remainingOf, type Spent, sortByLastTest, WINDOW_MS } from '../day-budget.ts';
import type { PartStates } from '../parts/part-states.ts';
import { SINGLE_PART_ERRORS } from '../parts/parts-run.ts';
import { isInUse } from '../proxy-info.ts';

interface PlacementOptions {
  readonly schedule: string;
  readonly max_geolocations_per_day: number;
}
type Context = ReadContext<PlacementOptions>;

const PART = 'geolocation';
/** After this time, an answer is asked for again. A request without an answer is repeated after a day. */
const ANSWER_VALID_MS = 30 * DAY;
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

/** The proxies of a product type that were bought in a country, and that others place in any. */
interface PlacementCount {
  readonly labels: { readonly product_type: string; readonly country_id: string };
  compared: number;
  elsewhere: number;
  /** One of those that others place in another country. */
  example?: PlacedProxy;
}

/** Counts only proxies of which both countries are known. */
export const countPlacements = async (context: Context): Promise<Iterable<PlacementCount>> => {
  const counts = new Map<string, PlacementCount>();
  if (context.options.max_geolocations_per_day === 0) return [];
  for await (const proxy of allProxies(context)) {
    const { productType, countryId, placedIn } = proxy;
    if (!countryId || placedIn === null) continue;
    const labels = { product_type: productType ?? '', country_id: countryId };
    const key = JSON.stringify(labels);
    const count = counts.get(key) ?? { labels, compared: 0, elsewhere: 0 };
    counts.set(key, count);
    count.compared += 1;
    if (placedIn === countryId.toLowerCase()) continue;
    count.elsewhere += 1;
    count.example ??= proxy;
  }
  return counts.values();
};

/**
 * Asks for as many addresses as the day's budget allows now, and stops at the first failure. Returns the number of answers with
 * an invalid value.
 */
export const askForPlacements = async (
  context: RunContext<PlacementOptions>,
  parts: PartStates,
): Promise<number> => {
  const { account, client, clock, log, signal, store } = context;
  const { due, isAnyPlaced } = await readDue(context);
  let skipped = 0;
  for (const { id: address, lastTestedAt: _, ...known } of due) {
    const askedAt = clock.now();
    try {
      const { countryId, hasInvalidValue } = await readGeolocation(client, address, { signal });
      await store.inventory.place(account.name, { address, askedAt, placedAt: askedAt, placedIn: countryId });
      parts.recordSuccess(PART, log);
      skipped += Number(hasInvalidValue);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      // If no address was ever placed, the account may lack the endpoint.
      const isAnswer = isAnyPlaced && SINGLE_PART_ERRORS.has(error.kind);
      const answer = isAnswer ? { placedAt: askedAt, placedIn: null } : known;
      await store.inventory.place(account.name, { address, askedAt, ...answer });
      if (isAnswer) continue;
      if (!signal.aborted) parts.recordFailure(PART, askedAt, error, log);
      break;
    }
  }
  return skipped;
};

/** Returns the addresses that may be asked for now: those that were never asked for, then the longest unasked ones. */
const readDue = async (context: Context) => {
  const { account, clock, store } = context;
  const now = clock.now();
  const due = new Map<
    string,
    Pick<Placement, 'placedAt' | 'placedIn'> & { id: string; lastTestedAt: number | null }
  >();
  let isAnyPlaced = false;
  for await (const { address, askedAt, placedAt, placedIn, ...proxy } of allProxies(context)) {
    isAnyPlaced ||= placedIn !== null;
    const isFresh = (askedAt ?? 0) > now - DAY || (placedAt ?? 0) > now - ANSWER_VALID_MS;
    if (address !== null && proxy.countryId && isInUse(proxy.status) && !isFresh)
      due.set(address, { id: address, lastTestedAt: askedAt, placedAt, placedIn });
  }
  const spent = await store.inventory.askedSince(account.name, now - WINDOW_MS);
  return { due: sortByLastTest([...due.values()]).slice(0, affordable(context, spent, now)), isAnyPlaced };
};

const affordable = ({ account, options }: Context, spent: readonly Spent[], now: number): number => {
  const intervalMs = cronOf(options.schedule, account.schedule_time_zone).gap(now);
  const budget = { perDay: options.max_geolocations_per_day, reserve: 1, intervalMs };
  return Math.floor(Math.min(remainingOf(budget, spent, now), evenlySpread(budget, spent, now)));
};
