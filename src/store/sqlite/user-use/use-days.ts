// Stores the listings between which the use of a day and of its hours was counted. Without them the use is unknown.

import type { LocalHour } from '../../../lib/local-days.ts';
import type { MeteredType } from '../../../lib/product-types.ts';
import type { UseDay, UsePeriod } from '../../user-use-store.ts';
import type { Database } from '../file/database.ts';
import { prepareValue } from '../row.ts';

interface DayRow extends UsePeriod {
  readonly day: number;
  readonly hasResidential: number;
  readonly hasMobile: number;
  readonly hours: string | null;
}

type PackedHour = [index: number, since: number, until: number];

interface UseDays {
  /** Adds a period that is counted in an hour, with the types that the provider gave. Inside a transaction. */
  add(
    accountId: number,
    hour: Pick<LocalHour, 'day' | 'index'>,
    period: UsePeriod,
    given: ReadonlySet<MeteredType>,
  ): void;
  between(accountId: number, from: number, to: number): UseDay[];
  since(accountId: number): number | null;
}

export const createUseDays = ({ sql }: Database): UseDays => {
  const rowsBetween = sql.prepare<[number, number, number], DayRow>(
    `SELECT day, since, until, has_residential AS hasResidential, has_mobile AS hasMobile, hours
     FROM user_use_day WHERE account_id = ? AND day >= ? AND day <= ? ORDER BY day`,
  );
  const oldest = prepareValue<[number], number>(
    sql,
    'SELECT since FROM user_use_day WHERE account_id = ? ORDER BY day LIMIT 1',
  );
  const put = sql.prepare('INSERT OR REPLACE INTO user_use_day VALUES (?, ?, ?, ?, ?, ?, ?)');
  const between = (accountId: number, from: number, to: number): UseDay[] =>
    rowsBetween.all(accountId, from, to).map(({ hours, hasResidential, hasMobile, ...row }) => ({
      ...row,
      isGiven: { residential: hasResidential === 1, mobile: hasMobile === 1 },
      hours: unpack(hours),
    }));
  return {
    add: (accountId, { day, index }, period, given) => {
      const known = between(accountId, day, day)[0];
      const hours = new Map(known?.hours);
      hours.set(index, joined(hours.get(index), period));
      const { since, until } = joined(known, period);
      const has = (type: MeteredType): number => Number(given.has(type) || known?.isGiven[type] === true);
      put.run(accountId, day, since, until, has('residential'), has('mobile'), pack(hours));
    },
    between,
    since: (accountId) => oldest.get(accountId) ?? null,
  };
};

const joined = (known: UsePeriod | undefined, { since, until }: UsePeriod): UsePeriod => ({
  since: Math.min(known?.since ?? since, since),
  until: Math.max(known?.until ?? until, until),
});

const pack = (hours: ReadonlyMap<number, UsePeriod>): string =>
  JSON.stringify([...hours].map(([index, { since, until }]): PackedHour => [index, since, until]));

const unpack = (packed: string | null): UseDay['hours'] => {
  const hours: PackedHour[] = packed === null ? [] : JSON.parse(packed);
  return new Map(hours.map(([index, since, until]) => [index, { since, until }]));
};
