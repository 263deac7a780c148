// Sums the account's traffic over ranges as published at any time, and caches hours that cannot change any more.

import { HOUR, MINUTE } from '../../lib/time.ts';
import type { Scenario } from '../scenario.ts';
import {
  addTraffic,
  changeWindowMs,
  emptySum,
  lastChangeOf,
  type Minute,
  mapTraffic,
  minuteModel,
  publishedShare,
  type Traffic,
  type TrafficSum,
  zeroTraffic,
} from './minutes.ts';
import { RecordedTraffic } from './recorded-traffic.ts';
import { applyShares, type Slice, Slicer, type TrafficFilter } from './slices.ts';

export interface TrafficSelection {
  readonly slices: readonly Slice[];
  readonly filter: TrafficFilter;
  /** Identifies the selection. */
  readonly key: string;
}

const MINUTES = HOUR / MINUTE;
const MAX_CACHED_HOURS = 50_000;

export class PublishedTraffic {
  readonly slicer: Slicer;
  /** Time (ms) of the first minute that can have traffic. */
  readonly start: number;
  /** The traffic that really went through the simulated proxies. */
  readonly recorded = new RecordedTraffic();
  readonly #minute: ReturnType<typeof minuteModel>;
  readonly #changeWindowMs: number;
  readonly #closedHours = new Map<string, TrafficSum>();

  constructor(scenario: Scenario, start: number) {
    this.start = start;
    this.slicer = new Slicer(scenario);
    this.#minute = minuteModel(scenario, start);
    this.#changeWindowMs = changeWindowMs(scenario);
  }

  /** Returns the selection of a filter, which can be summed over any number of ranges. */
  select(filter: TrafficFilter): TrafficSelection {
    const key = JSON.stringify([filter.network, filter.hostname, filter.proxyUserId, filter.serviceId]);
    return { slices: this.slicer.slices(filter), filter, key };
  }

  /** Sums the minutes that start in [from, to), as published at the time `at` (ms), with the recorded traffic. */
  sum(selection: TrafficSelection, from: number, to: number, at: number): TrafficSum {
    const total = this.sumModelled(selection, from, to, at);
    this.recorded.addTo(total, selection.filter, Math.max(from, this.start), to, at);
    return total;
  }

  sumModelled({ slices, key }: TrafficSelection, from: number, to: number, at: number): TrafficSum {
    const total = emptySum();
    let minute = Math.ceil(Math.max(from, this.start) / MINUTE);
    // A minute that has not begun has no traffic.
    const end = Math.ceil(Math.min(to, at) / MINUTE);
    while (minute < end) {
      if (minute % MINUTES === 0 && minute + MINUTES <= end) {
        merge(total, this.#hour(key, slices, minute, at));
        minute += MINUTES;
      } else {
        this.#addMinute(total, slices, minute, at);
        minute += 1;
      }
    }
    return total;
  }

  #hour(key: string, slices: readonly Slice[], firstMinute: number, at: number): TrafficSum {
    const isClosed = at >= firstMinute * MINUTE + HOUR + this.#changeWindowMs;
    const name = `${firstMinute} ${key}`;
    const cached = isClosed ? this.#closedHours.get(name) : undefined;
    if (cached) return cached;
    const total = emptySum();
    for (let i = 0; i < MINUTES; i++) this.#addMinute(total, slices, firstMinute + i, at);
    if (isClosed) this.#cache(name, total);
    return total;
  }

  #cache(name: string, total: TrafficSum): void {
    if (this.#closedHours.size >= MAX_CACHED_HOURS) this.#closedHours.clear();
    this.#closedHours.set(name, total);
  }

  #addMinute(total: TrafficSum, slices: readonly Slice[], number: number, at: number): void {
    let requests = 0;
    for (const { type, shares } of slices) {
      const minute = this.#minute(type, number);
      const published = publishedPart(minute, shares, at);
      requests += published.requests;
      addTraffic(total, published);
      total.lastChangeAt = Math.max(total.lastChangeAt, lastChangeOf(minute, at));
    }
    total.peakRequests = Math.max(total.peakRequests, requests);
  }
}

/** The shares are applied to the final value before its growth, so that a slice never decreases while it grows. */
const publishedPart = (minute: Minute, shares: Slice['shares'], at: number): Traffic => {
  const share = publishedShare(minute, at);
  if (share === 0) return ZERO_TRAFFIC;
  const whole = at >= minute.revisedAt ? minute.revised : minute.settled;
  return mapTraffic(whole, (value) => Math.floor(applyShares(value, shares) * share));
};

const ZERO_TRAFFIC: Readonly<Traffic> = zeroTraffic();

const merge = (sum: TrafficSum, other: TrafficSum): void => {
  addTraffic(sum, other);
  sum.peakRequests = Math.max(sum.peakRequests, other.peakRequests);
  sum.lastChangeAt = Math.max(sum.lastChangeAt, other.lastChangeAt);
};
