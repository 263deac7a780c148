// Holds the metrics about the daemon itself. They start with the process and are read at scrape time.

import { Registry } from 'prom-client';
import { sampleAll } from '../collectors/families.ts';
import type { Family, SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import { DAEMON_FAMILIES, families } from './daemon-families.ts';
import type { MetricSource } from './exposition.ts';
import {
  collectProcessMetrics,
  EventLoopLag,
  promCounter,
  promHistogram,
  writeMetric,
} from './prom-client-metrics.ts';
import { ProviderGauges } from './provider-gauges.ts';
import { REMOTE_WRITE_FAMILIES, RemoteWriteMetrics } from './remote-write-metrics.ts';
import { BackupMetrics, StoreMetrics } from './store-metrics.ts';

export interface Versions {
  readonly version: string;
  /** The value of `process.versions.node`. */
  readonly nodeVersion: string;
  /** The number of this shard from 0, and how many there are. By default the daemon is the only one. */
  readonly shard?: { readonly index: number; readonly count: number };
}

export interface ReceiverState {
  readonly name: string;
  /** How many notifications or alerts wait to be delivered. */
  readonly waiting: number;
  /** Since when deliveries have failed (ms since the epoch); undefined while they work. */
  readonly waitingSince: number | undefined;
}

const NOTIFICATION_RESULTS = ['sent', 'failed', 'given_up', 'dropped'] as const;
type NotificationResult = (typeof NOTIFICATION_RESULTS)[number];

const RUN_RESULTS = ['ok', 'partial', 'failed', 'skipped'] as const;
type RunnerResult = (typeof RUN_RESULTS)[number];

/** By endpoint: the ways in which its answers can contradict themselves. */
const INCONSISTENCIES: Readonly<Record<string, readonly string[]>> = {
  'analytics/graph': ['buckets_below_totals', 'buckets_above_totals'],
};
const USUAL_CODES = ['200', '429', '500', 'timeout', 'network', 'bad_response'];
const API_BOUNDS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Counters and histograms are those of prom-client. Gauges are not, because prom-client shows a gauge without labels as
 * 0 before it is first set, and a 0 would be a false alarm.
 */
export class DaemonMetrics implements MetricSource {
  readonly #versions: Versions;
  readonly #registry = new Registry();
  readonly families: readonly Family[] = [...DAEMON_FAMILIES, ...collectProcessMetrics(this.#registry)];
  readonly #apiRequests = promCounter(families.proxywatch_api_requests_total, this.#registry);
  readonly #inconsistent = promCounter(families.proxywatch_inconsistent_answers_total, this.#registry);
  readonly #apiDuration = promHistogram(
    families.proxywatch_api_request_duration_seconds,
    API_BOUNDS_SECONDS,
    this.#registry,
  );
  readonly #runs = promCounter(families.proxywatch_collector_runs_total, this.#registry);
  readonly #skipped = promCounter(families.proxywatch_items_skipped_total, this.#registry);
  readonly provider = new ProviderGauges();
  readonly store = new StoreMetrics(this.#registry);
  readonly backups = new BackupMetrics(this.#registry);
  readonly remoteWrite = new RemoteWriteMetrics(this.#registry);
  readonly #lag = new EventLoopLag();
  readonly #notifications = promCounter(families.proxywatch_notifications_total, this.#registry);
  /** By account: the collectors and endpoints whose counters and histograms are shown. */
  readonly #shown = new Map<string, Set<string>>();
  #receivers: () => readonly ReceiverState[] = () => [];
  #lastReloadSuccessful: 0 | 1 | undefined;
  #loadedAt: number | undefined;

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  /** Shows the usual codes of an endpoint with value 0, so that `increase()` sees the first failure. */
  expectEndpoint(account: string, endpoint: string): void {
    this.#show(account, endpoint);
    for (const code of USUAL_CODES) this.#apiRequests.inc({ account, api_endpoint: endpoint, code }, 0);
    for (const what of INCONSISTENCIES[endpoint] ?? [])
      this.#inconsistent.inc({ account, api_endpoint: endpoint, what }, 0);
  }

  /** Counts an answer that contradicts itself but was stored. */
  answerInconsistent(account: string, endpoint: string, what: string): void {
    this.#inconsistent.inc({ account, api_endpoint: endpoint, what });
  }

  /** Counts a request and its duration. `code` is the HTTP status, or `timeout`, `network` or `bad_response`. */
  requestEnded(account: string, endpoint: string, code: string, durationMs: number): void {
    this.#show(account, endpoint);
    this.#apiRequests.inc({ account, api_endpoint: endpoint, code });
    this.#apiDuration.observe({ account, api_endpoint: endpoint }, durationMs / SECOND);
  }

  /** Shows all results of a collector, and its skipped items, with value 0. */
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

  /** Reads the receivers at every scrape. Removed receivers are not shown. */
  watchReceivers(receivers: () => readonly ReceiverState[]): void {
    this.#receivers = receivers;
  }

  notified(receiver: string, result: NotificationResult, count = 1): void {
    this.#notifications.inc({ receiver, result }, count);
  }

  /** Records an attempt to load the configuration at `at` (ms since the epoch). */
  reloaded(successful: boolean, at: number): void {
    this.#lastReloadSuccessful = successful ? 1 : 0;
    if (successful) this.#loadedAt = at;
  }

  /** Whether the newest attempt to load the configuration succeeded. */
  get isReloadSuccessful(): boolean {
    return this.#lastReloadSuccessful !== 0;
  }

  /**
   * Hides the account until something of it is expected or counted again. Its counts are kept, so that the counters of
   * an account that comes back continue. Prometheus would take a lower counter for a restart of the daemon.
   */
  forgetAccount(account: string): void {
    this.provider.forgetAccount(account);
    this.#shown.delete(account);
  }

  /** Does the same for a collector or an endpoint of an account that stays. */
  forget(account: string, subject: string): void {
    this.#shown.get(account)?.delete(subject);
  }

  async write(sink: SampleSink): Promise<void> {
    this.#writeGauges(sink);
    for (const { name } of this.#receivers())
      for (const result of NOTIFICATION_RESULTS) this.notified(name, result, 0);
    for (const { name } of this.remoteWrite.receivers) this.remoteWrite.counted(name, {});
    const metrics = await this.#registry.getMetricsAsJSON();
    const byName = new Map(metrics.map((metric) => [metric.name, metric]));
    for (const family of this.families) {
      const values = byName.get(family.name)?.values ?? [];
      const shown = values.filter(
        ({ labels }) => this.#isShown(labels) && this.#isOfReceiver(family.name, labels),
      );
      writeMetric(sink, family, this.#lag.correct(family.name, shown));
    }
  }

  /** Receivers of notifications and those of remote write may have the same names. */
  #isOfReceiver(family: string, { receiver }: Labels): boolean {
    if (receiver === undefined) return true;
    const receivers = REMOTE_WRITE_NAMES.has(family) ? this.remoteWrite.receivers : this.#receivers();
    return receivers.some(({ name }) => name === receiver);
  }

  #show(account: string, subject: string): void {
    const subjects = this.#shown.get(account) ?? new Set();
    this.#shown.set(account, subjects.add(subject));
  }

  #isShown({ account, collector, api_endpoint }: Labels): boolean {
    return (
      account === undefined || !!this.#shown.get(String(account))?.has(String(collector ?? api_endpoint))
    );
  }

  #writeGauges(sink: SampleSink): void {
    const { version, nodeVersion } = this.#versions;
    sink.sample(families.proxywatch_build_info, { version, node_version: nodeVersion }, 1);
    const { index, count } = this.#versions.shard ?? { index: 0, count: 1 };
    sink.sample(families.proxywatch_shard_info, { shard: `${index}`, shards: `${count}` }, 1);
    this.provider.writeGauges(sink);
    this.store.writeGauges(sink);
    this.backups.writeGauges(sink);
    this.remoteWrite.writeGauges(sink);
    sampleAll(sink, {}, families, {
      proxywatch_config_last_reload_successful: this.#lastReloadSuccessful,
      proxywatch_config_last_reload_success_timestamp_seconds: this.#loadedAt && this.#loadedAt / SECOND,
    });
    for (const { name: receiver, waiting, waitingSince } of this.#receivers()) {
      sampleAll(sink, { receiver }, families, {
        proxywatch_notifications_waiting: waiting,
        proxywatch_notifications_waiting_since_timestamp_seconds: waitingSince && waitingSince / SECOND,
      });
    }
  }
}

type Labels = Readonly<Record<string, string | number | undefined>>;

const REMOTE_WRITE_NAMES: ReadonlySet<string> = new Set(REMOTE_WRITE_FAMILIES.map(({ name }) => name));
