// Stores when the use of a day was counted, and when a user's bytes were not given: the use is unknown then, not 0.

import type { LocalHour } from '../../../lib/local-days.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { UserObservation } from '../../user-store.ts';
import type { CountedUse, MissingUse, UseDay, UsePeriod } from '../../user-use-store.ts';
import type { Database } from '../file/database.ts';
import { isExpired, unpackMissingSince, type ValuesRow } from '../users/missing-values.ts';
import type { ObservationContext } from '../users/observed-user.ts';

interface DayRow extends UsePeriod {
  readonly day: number;
  readonly hasResidential: number;
  readonly hasMobile: number;
  readonly hours: string | null;
}

/** `given` has a bit for each type. Hours that version 1.0 stored do not have it. */
type PackedHour = [index: number, since: number, until: number, given?: number];

type Given = CountedUse['isGiven'];

export const createUseDays = ({ sql, prepareValue }: Database) => {
  const rowsBetween = sql.prepare<[number, number, number], DayRow>(
    `SELECT day, since, until, has_residential AS hasResidential, has_mobile AS hasMobile, hours
     FROM user_use_day WHERE account_id = ? AND day >= ? AND day <= ? ORDER BY day`,
  );
  const oldest = prepareValue<[number], number>(
    'SELECT since FROM user_use_day WHERE account_id = ? ORDER BY day LIMIT 1',
  );
  const put = sql.prepare('INSERT OR REPLACE INTO user_use_day VALUES (?, ?, ?, ?, ?, ?, ?)');
  const between = (accountId: number, from: number, to: number): UseDay[] =>
    rowsBetween.all(accountId, from, to).map(({ hours, hasResidential, hasMobile, ...row }) => {
      const isGiven = { residential: hasResidential === 1, mobile: hasMobile === 1 };
      return { ...row, isGiven, hours: unpack(hours, isGiven) };
    });
  return {
    /** Adds a period that is counted in an hour, with the types that the provider gave. Inside a transaction. */
    add: (
      accountId: number,
      { day, index }: Pick<LocalHour, 'day' | 'index'>,
      period: UsePeriod,
      given: ReadonlySet<MeteredType>,
    ): void => {
      const known = between(accountId, day, day)[0];
      const isGiven = { residential: given.has('residential'), mobile: given.has('mobile') };
      const hours = new Map(known?.hours);
      hours.set(index, joined(hours.get(index), { ...period, isGiven }));
      const { since, until, isGiven: has } = joined(known, { ...period, isGiven });
      put.run(accountId, day, since, until, Number(has.residential), Number(has.mobile), pack(hours));
    },
    between,
    since: (accountId: number): number | null => oldest.get(accountId) ?? null,
  };
};

const joined = (known: CountedUse | undefined, { since, until, isGiven }: CountedUse): CountedUse => ({
  since: Math.min(known?.since ?? since, since),
  until: Math.max(known?.until ?? until, until),
  isGiven: {
    residential: isGiven.residential || known?.isGiven.residential === true,
    mobile: isGiven.mobile || known?.isGiven.mobile === true,
  },
});

const pack = (hours: UseDay['hours']): string =>
  JSON.stringify(
    [...hours].map(([index, { since, until, isGiven }]): PackedHour => {
      return [index, since, until, Number(isGiven.residential) + 2 * Number(isGiven.mobile)];
    }),
  );

const unpack = (packed: string | null, ofDay: Given): UseDay['hours'] => {
  const hours: PackedHour[] = packed === null ? [] : JSON.parse(packed);
  const isGiven = (bits: number | undefined): Given =>
    bits === undefined ? ofDay : { residential: (bits & 1) > 0, mobile: (bits & 2) > 0 };
  return new Map(
    hours.map(([index, since, until, bits]) => [index, { since, until, isGiven: isGiven(bits) }]),
  );
};

/** The columns of proxy_user that say whether the used bytes are given. */
export type GivenRow = Pick<ValuesRow, `${MeteredType}_used` | 'expired_values'>;

/** The columns of user_use_mark, which are null too for a user without a mark. */
export type MissingRow = GivenRow & {
  readonly [N in `${MeteredType}_missing_${'since' | 'until'}`]: number | null;
};

export const MISSING_COLUMNS = [
  ...['residential_used', 'mobile_used', 'expired_values'],
  ...METERED_TYPES.flatMap((type) => [`${type}_missing_since`, `${type}_missing_until`]),
].join(', ');

/** The used bytes of the type were never given. */
const FROM_THE_START = 0;

/** Returns since when the used bytes are missing; undefined if the newest counted listing has them. */
const missingSince = (
  row: GivenRow,
  type: MeteredType,
  countedStartedAt: number | null,
): number | undefined => {
  if (row[`${type}_used`] === null) return FROM_THE_START;
  if (row.expired_values === null) return undefined;
  const since = unpackMissingSince(row)[`${type}_used`];
  return isExpired(since, countedStartedAt) ? since : undefined;
};

/** Returns whether the newest counted listing (begun at `countedStartedAt`, ms) has the used bytes of a type. */
export const isGiven = (row: GivenRow, type: MeteredType, countedStartedAt: number | null): boolean =>
  missingSince(row, type, countedStartedAt) === undefined;

export const missingUse = (row: MissingRow, countedStartedAt: number | null): MissingUse => {
  const periodOf = (type: MeteredType): UsePeriod | null => {
    const [earlier, until] = [row[`${type}_missing_since`], row[`${type}_missing_until`]];
    const since = missingSince(row, type, countedStartedAt);
    if (since !== undefined)
      return { since: Math.min(since, earlier ?? since), until: Number.POSITIVE_INFINITY };
    return earlier === null || until === null ? null : { since: earlier, until };
  };
  return { residential: periodOf('residential'), mobile: periodOf('mobile') };
};

/** Stores that the provider gives the used bytes of a user that lacked them. Inside a transaction. */
type MissingUseRecorder = (
  accountId: number,
  row: GivenRow & { readonly rowid: number },
  user: UserObservation,
  context: Pick<ObservationContext, 'listing' | 'startedAt'>,
) => void;

export const createMissingUseRecorder = ({ sql }: Database): MissingUseRecorder => {
  const putPeriod = (type: MeteredType) => {
    const [since, until] = [`${type}_missing_since`, `${type}_missing_until`];
    return sql.prepare<[accountId: number, user: number, since: number, until: number]>(
      `INSERT INTO user_use_mark (account_id, user, residential_net, mobile_net, days, bytes, ${since}, ${until})
       VALUES (?, ?, 0, 0, 0, 0, ?, ?)
       ON CONFLICT (user) DO UPDATE SET ${since} = min(coalesce(${since}, excluded.${since}), excluded.${since}),
         ${until} = excluded.${until}`,
    );
  };
  const put = { residential: putPeriod('residential'), mobile: putPeriod('mobile') };
  return (accountId, row, { quotas }, { listing, startedAt }) => {
    for (const type of METERED_TYPES) {
      if (quotas[type].usedBytes === null) continue;
      const since = missingSince(row, type, listing.countedStartedAt);
      if (since !== undefined) put[type].run(accountId, row.rowid, since, startedAt);
    }
  };
};
