// Records the traffic that really went through the simulated proxies, by minute, user, service and host name.

import { MINUTE } from '../../lib/time.ts';
import type { ProductType } from '../identities.ts';
import {
  addTraffic,
  CENTS_PER_BYTE,
  emptySum,
  type Traffic,
  type TrafficSum,
  zeroTraffic,
} from './minutes.ts';
import type { TrafficFilter } from './slices.ts';

export interface RecordedRequest {
  /** When it ended (ms). Its traffic belongs to this minute, so minutes that have ended do not change. */
  readonly at: number;
  readonly type: ProductType;
  /** The id of the user before any change. */
  readonly userId: string;
  readonly serviceId: string | null;
  /** Empty if the request named no target. */
  readonly hostname: string;
  readonly bytes: number;
  readonly isSuccessful: boolean;
  readonly isSmartpath: boolean;
}

interface Entry extends Pick<RecordedRequest, 'type' | 'userId' | 'serviceId' | 'hostname'> {
  /** Times (ms) of the first and the last request. */
  readonly firstAt: number;
  lastAt: number;
  readonly traffic: Traffic;
}

export class RecordedTraffic {
  /** By minute (counted from the epoch), in the order of the records. */
  readonly #minutes = new Map<number, Map<string, Entry>>();

  record(request: RecordedRequest): void {
    const minute = Math.floor(request.at / MINUTE);
    const entries = this.#minutes.get(minute) ?? new Map<string, Entry>();
    this.#minutes.set(minute, entries);
    const { type, userId, serviceId, hostname, at } = request;
    const key = JSON.stringify([type, userId, serviceId, hostname]);
    const entry = entries.get(key) ?? {
      ...{ type, userId, serviceId, hostname, firstAt: at, lastAt: at },
      traffic: zeroTraffic(),
    };
    entries.set(key, entry);
    entry.lastAt = Math.max(entry.lastAt, at);
    addTraffic(entry.traffic, trafficOf(request));
  }

  /** Adds the minutes that start in [from, to), as far as they were recorded by the time `at` (ms). */
  addTo(total: TrafficSum, filter: TrafficFilter, from: number, to: number, at: number): void {
    for (const entries of this.#between(from, to)) {
      let requests = 0;
      for (const entry of entries.values()) {
        if (entry.firstAt > at || !matches(entry, filter)) continue;
        requests += entry.traffic.requests;
        addTraffic(total, entry.traffic);
        total.lastChangeAt = Math.max(total.lastChangeAt, Math.min(at, entry.lastAt));
      }
      total.peakRequests = Math.max(total.peakRequests, requests);
    }
  }

  /** Returns the bytes of the minutes from `from` to `at`. Times are in ms. */
  bytes(filter: TrafficFilter, from: number, at: number): number {
    const total = emptySum();
    this.addTo(total, filter, from, at + 1, at);
    return total.bytes;
  }

  *#between(from: number, to: number): Generator<Map<string, Entry>> {
    const [first, end] = [Math.ceil(from / MINUTE), Math.ceil(to / MINUTE)];
    if (end - first < this.#minutes.size) {
      for (let minute = first; minute < end; minute++) {
        const entries = this.#minutes.get(minute);
        if (entries) yield entries;
      }
      return;
    }
    for (const [minute, entries] of this.#minutes) if (minute >= first && minute < end) yield entries;
  }
}

const trafficOf = ({ bytes, isSuccessful, isSmartpath }: RecordedRequest): Traffic => ({
  ...{ bytes, requests: 1, successful: Number(isSuccessful), failed: Number(!isSuccessful) },
  smartpathBytes: isSmartpath ? bytes : 0,
  smartpathRequests: Number(isSmartpath),
  smartpathMoneySaved: isSmartpath ? Math.floor(bytes * CENTS_PER_BYTE) : 0,
});

const matches = (entry: Entry, { network, hostname, proxyUserId, serviceId }: TrafficFilter): boolean =>
  (network === undefined || entry.type === network) &&
  (hostname === undefined || entry.hostname === hostname) &&
  (proxyUserId === undefined || entry.userId === proxyUserId) &&
  (serviceId === undefined || entry.serviceId === serviceId);
