// Simulates the summaries of logs: a day's use of each host name by each proxy user, which can be summarised by domain later.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import { excessShare } from '../faults/outages.ts';
import type { ApiCall, Route } from '../http.ts';
import { type ProductType, userId } from '../identities.ts';
import type { LocalTime } from '../local-time.ts';
import { uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { TrafficSum } from '../traffic/minutes.ts';
import type { PublishedTraffic } from '../traffic/published-traffic.ts';
import { applyShares } from '../traffic/slices.ts';
import { type Item, type Listing, searchRoute } from './search.ts';

/** Use as the meter counts it; what smartpath routes past the meter is not charged. */
const FIELDS = ['requests', 'bytes', 'smartpathRequests', 'smartpathBytes'] as const;
type Counts = Readonly<Record<(typeof FIELDS)[number], number>>;

export interface Use extends Counts {
  /** The start of the day (ms). */
  readonly day: number;
  readonly user: string;
  readonly network: ProductType;
  readonly hostname: string;
  readonly updatedAt: number;
}

/** Days are listed for this long. */
const LISTED_MS = 90 * DAY;
/** Traffic does not change any more this long after its day. */
const CHANGES_MS = 5 * DAY;

export class LogSummaries {
  readonly #scenario: Scenario;
  readonly #traffic: PublishedTraffic;
  readonly #local: LocalTime;
  readonly #finalDays = new Map<number, readonly Use[]>();
  readonly #days = new Map<number, ReturnType<typeof searchRoute>>();

  constructor(scenario: Scenario, traffic: PublishedTraffic, local: LocalTime) {
    this.#scenario = scenario;
    this.#traffic = traffic;
    this.#local = local;
  }

  /** Searches the rows of one day if the filters name it, because the account has thousands of rows. */
  route(): Route {
    const all = searchRoute(
      'log_summary/search',
      this.#listing((at) => this.#daysUntil(at)),
    );
    const handle = (call: ApiCall) => {
      const [min, max] = ['min', 'max'].map((bound) => call.query.get(`${bound}_log_summary_period`));
      const day = min && this.#local.parse(min)?.first;
      return day && min.slice(0, 10) === max?.slice(0, 10) && this.#daysUntil(call.at).includes(day)
        ? this.#routeOf(day).handle(call)
        : all.handle(call);
    };
    return { ...all, handle };
  }

  #routeOf(day: number): Route {
    const route =
      this.#days.get(day) ??
      searchRoute(
        'log_summary/search',
        this.#listing(() => [day]),
      );
    this.#days.set(day, route);
    return route;
  }

  /** The provider writes the rows once a minute. */
  #listing(daysAt: (at: number) => readonly number[]): Listing<Use> {
    let current = { at: Number.NaN, rows: [] as readonly Use[] };
    const rows = (at: number): readonly Use[] => {
      const minute = Math.floor(at / MINUTE) * MINUTE;
      if (current.at !== minute)
        current = { at: minute, rows: daysAt(minute).flatMap((day) => this.#listed(day, minute)) };
      return current.rows;
    };
    return { rows, item: (use) => this.#item(use), liveFields: [] };
  }

  /** Returns the use of a day as published at `at` (ms), under the names that were requested. */
  uses(day: number, at: number): readonly Use[] {
    return this.#usesOf(day, at);
  }

  #item(use: Use): Item {
    const { day, user, network, hostname, requests, bytes, smartpathRequests, smartpathBytes } = use;
    const { discrepancies } = this.#scenario;
    const overbilled = excessShare(discrepancies, 'overbilled', network, day);
    const overlisted = excessShare(discrepancies, 'overlisted', network, day);
    return {
      log_summary_id: uuid(this.#scenario.seed, `summary ${day} ${user} ${network} ${hostname}`),
      log_summary_period: this.#local.datetime(day),
      proxy_user_id: user,
      log_summary_network: network,
      log_summary_hostname: hostname,
      log_summary_domain: domainOf(hostname),
      log_summary_requests: requests,
      log_summary_bytes: Math.floor(bytes * (1 + overlisted)),
      log_summary_charged_requests: requests - smartpathRequests,
      log_summary_charged_bytes: Math.floor((bytes - smartpathBytes) * (1 + overbilled)),
      log_summary_smartpath_enabled_requests: smartpathRequests,
      log_summary_smartpath_enabled_bytes: smartpathBytes,
      log_summary_smartpath_routed_requests: smartpathRequests,
      log_summary_smartpath_routed_bytes: smartpathBytes,
      log_summary_creation_datetime: this.#local.datetime(day),
      log_summary_last_update_datetime: this.#local.datetime(use.updatedAt),
    };
  }

  #daysUntil(at: number): number[] {
    const days: number[] = [];
    const first = Math.max(this.#traffic.start, at - LISTED_MS);
    for (let day = this.#local.bucketStart('day', first); day < at; day = this.#local.nextBucket('day', day))
      days.push(day);
    return days;
  }

  #listed(day: number, at: number): readonly Use[] {
    const after = this.#scenario.hostnames_merged_after_ms;
    const uses = this.#usesOf(day, at);
    return after === null || at < day + after
      ? uses
      : merged(uses, this.#usesOf(day, day + after), this.#scenario);
  }

  #usesOf(day: number, at: number): readonly Use[] {
    const end = this.#local.nextBucket('day', day);
    if (at < end + CHANGES_MS) return this.#computed(day, end, at);
    const uses = this.#finalDays.get(day) ?? this.#computed(day, end, at);
    this.#finalDays.set(day, uses);
    return uses;
  }

  #computed(day: number, end: number, at: number): readonly Use[] {
    const { users, hostnames } = this.#scenario;
    return PRODUCT_TYPES.flatMap((network) => {
      const total = this.#traffic.sum(this.#traffic.select({ network }), day, end, at);
      const updatedAt = Math.max(day, Math.min(at, total.lastChangeAt));
      return Array.from({ length: users }, (_, index) =>
        hostnames.map((hostname) => ({
          ...{ day, user: userId(index), network, hostname, updatedAt },
          ...this.#part(total, index, hostname),
        })),
      ).flat();
    }).filter(isUsed);
  }

  #part(total: TrafficSum, user: number, hostname: string): Counts {
    const { slicer } = this.#traffic;
    const shares = [slicer.userShare(user), slicer.hostnameShare(hostname)];
    return countsOf((field) => applyShares(total[field], shares));
  }
}

/** Moves what was used until the merge to the domains, and keeps what was used since under the names. */
const merged = (uses: readonly Use[], before: readonly Use[], { hostnames }: Scenario): readonly Use[] => {
  const isMerged = (name: string) =>
    hostnames.some((other) => other !== name && domainOf(other) === domainOf(name));
  const earlier = new Map(before.map((use) => [keyOf(use), use]));
  const rows = new Map<string, Use>();
  const add = (use: Use) => {
    const known = rows.get(keyOf(use));
    rows.set(keyOf(use), known ? { ...use, ...countsOf((field) => known[field] + use[field]) } : use);
  };
  for (const use of uses) {
    const moved = isMerged(use.hostname) ? earlier.get(keyOf(use)) : undefined;
    const part = countsOf((field) => Math.min(use[field], moved?.[field] ?? 0));
    add({ ...use, ...countsOf((field) => use[field] - part[field]) });
    add({ ...use, ...part, hostname: `*.${domainOf(use.hostname)}` });
  }
  return [...rows.values()].filter(isUsed);
};

const countsOf = (value: (field: keyof Counts) => number): Counts => ({
  requests: value('requests'),
  bytes: value('bytes'),
  smartpathRequests: value('smartpathRequests'),
  smartpathBytes: value('smartpathBytes'),
});

const isUsed = ({ requests, bytes }: Use): boolean => requests > 0 || bytes > 0;
const keyOf = ({ day, user, network, hostname }: Use): string => `${day} ${user} ${network} ${hostname}`;
const domainOf = (hostname: string): string => hostname.split('.').slice(-2).join('.');
