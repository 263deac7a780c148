// Requests the provider's own sums of days and hours.

import { bucketStart, DAY, HOUR } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { type GraphFilter, INTERVALS, type Interval, readGraph } from '../../provider/resources/analytics.ts';
import { windowsOf } from '../../provider/time.ts';
import type { RunContext } from '../context.ts';
import type { Day } from './days.ts';

export type RequestContext = Pick<RunContext<unknown>, 'account' | 'client' | 'signal'>;

/** The longest ranges of one request. One user's graphs of hours came back cut to a day. */
const LONGEST_WINDOWS_MS: Readonly<Record<Exclude<Interval, 'minute'>, number>> = {
  hour: DAY,
  day: 31 * DAY,
};

/** Receives the error of a request for sums. */
export type OnProviderError = (error: ProviderError) => void;

type Sums = ReadonlyMap<number, number>;

/** Reads sums. With `onError`, it passes the first ProviderError on, sends no further request, and then has no sums. */
export class ProviderSums {
  readonly #context: RequestContext;
  readonly #onError: OnProviderError | undefined;
  #hasFailed = false;

  constructor(context: RequestContext, onError: OnProviderError | undefined) {
    this.#context = context;
    this.#onError = onError;
  }

  /** Whether the caller also wants the days without a sum. */
  get includesMissing(): boolean {
    return this.#onError !== undefined;
  }

  async ofDays(filter: GraphFilter, days: readonly Day[]): Promise<Sums> {
    return (await this.#read(() => readDailySums(this.#context, filter, days))) ?? new Map();
  }

  /** Returns undefined if a request failed. */
  ofHours(filter: GraphFilter, day: Day): Promise<Sums | undefined> {
    return this.#read(() => readHourlySums(this.#context, filter, day));
  }

  async #read(request: () => Promise<Sums>): Promise<Sums | undefined> {
    if (this.#hasFailed) return undefined;
    try {
      return await request();
    } catch (error) {
      if (!this.#onError || !(error instanceof ProviderError)) throw error;
      this.#hasFailed = true;
      this.#onError(error);
      return undefined;
    }
  }
}

/**
 * Returns bytes by the start of the day (ms), for days without gaps between them. A day that is missing from the answer
 * is absent. If the provider rejects the interval of days, it adds up hours. Throws ProviderError.
 */
export const readDailySums = async (
  context: RequestContext,
  filter: GraphFilter,
  days: readonly Day[],
): Promise<ReadonlyMap<number, number>> => {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return new Map();
  try {
    return await readSums(context, filter, 'day', first.start, last.end);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error;
  }
  const zone = context.account.time_zone;
  const sums = new Map<number, number>();
  for (const [at, bytes] of await readSums(context, filter, 'hour', first.start, last.end)) {
    const start = bucketStart(zone, at, DAY);
    sums.set(start, (sums.get(start) ?? 0) + bytes);
  }
  return sums;
};

/** Returns bytes by the start of the hour (ms). Throws ProviderError. */
const readHourlySums = (context: RequestContext, filter: GraphFilter, { start, end }: Day) =>
  readSums(context, filter, 'hour', start, end);

const readSums = async (
  { account, client, signal }: RequestContext,
  filter: GraphFilter,
  interval: keyof typeof LONGEST_WINDOWS_MS,
  from: number,
  to: number,
): Promise<Map<number, number>> => {
  const { time_zone: timeZone, parameters } = account;
  const size = { zone: timeZone, bucketMs: INTERVALS[interval], spanMs: LONGEST_WINDOWS_MS[interval] };
  const sums = new Map<number, number>();
  for (const window of windowsOf(from, to, size)) {
    const { buckets } = await readGraph(client, {
      ...window,
      ...{ filter, interval, timeZone, signal },
      concurrency: false,
      parameters: { productType: parameters.product_type, concurrency: parameters.concurrency },
    });
    for (const { at, bytes } of buckets) if (bytes !== null) sums.set(at, bytes);
  }
  return sums;
};

/** Returns the start of the hour that contains `at` (ms). */
export const hourStart = (zone: string, at: number): number => bucketStart(zone, at, HOUR);
