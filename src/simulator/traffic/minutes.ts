// Models one minute of traffic of one product type: its values, and when they are published.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import type { ProductType } from '../identities.ts';
import { draw, hashText, mix } from '../random.ts';
import type { Scenario } from '../scenario.ts';

export type Traffic = ReturnType<typeof zeroTraffic>;

export type TrafficSum = ReturnType<typeof emptySum>;

/** How a minute is published: it grows from `start` to `settledAt`, or appears whole then if late. Times are in ms. */
export interface Minute {
  readonly start: number;
  readonly settledAt: number;
  readonly isLate: boolean;
  /** Infinity if it is never revised. */
  readonly revisedAt: number;
  readonly settled: Readonly<Traffic>;
  readonly revised: Readonly<Traffic>;
}

export const CENTS_PER_BYTE = 300 / 1e9;
const MAX_REVISION = 0.2;
const MIN_LATENESS = 3 * MINUTE;
/** Factors of the mean by minute of the day, from 0.4 at night to 1.6 by day. */
const DAILY_PATTERN = Float64Array.from(
  { length: 1440 },
  (_, i) => 1 - 0.6 * Math.cos((2 * Math.PI * (i - 180)) / 1440),
);
const WEEKDAY = 1.12;
const WEEKEND = 0.7;

/** Returns a function of product type and minute (counted from the epoch). Minutes before `start` have no traffic. */
export const minuteModel = (scenario: Scenario, start: number) => {
  const streams = new Map(PRODUCT_TYPES.map((type) => [type, mix(scenario.seed, hashText(type))]));
  return (type: ProductType, minute: number): Minute => {
    const hash = mix(streams.get(type) ?? 0, minute);
    const end = (minute + 1) * MINUTE;
    const settled = end <= start ? zeroTraffic() : settledTraffic(scenario.traffic, type, minute, hash);
    return { start: end - MINUTE, settled, ...publicationTimes(scenario.traffic, hash, end, settled) };
  };
};

/** Returns how long after its end (ms) a minute may still change. */
export const changeWindowMs = ({ traffic }: Scenario): number =>
  Math.max(
    traffic.settle_ms,
    MIN_LATENESS + traffic.late.longest_minutes * MINUTE,
    traffic.settle_ms + MIN_LATENESS + traffic.revised.longest_minutes * MINUTE,
  );

/** Returns the share of the minute's values that is published at the time `at` (ms), from 0 to 1. */
export const publishedShare = ({ start, settledAt, isLate }: Minute, at: number): number =>
  at >= settledAt ? 1 : isLate ? 0 : Math.max(0, (at - start) / (settledAt - start));

/** Returns the last time (ms) up to `at` at which the minute changed; -Infinity if nothing is published yet. */
export const lastChangeOf = (minute: Minute, at: number): number => {
  if (publishedShare(minute, at) === 0) return Number.NEGATIVE_INFINITY;
  if (at < minute.settledAt) return at;
  return at >= minute.revisedAt ? Math.max(minute.revisedAt, minute.settledAt) : minute.settledAt;
};

export const zeroTraffic = () => ({
  bytes: 0,
  requests: 0,
  successful: 0,
  failed: 0,
  smartpathBytes: 0,
  smartpathRequests: 0,
  /** Cents. */
  smartpathMoneySaved: 0,
});

export const emptySum = () => ({
  ...zeroTraffic(),
  /** The highest number of requests in one of the minutes. */
  peakRequests: 0,
  /** The last time (ms) at which one of the minutes changed; -Infinity if none is published. */
  lastChangeAt: Number.NEGATIVE_INFINITY,
});

export const addTraffic = (sum: Traffic, traffic: Readonly<Traffic>): void => {
  sum.bytes += traffic.bytes;
  sum.requests += traffic.requests;
  sum.successful += traffic.successful;
  sum.failed += traffic.failed;
  sum.smartpathBytes += traffic.smartpathBytes;
  sum.smartpathRequests += traffic.smartpathRequests;
  sum.smartpathMoneySaved += traffic.smartpathMoneySaved;
};

const settledTraffic = (
  traffic: Scenario['traffic'],
  type: ProductType,
  minute: number,
  hash: number,
): Traffic => {
  if (draw(hash, 1) < traffic.quiet_ratio) return zeroTraffic();
  const mean = traffic.requests_per_minute[type] * activityFactor(minute);
  const requests = Math.floor(mean * (0.5 + draw(hash, 2)) + draw(hash, 3));
  const failed = Math.min(
    requests,
    Math.floor(requests * traffic.error_ratio * 2 * draw(hash, 4) + draw(hash, 5)),
  );
  const bytes = Math.floor(requests * traffic.bytes_per_request * (0.5 + draw(hash, 6)));
  const routed = type === 'residential' ? Math.min(1, traffic.smartpath_ratio * 2 * draw(hash, 7)) : 0;
  const smartpathBytes = Math.floor(bytes * routed);
  return {
    bytes,
    requests,
    successful: requests - failed,
    failed,
    smartpathBytes,
    smartpathRequests: Math.floor(requests * routed),
    smartpathMoneySaved: Math.floor(smartpathBytes * CENTS_PER_BYTE),
  };
};

const activityFactor = (minute: number): number => {
  // The epoch was a Thursday.
  const weekday = (Math.floor((minute * MINUTE) / DAY) + 4) % 7;
  return (DAILY_PATTERN[minute % 1440] ?? 1) * (weekday === 0 || weekday === 6 ? WEEKEND : WEEKDAY);
};

const publicationTimes = (
  { settle_ms, late, revised }: Scenario['traffic'],
  hash: number,
  end: number,
  settled: Traffic,
): Pick<Minute, 'settledAt' | 'isLate' | 'revisedAt' | 'revised'> => {
  const isLate = draw(hash, 20) < late.ratio;
  const lateness = MIN_LATENESS + draw(hash, 21) ** 2 * late.longest_minutes * MINUTE;
  const settledAt = end + (isLate ? Math.floor(lateness) : settle_ms);
  if (draw(hash, 22) >= revised.ratio)
    return { settledAt, isLate, revisedAt: Number.POSITIVE_INFINITY, revised: settled };
  // With the fourth power most revisions come within hours and a few after days.
  const wait = MIN_LATENESS + draw(hash, 23) ** 4 * revised.longest_minutes * MINUTE;
  const factor = 1 + MAX_REVISION * (2 * draw(hash, 24) - 1);
  return {
    settledAt,
    isLate,
    revisedAt: end + settle_ms + Math.floor(wait),
    revised: mapTraffic(settled, (value) => Math.floor(value * factor)),
  };
};

/** Returns the traffic with other values. The requests stay the sum of the successful and the failed ones. */
export const mapTraffic = (traffic: Readonly<Traffic>, map: (value: number) => number): Traffic => {
  const [successful, failed] = [map(traffic.successful), map(traffic.failed)];
  return {
    bytes: map(traffic.bytes),
    requests: successful + failed,
    successful,
    failed,
    smartpathBytes: map(traffic.smartpathBytes),
    smartpathRequests: map(traffic.smartpathRequests),
    smartpathMoneySaved: map(traffic.smartpathMoneySaved),
  };
};
