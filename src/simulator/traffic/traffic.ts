// The account's published traffic at any instant: sums over ranges, with closed hours remembered.

import { HOUR, MINUTE } from '../../lib/time.ts';
import type { Scenario } from '../scenario.ts';
import { changedAt, growth, type Minute, minuteModel, nothing, openFor, type Traffic } from './minutes.ts';
import { partOf, type Slice, Slicer, type TrafficFilter } from './slices.ts';

/** A sum of minutes. */
export interface Tally extends Traffic {
  /** Most requests in one of the minutes. */
  peakRequests: number;
  /** The last instant at which one of them changed; -Infinity when none shows. */
  changedAt: number;
}

export interface Part {
  readonly slices: readonly Slice[];
  /** Names the part among all others. */
  readonly key: string;
}

const MINUTES = HOUR / MINUTE;
const REMEMBERED_HOURS = 50_000;

export class TrafficBook {
  readonly slicer: Slicer;
  /** First instant that can have traffic. */
  readonly start: number;
  readonly #minute: ReturnType<typeof minuteModel>;
  readonly #openForMs: number;
  readonly #closedHours = new Map<string, Tally>();

  constructor(scenario: Scenario, start: number) {
    this.start = start;
    this.slicer = new Slicer(scenario);
    this.#minute = minuteModel(scenario, start);
    this.#openForMs = openFor(scenario);
  }

  /** What a filter leaves, to be summed over as many ranges as wanted. */
  of(filter: TrafficFilter): Part {
    const key = JSON.stringify([filter.network, filter.hostname, filter.proxyUserId, filter.serviceId]);
    return { slices: this.slicer.slices(filter), key };
  }

  /** Sum, as published at the instant `at`, of the minutes that start in [from, to). */
  sum({ slices, key }: Part, from: number, to: number, at: number): Tally {
    const tally = emptyTally();
    let minute = Math.ceil(Math.max(from, this.start) / MINUTE);
    // A minute that has not begun holds nothing.
    const end = Math.ceil(Math.min(to, at) / MINUTE);
    while (minute < end) {
      if (minute % MINUTES === 0 && minute + MINUTES <= end) {
        merge(tally, this.#hour(key, slices, minute, at));
        minute += MINUTES;
      } else {
        this.#addMinute(tally, slices, minute, at);
        minute += 1;
      }
    }
    return tally;
  }

  #hour(key: string, slices: readonly Slice[], firstMinute: number, at: number): Tally {
    const isClosed = at >= firstMinute * MINUTE + HOUR + this.#openForMs;
    const name = `${firstMinute} ${key}`;
    const remembered = isClosed ? this.#closedHours.get(name) : undefined;
    if (remembered) return remembered;
    const tally = emptyTally();
    for (let i = 0; i < MINUTES; i++) this.#addMinute(tally, slices, firstMinute + i, at);
    if (isClosed) this.#remember(name, tally);
    return tally;
  }

  #remember(name: string, tally: Tally): void {
    if (this.#closedHours.size >= REMEMBERED_HOURS) this.#closedHours.clear();
    this.#closedHours.set(name, tally);
  }

  #addMinute(tally: Tally, slices: readonly Slice[], number: number, at: number): void {
    let requests = 0;
    for (const { type, shares } of slices) {
      const minute = this.#minute(type, number);
      const published = publishedPart(minute, shares, at);
      requests += published.requests;
      addTraffic(tally, published);
      tally.changedAt = Math.max(tally.changedAt, changedAt(minute, at));
    }
    tally.peakRequests = Math.max(tally.peakRequests, requests);
  }
}

const emptyTally = (): Tally => ({ ...nothing(), peakRequests: 0, changedAt: Number.NEGATIVE_INFINITY });

/** The share is cut from the final value and grows by itself, so that a slice never falls while it grows. */
const publishedPart = (minute: Minute, shares: Slice['shares'], at: number): Traffic => {
  const grown = growth(minute, at);
  if (grown === 0) return NOTHING;
  const whole = at >= minute.revisedAt ? minute.revised : minute.settled;
  const part = (value: number) => Math.floor(partOf(value, shares) * grown);
  const successful = part(whole.successful);
  const failed = part(whole.failed);
  return {
    bytes: part(whole.bytes),
    requests: successful + failed,
    successful,
    failed,
    smartpathBytes: part(whole.smartpathBytes),
    smartpathRequests: part(whole.smartpathRequests),
    smartpathMoneySaved: part(whole.smartpathMoneySaved),
  };
};

const NOTHING: Readonly<Traffic> = nothing();

const addTraffic = (sum: Traffic, traffic: Traffic): void => {
  sum.bytes += traffic.bytes;
  sum.requests += traffic.requests;
  sum.successful += traffic.successful;
  sum.failed += traffic.failed;
  sum.smartpathBytes += traffic.smartpathBytes;
  sum.smartpathRequests += traffic.smartpathRequests;
  sum.smartpathMoneySaved += traffic.smartpathMoneySaved;
};

const merge = (sum: Tally, other: Tally): void => {
  addTraffic(sum, other);
  sum.peakRequests = Math.max(sum.peakRequests, other.peakRequests);
  sum.changedAt = Math.max(sum.changedAt, other.changedAt);
};
