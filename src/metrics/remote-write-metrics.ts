// Defines and holds the metrics of remote write, by receiver.

import type { Registry } from 'prom-client';
import { counters, gauges } from '../collectors/families.ts';
import type { Clock } from '../lib/clock.ts';
import type { SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import { promCounter } from './prom-client-metrics.ts';

const families = {
  ...counters(['receiver', 'result'], {
    proxywatch_remote_write_samples_total:
      'Number of samples since the daemon started, by what became of them: accepted or refused by the receiver, or expired, because the store rolled up or deleted them before the receiver got them. Samples that were sent once more after the receiver had accepted them are repeated.',
  }),
  ...counters(['receiver'], {
    proxywatch_remote_write_bytes_total:
      'Number of bytes of all requests to the receiver since the daemon started, after compression, also of repeated requests.',
    proxywatch_remote_write_failures_total:
      'Number of requests since the daemon started that the receiver neither accepted nor refused. proxywatch repeats them.',
  }),
  ...gauges(['receiver'], {
    proxywatch_remote_write_lag_seconds:
      'Time for which the receiver has taken nothing although settled history waits, in seconds; 0 if it has everything. The series is missing before the first look.',
  }),
} as const;

export const REMOTE_WRITE_FAMILIES = Object.values(families);

const RESULTS = ['accepted', 'refused', 'expired', 'repeated'] as const;

type Counts = Readonly<Partial<Record<(typeof RESULTS)[number] | 'bytes' | 'failures', number>>>;

/** A receiver, and since when samples have waited for it (ms since the epoch); null if it has all. */
interface WatchedReceiver {
  readonly name: string;
  readonly waitingSince: number | null | undefined;
  /** Whether the receiver has accepted samples since the start, or has everything. */
  readonly isProven: boolean;
}

export class RemoteWriteMetrics {
  readonly #samples;
  readonly #bytes;
  readonly #failures;
  #receivers: () => readonly WatchedReceiver[] = () => [];
  #clock: Pick<Clock, 'now'> = { now: () => 0 };

  constructor(registry: Registry) {
    this.#samples = promCounter(families.proxywatch_remote_write_samples_total, registry);
    this.#bytes = promCounter(families.proxywatch_remote_write_bytes_total, registry);
    this.#failures = promCounter(families.proxywatch_remote_write_failures_total, registry);
  }

  get receivers(): readonly WatchedReceiver[] {
    return this.#receivers();
  }

  watch(receivers: () => readonly WatchedReceiver[], clock: Pick<Clock, 'now'>): void {
    this.#receivers = receivers;
    this.#clock = clock;
  }

  counted(receiver: string, { bytes = 0, failures = 0, ...samples }: Counts): void {
    for (const result of RESULTS) this.#samples.inc({ receiver, result }, samples[result] ?? 0);
    this.#bytes.inc({ receiver }, bytes);
    this.#failures.inc({ receiver }, failures);
  }

  writeGauges(sink: SampleSink): void {
    for (const { name: receiver, waitingSince } of this.#receivers()) {
      const now = this.#clock.now();
      const lag = waitingSince === undefined ? undefined : Math.max(0, now - (waitingSince ?? now)) / SECOND;
      sink.sample(families.proxywatch_remote_write_lag_seconds, { receiver }, lag);
    }
  }
}
