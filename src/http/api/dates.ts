// Ranges of dates, of the account's zone.

import { DAY, zoneOffset } from '../../lib/time.ts';
import type { AccountView } from '../view.ts';
import * as parameters from './parameters.ts';
import { Refusal } from './route.ts';

/** `YYYY-MM-DD`, both inclusive. */
export interface Dates {
  readonly from: string;
  readonly to: string;
}

type Asked = Readonly<Partial<Record<keyof Dates, string | undefined>>>;

const DEFAULT_DAYS = 30;

export const dateQuery = {
  from: parameters.date.describe(
    `The first day; ${DEFAULT_DAYS - 1} days before \`to\` when it is not given`,
  ),
  to: parameters.date.describe('The last day; today when it is not given'),
} as const;

/** What is wrong with the range, if anything. */
export const refusalOf = ({ from, to }: Asked): Refusal | undefined =>
  from !== undefined && to !== undefined && from > to
    ? new Refusal(400, 'from: expected a date that is not after to')
    : undefined;

export const datesOf = (asked: Asked, { settings, clock }: AccountView): Dates => {
  const now = clock.now();
  const to = asked.to ?? dateOf(now + zoneOffset(settings.time_zone, now));
  return { to, from: asked.from ?? dateAfter(to, 1 - DEFAULT_DAYS) };
};

export const dateAfter = (date: string, days: number): string => dateOf(Date.parse(date) + days * DAY);

/** Of an instant in UTC, or of a local time given as if it were UTC. */
const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
