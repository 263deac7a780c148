// How a user stands to a limit: pure, from the stored row, the options and the time of the newest listing.

import { forecastExhaustion } from '../../lib/forecast.ts';
import { DAY, SECOND } from '../../lib/time.ts';
import type { StoredQuota } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyUserOptions } from './options.ts';

export const QUOTA_STATES = ['ok', 'low', 'soon', 'exhausted', 'unlimited'] as const;
export type QuotaState = (typeof QUOTA_STATES)[number];

/** Unless the alerts have thresholds of their own: below this share of the limit a quota is low. */
export const LOW_SHARE = 0.1;
/** Likewise, exhaustion within this time is soon. */
export const SOON_MS = 3 * DAY;

/** What a quota is judged by. */
export interface QuotaRule {
  readonly zeroLimit: ProxyUserOptions['zero_limit'];
  readonly lowShare: number;
  readonly soonMs: number;
}

/** By the thresholds of the alerts, and the default of one that is turned off. */
export const quotaRuleOf = ({
  account: { thresholds },
  options,
}: Pick<ReadContext<ProxyUserOptions>, 'account' | 'options'>): QuotaRule => ({
  zeroLimit: options.zero_limit,
  lowShare: thresholds.ProxyUserQuotaLow ?? LOW_SHARE,
  soonMs: (thresholds.ProxyUserQuotaExhaustionSoon ?? SOON_MS / SECOND) * SECOND,
});

export interface QuotaStanding {
  /** Undefined where neither limit nor use was given. */
  readonly state: QuotaState | undefined;
  /** Bytes left, never below 0; undefined where there is no limit or no use was given. */
  readonly leftBytes: number | undefined;
  /** When the bytes left will be used up (ms); undefined where that is not known, or nothing is being used. */
  readonly exhaustedAt: number | undefined;
}

/** A limit that is not given is none; `listedAt` (ms) is when the newest listing that counts was stored; null before the first one. */
export const standingOf = (
  { limitBytes, usedBytes, rates }: StoredQuota,
  rule: QuotaRule,
  listedAt: number | null,
): QuotaStanding => {
  if (usedBytes === null) return UNKNOWN;
  if (limitBytes === null) return { ...UNKNOWN, state: 'unlimited' };
  if (limitBytes === 0 && rule.zeroLimit === 'ignore') return UNKNOWN;
  const leftBytes = Math.max(0, limitBytes - usedBytes);
  const exhaustedAt = listedAt === null ? undefined : forecastExhaustion(rates, leftBytes, listedAt);
  const soonBefore = (listedAt ?? 0) + rule.soonMs;
  const isSoon = exhaustedAt !== undefined && exhaustedAt < soonBefore;
  return { leftBytes, exhaustedAt, state: stateOf(leftBytes, rule.lowShare * limitBytes, isSoon) };
};

const UNKNOWN: QuotaStanding = { state: undefined, leftBytes: undefined, exhaustedAt: undefined };

const stateOf = (leftBytes: number, lowBytes: number, isSoon: boolean): QuotaState => {
  if (leftBytes === 0) return 'exhausted';
  if (leftBytes < lowBytes) return 'low';
  return isSoon ? 'soon' : 'ok';
};
