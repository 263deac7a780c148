// One minute of traffic of one product type: what it comes to, and what of it is published when.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import type { ProductType } from '../identities.ts';
import { draw, hashText, mix } from '../random.ts';
import type { Scenario } from '../scenario.ts';

export interface Traffic {
  bytes: number;
  requests: number;
  successful: number;
  failed: number;
  smartpathBytes: number;
  smartpathRequests: number;
  /** Cents. */
  smartpathMoneySaved: number;
}

/** A minute's history: it grows from `start` to `settledAt`, unless late; times are instants in milliseconds. */
export interface Minute {
  readonly start: number;
  readonly settledAt: number;
  readonly isLate: boolean;
  /** Infinity when it never is. */
  readonly revisedAt: number;
  readonly settled: Readonly<Traffic>;
  readonly revised: Readonly<Traffic>;
}

const CENTS_PER_BYTE = 300 / 1e9;
const LARGEST_REVISION = 0.2;
const SHORTEST_LATENESS = 3 * MINUTE;
/** A night at 0.4 and a day at 1.6 times the mean. */
const RHYTHM = Float64Array.from(
  { length: 1440 },
  (_, i) => 1 - 0.6 * Math.cos((2 * Math.PI * (i - 180)) / 1440),
);
const WEEKDAY = 1.12;
const WEEKEND = 0.7;

/** Returns the function of product type and minute (counted from the epoch); minutes before `start` are empty. */
export const minuteModel = (scenario: Scenario, start: number) => {
  const streams = new Map(PRODUCT_TYPES.map((type) => [type, mix(scenario.seed, hashText(type))]));
  return (type: ProductType, minute: number): Minute => {
    const hash = mix(streams.get(type) ?? 0, minute);
    const end = (minute + 1) * MINUTE;
    const settled = end <= start ? nothing() : final(scenario.traffic, type, minute, hash);
    return { start: end - MINUTE, settled, ...fate(scenario.traffic, hash, end, settled) };
  };
};

/** How long after its end a minute may still change. */
export const openFor = ({ traffic }: Scenario): number =>
  Math.max(
    traffic.settle_ms,
    SHORTEST_LATENESS + traffic.late.longest_minutes * MINUTE,
    traffic.settle_ms + SHORTEST_LATENESS + traffic.revised.longest_minutes * MINUTE,
  );

/** The part of the minute's value that shows at the instant `at`, from 0 to 1. */
export const growth = ({ start, settledAt, isLate }: Minute, at: number): number =>
  at >= settledAt ? 1 : isLate ? 0 : Math.max(0, (at - start) / (settledAt - start));

/** The last instant up to `at` at which the minute changed; -Infinity when it is yet to show. */
export const changedAt = (minute: Minute, at: number): number => {
  if (growth(minute, at) === 0) return Number.NEGATIVE_INFINITY;
  if (at < minute.settledAt) return at;
  return at >= minute.revisedAt ? Math.max(minute.revisedAt, minute.settledAt) : minute.settledAt;
};

export const nothing = (): Traffic => ({
  bytes: 0,
  requests: 0,
  successful: 0,
  failed: 0,
  smartpathBytes: 0,
  smartpathRequests: 0,
  smartpathMoneySaved: 0,
});

const final = (traffic: Scenario['traffic'], type: ProductType, minute: number, hash: number): Traffic => {
  if (draw(hash, 1) < traffic.quiet_ratio) return nothing();
  const mean = traffic.requests_per_minute[type] * rhythm(minute);
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

const rhythm = (minute: number): number => {
  // The epoch was a Thursday.
  const weekday = (Math.floor((minute * MINUTE) / DAY) + 4) % 7;
  return (RHYTHM[minute % 1440] ?? 1) * (weekday === 0 || weekday === 6 ? WEEKEND : WEEKDAY);
};

const fate = (
  { settle_ms, late, revised }: Scenario['traffic'],
  hash: number,
  end: number,
  settled: Traffic,
): Pick<Minute, 'settledAt' | 'isLate' | 'revisedAt' | 'revised'> => {
  const isLate = draw(hash, 20) < late.ratio;
  const lateness = SHORTEST_LATENESS + draw(hash, 21) ** 2 * late.longest_minutes * MINUTE;
  const settledAt = end + (isLate ? Math.floor(lateness) : settle_ms);
  if (draw(hash, 22) >= revised.ratio)
    return { settledAt, isLate, revisedAt: Number.POSITIVE_INFINITY, revised: settled };
  // The fourth power: most within hours, a few after days.
  const wait = SHORTEST_LATENESS + draw(hash, 23) ** 4 * revised.longest_minutes * MINUTE;
  const factor = 1 + LARGEST_REVISION * (2 * draw(hash, 24) - 1);
  return {
    settledAt,
    isLate,
    revisedAt: end + settle_ms + Math.floor(wait),
    revised: scaled(settled, factor),
  };
};

const scaled = (traffic: Traffic, factor: number): Traffic => {
  const successful = Math.floor(traffic.successful * factor);
  const failed = Math.floor(traffic.failed * factor);
  return {
    bytes: Math.floor(traffic.bytes * factor),
    requests: successful + failed,
    successful,
    failed,
    smartpathBytes: Math.floor(traffic.smartpathBytes * factor),
    smartpathRequests: Math.floor(traffic.smartpathRequests * factor),
    smartpathMoneySaved: Math.floor(traffic.smartpathMoneySaved * factor),
  };
};
