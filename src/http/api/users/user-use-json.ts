// Defines the JSON of the use of proxy users over time.

import { z } from 'zod';
import type { UsedBytes } from '../../../store/user-use-store.ts';
import { account, count, date, flag, orNull, ratio, text, time } from '../item.ts';
import { labelPartsOf } from '../label-parts.ts';

export const USE_STEPS = ['hour', 'day'] as const;
export type UseStep = (typeof USE_STEPS)[number];

const period = {
  counted_since: orNull.time.describe(
    'Start of the listing after which proxywatch counted the bytes, or null if they are unknown',
  ),
  counted_until: orNull.time.describe('Start of the last listing that added to the bytes'),
};

const knownBytes = z.strictObject({ residential: orNull.count, mobile: orNull.count });

const point = z
  .strictObject({
    at: time.describe('Start of the point'),
    width_seconds: count,
    ...period,
    bytes: knownBytes.describe('Used bytes by product type. Null if they are unknown'),
  })
  .meta({ id: 'UserUsePoint' });

export const userUse = z
  .strictObject({
    account,
    proxy_user_id: text,
    from: time,
    to: time,
    step: z.enum(USE_STEPS),
    counted_since: orNull.time.describe(
      'Time before which the use is unknown, or null while no hour is stored',
    ),
    totals: knownBytes.describe('Sums of the known points. Null if no point is known'),
    data: z.array(point),
  })
  .meta({ id: 'UserUse' });

export const rankedUser = z
  .strictObject({
    account,
    proxy_user_id: text,
    is_removed: flag.describe('Whether the user is missing from the provider’s newest listings'),
    bytes: knownBytes.describe(
      'Used bytes by product type. Null if the provider gave none for the user in this time',
    ),
    share: ratio.describe('Share of the bytes of all users of the requested accounts'),
  })
  .meta({ id: 'UserShare' });

export const accountUse = z
  .strictObject({
    account,
    from: date,
    to: date,
    ...period,
    counted_days: count.describe('Number of days with known use'),
    users: count.describe('Number of users that used bytes of the requested types in this time'),
    deleted_users: count.describe(
      'Number of users whose use in this time is unknown, because proxywatch deleted it to save space',
    ),
    bytes: knownBytes
      .nullable()
      .describe(
        'Bytes of all users by product type. Null if nothing is known, or if the provider gave none for any user in this time',
      ),
  })
  .meta({ id: 'AccountUse' });

const usersUse = {
  users: count.describe('Number of users that used bytes of the requested types in this time'),
  bytes: knownBytes,
  share: ratio.describe('Share of the bytes of all users of the account'),
};

export const labelUse = labelPartsOf(usersUse, { subjects: 'Users', most: 'bytes' }).meta({ id: 'LabelUse' });

export const ranking = z
  .strictObject({
    accounts: z.array(
      accountUse
        .extend({
          counted_hours: orNull.count.describe(
            'Number of `hours` with known use, of the days that they touch. Null if the request has no `hours`',
          ),
        })
        .meta({ id: 'RankedAccountUse' }),
    ),
    data: z.array(rankedUser),
    labels: z
      .array(labelUse)
      .describe(
        'Use by each label of `proxy_users.labels_from_metadata`. The parts of a label add up to the bytes of the account',
      ),
  })
  .meta({ id: 'UserRanking' });

export type UsePoint = z.output<typeof point>;
export type KnownBytes = Readonly<Record<keyof UsedBytes, number | null>>;
export type AccountUse = z.output<typeof accountUse>;
export type LabelShares = z.output<typeof labelUse>;
export type UserShare = z.output<typeof rankedUser>;
