// The daemon's own metrics: they start with the process, and are read at scrape time.

import { Registry } from 'prom-client';
import type { Family, SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import {
  API_CONFIGURED,
  API_DURATION,
  API_KEYS_REJECTED_SINCE,
  API_LAST_SUCCESS,
  API_LIMIT,
  API_PAUSED_UNTIL,
  API_REFUSED_SINCE,
  API_REJECTED_SINCE,
  API_REQUESTS,
  API_UNREACHED,
  API_WAITING,
  BUILD_INFO,
  CLOCK_OFFSET,
  COLLECTOR_RUNS,
  DAEMON_FAMILIES,
  INCONSISTENT_ANSWERS,
  ITEMS_SKIPPED,
  NOTIFICATIONS,
  NOTIFICATIONS_WAITING,
  NOTIFICATIONS_WAITING_SINCE,
  RELOAD_SUCCESSFUL,
  RELOAD_TIMESTAMP,
} from './daemon-families.ts';
import type { MetricSource } from './exposition.ts';
import { collectProcessMetrics, promCounter, promHistogram, writeMetric } from './prom-client-metrics.ts';
import { StoreMetrics } from './store-metrics.ts';

export interface Versions {
  readonly version: string;
  /** As in `process.versions.node`. */
  readonly nodeVersion: string;
}

export interface Pace {
  /** Requests that wait for their turn. */
  readonly waiting: number;
  readonly limitPerSecond: number;
  readonly configuredPerSecond: number;
}

/** How an account's endpoints answer; times in ms. */
export interface Standing {
  readonly endpoints: readonly {
    readonly endpoint: string;
    readonly lastSuccessAt: number | null;
    readonly rejectedSince: number | null;
    readonly refusedSince: number | null;
    readonly pausedUntil: number | null;
  }[];
  readonly unreached: { readonly since: number; readonly newestAt: number } | null;
  /** Since when the account's keys are rejected. */
  readonly keysRejectedSince: number | null;
}

/** A receiver of alerts. */
export interface ReceiverState {
  readonly name: string;
  /** How much waits to be taken. */
  readonly waiting: number;
  /** Since when it takes nothing (ms). */
  readonly waitingSince: number | undefined;
}

const NOTIFICATION_RESULTS = ['sent', 'failed', 'given_up', 'dropped'] as const;
type NotificationResult = (typeof NOTIFICATION_RESULTS)[number];

const RUN_RESULTS = ['ok', 'partial', 'failed', 'skipped'] as const;
type RunnerResult = (typeof RUN_RESULTS)[number];

/** By endpoint, how its answers can contradict themselves. */
const CONTRADICTIONS: Readonly<Record<string, readonly string[]>> = {
  'analytics/graph': ['buckets_below_totals', 'buckets_above_totals'],
};
const USUAL_CODES = ['200', '429', '500', 'timeout', 'network', 'bad_response'];
const API_BOUNDS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Counters and histograms are prom-client's. Gauges are not: without labels it shows them as 0 before
 * they were ever set, and a 0 is a false alarm.
 */
export class DaemonMetrics implements MetricSource {
  readonly #versions: Versions;
  readonly #registry = new Registry();
  readonly families: readonly Family[] = [...DAEMON_FAMILIES, ...collectProcessMetrics(this.#registry)];
  readonly #apiRequests = promCounter(API_REQUESTS, this.#registry);
  readonly #inconsistent = promCounter(INCONSISTENT_ANSWERS, this.#registry);
  readonly #apiDuration = promHistogram(API_DURATION, API_BOUNDS_SECONDS, this.#registry);
  readonly #runs = promCounter(COLLECTOR_RUNS, this.#registry);
  readonly #skipped = promCounter(ITEMS_SKIPPED, this.#registry);
  readonly store = new StoreMetrics(this.#registry);
  readonly #notifications = promCounter(NOTIFICATIONS, this.#registry);
  readonly #paces = new Map<string, Pace>();
  readonly #standings = new Map<string, () => Standing>();
  readonly #clockOffsets = new Map<string, number>();
  /** By account: the collectors and endpoints that there is something to say of. */
  readonly #shown = new Map<string, Set<string>>();
  #receivers: () => readonly ReceiverState[] = () => [];
  #lastReloadSuccessful: 0 | 1 | undefined;
  #loadedAt: number | undefined;

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  /** Shows the usual codes of an endpoint at 0, so that the first failure is an increase. */
  expectEndpoint(account: string, endpoint: string): void {
    this.#show(account, endpoint);
    for (const code of USUAL_CODES) this.#apiRequests.inc({ account, endpoint, code }, 0);
    for (const what of CONTRADICTIONS[endpoint] ?? []) this.#inconsistent.inc({ account, endpoint, what }, 0);
  }

  /** An answer contradicts itself but was stored. */
  answerInconsistent(account: string, endpoint: string, what: string): void {
    this.#inconsistent.inc({ account, endpoint, what });
  }

  /** `code` is the HTTP status, or `timeout`, `network` or `bad_response`. */
  requestEnded(account: string, endpoint: string, code: string, durationMs: number): void {
    this.#show(account, endpoint);
    this.#apiRequests.inc({ account, endpoint, code });
    this.#apiDuration.observe({ account, endpoint }, durationMs / SECOND);
  }

  /** The pace is read at every scrape until the account is forgotten. */
  watchPace(account: string, pace: Pace): void {
    this.#paces.set(account, pace);
  }

  /** How endpoints answer is read at every scrape until the account is forgotten. */
  watchEndpoints(account: string, standing: () => Standing): void {
    this.#standings.set(account, standing);
  }

  /** The provider's clock minus ours was `offsetMs` in its last answer. */
  clockSeen(account: string, offsetMs: number): void {
    this.#clockOffsets.set(account, offsetMs);
  }

  /** Shows all results of a collector, and its skipped items, at 0. */
  expectCollector(account: string, collector: string): void {
    this.#show(account, collector);
    for (const result of RUN_RESULTS) this.#runs.inc({ account, collector, result }, 0);
    this.#skipped.inc({ account, collector }, 0);
  }

  runEnded(account: string, collector: string, result: RunnerResult): void {
    this.#show(account, collector);
    this.#runs.inc({ account, collector, result });
  }

  itemsSkipped(account: string, collector: string, count: number): void {
    this.#show(account, collector);
    this.#skipped.inc({ account, collector }, count);
  }

  /** The receivers of alerts are read at every scrape; nothing is shown of those that are gone. */
  watchReceivers(receivers: () => readonly ReceiverState[]): void {
    this.#receivers = receivers;
  }

  /** So many requests or notices to the receiver came to this end. */
  notified(receiver: string, result: NotificationResult, count = 1): void {
    this.#notifications.inc({ receiver, result }, count);
  }

  /** The configuration was loaded, or an attempt to load it failed, at `at` (ms since the epoch). */
  reloaded(successful: boolean, at: number): void {
    this.#lastReloadSuccessful = successful ? 1 : 0;
    if (successful) this.#loadedAt = at;
  }

  /** Whether the newest attempt to load the configuration succeeded. */
  get isReloadSuccessful(): boolean {
    return this.#lastReloadSuccessful !== 0;
  }

  /**
   * Shows nothing of the account until something of it is expected or counted again. What was counted is kept:
   * an account that comes back goes on counting, where a counter that fell would be taken for a restart.
   */
  forgetAccount(account: string): void {
    this.#paces.delete(account);
    this.#standings.delete(account);
    this.#clockOffsets.delete(account);
    this.#shown.delete(account);
  }

  /** The same for a collector or an endpoint of an account that stays. */
  forget(account: string, subject: string): void {
    this.#shown.get(account)?.delete(subject);
  }

  async write(sink: SampleSink): Promise<void> {
    this.#writeGauges(sink);
    const receivers = new Set(this.#receivers().map(({ name }) => name));
    for (const receiver of receivers)
      for (const result of NOTIFICATION_RESULTS) this.notified(receiver, result, 0);
    const metrics = await this.#registry.getMetricsAsJSON();
    const byName = new Map(metrics.map((metric) => [metric.name, metric]));
    for (const family of this.families) {
      const values = byName.get(family.name)?.values ?? [];
      const shown = values.filter(({ labels }) => this.#isShown(labels) && !isOfOther(receivers, labels));
      writeMetric(sink, family, shown);
    }
  }

  #show(account: string, subject: string): void {
    const subjects = this.#shown.get(account) ?? new Set();
    this.#shown.set(account, subjects.add(subject));
  }

  #isShown({ account, collector, endpoint }: Readonly<Record<string, string | number | undefined>>): boolean {
    return account === undefined || !!this.#shown.get(String(account))?.has(String(collector ?? endpoint));
  }

  #writeGauges(sink: SampleSink): void {
    const { version, nodeVersion } = this.#versions;
    sink.sample(BUILD_INFO, { version, node_version: nodeVersion }, 1);
    for (const [account, { waiting, limitPerSecond, configuredPerSecond }] of this.#paces) {
      sink.sample(API_WAITING, { account }, waiting);
      sink.sample(API_LIMIT, { account }, limitPerSecond);
      sink.sample(API_CONFIGURED, { account }, configuredPerSecond);
    }
    this.#writeStandings(sink);
    for (const [account, offsetMs] of this.#clockOffsets) {
      sink.sample(CLOCK_OFFSET, { account }, offsetMs / SECOND);
    }
    this.store.writeGauges(sink);
    sink.sample(RELOAD_SUCCESSFUL, {}, this.#lastReloadSuccessful);
    sink.sample(RELOAD_TIMESTAMP, {}, this.#loadedAt && this.#loadedAt / SECOND);
    for (const { name: receiver, waiting, waitingSince } of this.#receivers()) {
      sink.sample(NOTIFICATIONS_WAITING, { receiver }, waiting);
      sink.sample(NOTIFICATIONS_WAITING_SINCE, { receiver }, waitingSince && waitingSince / SECOND);
    }
  }

  #writeStandings(sink: SampleSink): void {
    for (const [account, standing] of this.#standings) {
      const { endpoints, unreached, keysRejectedSince } = standing();
      for (const { endpoint, lastSuccessAt, rejectedSince, refusedSince, pausedUntil } of endpoints) {
        const labels = { account, endpoint };
        sink.sample(API_PAUSED_UNTIL, labels, inSeconds(pausedUntil));
        sink.sample(API_REFUSED_SINCE, labels, inSeconds(refusedSince));
        sink.sample(API_REJECTED_SINCE, labels, inSeconds(rejectedSince));
        sink.sample(API_LAST_SUCCESS, labels, inSeconds(lastSuccessAt));
      }
      sink.sample(API_KEYS_REJECTED_SINCE, { account }, inSeconds(keysRejectedSince));
      if (unreached) sink.sample(API_UNREACHED, { account }, (unreached.newestAt - unreached.since) / SECOND);
    }
  }
}

const inSeconds = (ms: number | null): number | null => ms && ms / SECOND;

type Labels = Readonly<Record<string, string | number | undefined>>;

const isOfOther = (receivers: ReadonlySet<string>, { receiver }: Labels): boolean =>
  receiver !== undefined && !receivers.has(String(receiver));
