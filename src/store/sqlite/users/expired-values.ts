// Values of a user that the provider stopped giving: kept at first, left out once two listings that count lack them.

import type { Listing } from '../../listing.ts';
import type { UserObservation } from '../../user-store.ts';

type Quotas = UserObservation['quotas'];

const IS_LACKING = {
  residential_limit: ({ residential }: Quotas) => residential.limitBytes === undefined,
  residential_used: ({ residential }: Quotas) => residential.usedBytes === null,
  mobile_limit: ({ mobile }: Quotas) => mobile.limitBytes === undefined,
  mobile_used: ({ mobile }: Quotas) => mobile.usedBytes === null,
} as const;
type Value = keyof typeof IS_LACKING;
const VALUES = Object.keys(IS_LACKING) as Value[];

/** When the first listing began (ms) of those in a row that lack a value. */
export type Lapses = Readonly<Partial<Record<Value, number>>>;

interface LapsingRow extends Readonly<Record<Value, number | null>> {
  /** Lapses as JSON; null when there are none. */
  readonly lapses: string | null;
}

const NONE: Lapses = {};

/** The row's lapses, as they are kept, after a sighting in a listing begun at `startedAt` (ms). */
export const lapsesAfter = (
  row: LapsingRow,
  quotas: Quotas,
  startedAt: number,
  { countedStartedAt }: Listing,
): string | null => {
  const lacking = VALUES.filter((value) => row[value] !== null && IS_LACKING[value](quotas));
  if (lacking.length === 0) return null;
  const before = lapsesOf(row);
  // A listing that never came to count begins no lapse: the next one does.
  const since = (lapse = Number.POSITIVE_INFINITY): number =>
    countedStartedAt !== null && countedStartedAt >= lapse ? lapse : startedAt;
  return JSON.stringify(Object.fromEntries(lacking.map((value) => [value, since(before[value])])));
};

export const lapsesOf = ({ lapses }: LapsingRow): Lapses =>
  lapses === null ? NONE : (JSON.parse(lapses) as Lapses);

/** Whether the newest listing that counts, begun at `countedStartedAt` (ms), is not the first that lacks the value. */
export const isLapsed = (lapse: number | undefined, countedStartedAt: number | null): boolean =>
  lapse !== undefined && countedStartedAt !== null && countedStartedAt > lapse;
