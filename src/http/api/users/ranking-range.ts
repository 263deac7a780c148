// The days or hours by whose use users are ranked.

import { type LocalHour, lastEndedHours } from '../../../lib/local-days.ts';
import { DAY } from '../../../lib/time.ts';
import type { CountedUse, HourCut, UseDay } from '../../../store/user-use-store.ts';
import type { AccountView } from '../../daemon-view.ts';
import * as parameters from '../parameters.ts';
import { ApiError } from '../route.ts';

/** The first and the last day. */
export interface RankedRange extends parameters.DateRange {
  readonly hours?: HourCut | undefined;
}

export type RankedPeriod = CountedUse & Pick<UseDay, 'day'>;

/** The store has the hours of 8 days. */
const MAX_HOURS = 168;

export const rangeQuery = {
  ...parameters.dateQuery,
  hours: parameters
    .numberUpTo(MAX_HOURS)
    .optional()
    .describe('The last hours that have ended, instead of `from` and `to`'),
} as const;

type Requested = Partial<Readonly<Record<'from' | 'to', string | undefined>>> & {
  readonly hours?: number | undefined;
};

/** Throws ApiError. */
export const checkRange = (query: Requested): void => {
  parameters.checkDates(query);
  if (query.hours !== undefined && (query.from ?? query.to) !== undefined)
    throw new ApiError(400, 'hours: expected either hours, or from and to');
};

/** Returns the requested days, or those of the last hours. */
export const rangeOf = (query: Requested, found: AccountView): RankedRange => {
  if (query.hours === undefined) return parameters.dateRangeOf(query, found);
  const { first, last } = lastEndedHours(found.settings.time_zone, found.clock.now(), query.hours);
  return { from: dateOf(first), to: dateOf(last), hours: { first: first.index, last: last.index } };
};

const dateOf = ({ day }: LocalHour): string => new Date(day * DAY).toISOString().slice(0, 10);

export const hoursOf = (
  days: readonly UseDay[],
  { from, to, hours }: { readonly from: number; readonly to: number; readonly hours: HourCut },
): RankedPeriod[] =>
  days.flatMap(({ day, hours: known }) =>
    [...known]
      .filter(([index]) => (day > from || index >= hours.first) && (day < to || index <= hours.last))
      .sort(([one], [other]) => one - other)
      .map(([, hour]) => ({ ...hour, day })),
  );
