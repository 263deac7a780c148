// Computes the status of a quota from the stored row, the options and the time of the newest listing, without side effects.

import { forecastExhaustion, forecastStart } from '../../lib/forecast.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import type { StoredQuota } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyUserOptions } from './options.ts';

export const QUOTA_STATES = ['ok', 'low', 'soon', 'exhausted', 'unlimited'] as const;
export type QuotaState = (typeof QUOTA_STATES)[number];

/** A quota is low if less than this share of the limit is left, unless the alert has another threshold. */
export const LOW_SHARE = 0.1;
/** Exhaustion within this time (ms) is soon, unless the alert has another threshold. */
export const SOON_MS = 3 * DAY;

/** The settings that decide the status of a quota. */
export interface QuotaRule {
  readonly zeroLimit: ProxyUserOptions['zero_limit'];
  readonly lowShare: number;
  readonly soonMs: number;
}

/** Takes the thresholds of the alerts. An alert that is turned off counts with its default. */
export const quotaRuleOf = ({
  account: { thresholds },
  options,
}: Pick<ReadContext<ProxyUserOptions>, 'account' | 'options'>): QuotaRule => ({
  zeroLimit: options.zero_limit,
  lowShare: thresholds.ProxyUserQuotaLow ?? LOW_SHARE,
  soonMs: (thresholds.ProxyUserQuotaExhaustionSoon ?? SOON_MS / SECOND) * SECOND,
});

export interface QuotaStatus {
  /** Undefined if the use is unknown, or if a limit of 0 is ignored. */
  readonly state: QuotaState | undefined;
  /** Bytes left, never below 0; undefined if there is no limit or the use is unknown. */
  readonly leftBytes: number | undefined;
  /** How long the bytes left last, and when they are used up (ms, whole); undefined if that is unknown, or nothing is used. */
  readonly lastsMs: number | undefined;
  readonly exhaustedAt: number | undefined;
}

/** A limit of null means none. `listedAt` is when the newest counted listing was stored (ms); null before the first one. */
export const quotaStatusOf = (
  { limitBytes, usedBytes, rates }: StoredQuota,
  rule: QuotaRule,
  listedAt: number | null,
): QuotaStatus => {
  if (usedBytes === null) return UNKNOWN_STATUS;
  if (limitBytes === null) return { ...UNKNOWN_STATUS, state: 'unlimited' };
  if (limitBytes === 0 && rule.zeroLimit === 'ignore') return UNKNOWN_STATUS;
  const leftBytes = Math.max(0, limitBytes - usedBytes);
  const lastsMs = listedAt === null ? undefined : lastingTime(rates, leftBytes, forecastTime(listedAt));
  const isSoon = lastsMs !== undefined && lastsMs < rule.soonMs;
  const state = stateOf(leftBytes, limitBytes, rule.lowShare, isSoon);
  const exhaustedAt = lastsMs === undefined ? undefined : forecastStart(rates, Number(listedAt)) + lastsMs;
  return { state, leftBytes, lastsMs, exhaustedAt };
};

const lastingTime = (rates: StoredQuota['rates'], leftBytes: number, at: number): number | undefined => {
  const exhaustedAt = forecastExhaustion(rates, leftBytes, at);
  return exhaustedAt === undefined ? undefined : Math.round(exhaustedAt - forecastStart(rates, at));
};

/** Returns the time of a listing's forecasts (ms): the full hour, so that the forecast of an idle user changes once an hour. */
export const forecastTime = (listedAt: number): number => listedAt - (listedAt % HOUR);

const UNKNOWN_STATUS: QuotaStatus = {
  ...{ state: undefined, leftBytes: undefined, lastsMs: undefined, exhaustedAt: undefined },
};

const stateOf = (leftBytes: number, limitBytes: number, lowShare: number, isSoon: boolean): QuotaState => {
  if (leftBytes === 0) return 'exhausted';
  // The rule of the alert divides as well. A product of the share and the limit can be rounded to another result.
  if (leftBytes / limitBytes < lowShare) return 'low';
  return isSoon ? 'soon' : 'ok';
};
