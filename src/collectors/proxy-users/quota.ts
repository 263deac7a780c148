// How a user stands to a limit: pure, from the stored row, the options and the time of the newest listing.

import { forecastExhaustion } from '../../lib/forecast.ts';
import { DAY } from '../../lib/time.ts';
import type { StoredQuota } from '../../store/user-store.ts';
import type { ProxyUserOptions } from './options.ts';

export const QUOTA_STATES = ['ok', 'low', 'soon', 'exhausted', 'unlimited'] as const;
export type QuotaState = (typeof QUOTA_STATES)[number];

/** Below this share of the limit a quota is low. */
const LOW_SHARE = 0.1;
/** Exhaustion within this time is soon. */
const SOON_MS = 3 * DAY;

export interface QuotaStanding {
  /** Undefined where neither limit nor use was given. */
  readonly state: QuotaState | undefined;
  /** Bytes left, never below 0; undefined where there is no limit or no use was given. */
  readonly leftBytes: number | undefined;
  /** When the bytes left will be used up (ms); undefined where that is not known, or nothing is being used. */
  readonly exhaustedAt: number | undefined;
}

/** A limit that is not given is none; `listedAt` (ms) is when the newest complete listing was stored; null before the first one. */
export const standingOf = (
  { limitBytes, usedBytes, rates }: StoredQuota,
  zeroLimit: ProxyUserOptions['zero_limit'],
  listedAt: number | null,
): QuotaStanding => {
  if (usedBytes === null) return UNKNOWN;
  if (limitBytes === null) return { ...UNKNOWN, state: 'unlimited' };
  if (limitBytes === 0 && zeroLimit === 'ignore') return UNKNOWN;
  const leftBytes = Math.max(0, limitBytes - usedBytes);
  const exhaustedAt = listedAt === null ? undefined : forecastExhaustion(rates, leftBytes, listedAt);
  return { leftBytes, exhaustedAt, state: stateOf(leftBytes, limitBytes, exhaustedAt, listedAt) };
};

const UNKNOWN: QuotaStanding = { state: undefined, leftBytes: undefined, exhaustedAt: undefined };

const stateOf = (
  leftBytes: number,
  limitBytes: number,
  exhaustedAt: number | undefined,
  listedAt: number | null,
): QuotaState => {
  if (leftBytes === 0) return 'exhausted';
  if (leftBytes < LOW_SHARE * limitBytes) return 'low';
  return exhaustedAt !== undefined && exhaustedAt - (listedAt ?? 0) < SOON_MS ? 'soon' : 'ok';
};
