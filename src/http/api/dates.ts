// Reads ranges of dates in the account's zone, and periods of events, from query parameters.

import { DAY, zoneOffset } from '../../lib/time.ts';
import type { AccountView } from '../daemon-view.ts';
import * as parameters from './parameters.ts';
import { ApiError } from './route.ts';

/** The first and the last date, as `YYYY-MM-DD`. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

type RequestedDates = Readonly<Partial<Record<keyof DateRange, string | undefined>>>;

const DEFAULT_DAYS = 30;

export const dateQuery = {
  from: parameters.date.describe(`First day. The default is ${DEFAULT_DAYS - 1} days before \`to\``),
  to: parameters.date.describe('Last day. The default is today'),
} as const;

/** Returns the mistake in the range, if any. */
export const dateRangeError = ({ from, to }: RequestedDates): ApiError | undefined =>
  from !== undefined && to !== undefined && from > to
    ? new ApiError(400, 'from: expected a date that is not after to')
    : undefined;

export const dateRangeOf = (requested: RequestedDates, { settings, clock }: AccountView): DateRange => {
  const now = clock.now();
  const to = requested.to ?? dateOf(now + zoneOffset(settings.time_zone, now));
  return { to, from: requested.from ?? addDays(to, 1 - DEFAULT_DAYS) };
};

export const addDays = (date: string, days: number): string => dateOf(Date.parse(date) + days * DAY);

/** Returns the date of an instant in UTC, or of a local time given as if it were UTC. */
const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

interface RequestedPeriod {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The period of a list of events: times in ms, from `from` to before `to`. Undefined has no limit. */
interface Period {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** An empty period is a mistake, because its empty list would look like an answer. */
export const periodOf = (requested: RequestedPeriod): Period | ApiError => {
  const [from, to] = [timeOf(requested.from), timeOf(requested.to)];
  return from !== undefined && to !== undefined && from >= to
    ? new ApiError(400, 'from: expected a time before to')
    : { from, to };
};

const timeOf = (given: string | undefined): number | undefined =>
  given === undefined ? undefined : Date.parse(given);
