// Holds the metrics about the store: writes, size, epoch, maintenance and scheduled backups.

import type { Registry } from 'prom-client';
import { sampleAll } from '../collectors/families.ts';
import type { SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import type { StoreSize } from '../store/store.ts';
import { families } from './daemon-families.ts';
import { promCounter, promHistogram } from './prom-client-metrics.ts';

const MAINTENANCE_RESULTS = ['ok', 'failed'] as const;
const WRITE_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class StoreMetrics {
  readonly #writeErrors;
  readonly #writeDuration;
  readonly #maintenanceRuns;
  readonly #deletedRows;
  #size: (() => StoreSize) | undefined;
  /** Undefined until the first write. */
  #writeFailures: number | undefined;
  #epochBeganAt: number | null = null;
  #maintenanceMs: number | undefined;
  #maintainedAt: number | undefined;

  constructor(registry: Registry) {
    this.#writeErrors = promCounter(families.proxywatch_store_write_errors_total, registry);
    this.#writeDuration = promHistogram(
      families.proxywatch_store_write_duration_seconds,
      WRITE_BOUNDS_SECONDS,
      registry,
    );
    this.#maintenanceRuns = promCounter(families.proxywatch_store_maintenance_runs_total, registry);
    this.#deletedRows = promCounter(families.proxywatch_store_maintenance_deleted_rows_total, registry);
    for (const result of MAINTENANCE_RESULTS) this.#maintenanceRuns.inc({ result }, 0);
  }

  /** Reads the size at every scrape. The epoch began at `epochBeganAt` (ms); null if that is unknown. */
  watch(size: () => StoreSize, epochBeganAt: number | null = null): void {
    this.#size = size;
    this.#epochBeganAt = epochBeganAt;
  }

  /** Records a write to the store. It failed if there is an error. */
  written(durationMs: number, error?: unknown): void {
    this.#writeDuration.observe(durationMs / SECOND);
    this.#writeFailures = error === undefined ? 0 : this.writeFailures + 1;
    if (error !== undefined) this.#writeErrors.inc();
  }

  /** How many writes have failed in a row; 0 if the newest one succeeded. */
  get writeFailures(): number {
    return this.#writeFailures ?? 0;
  }

  /** Records maintenance that succeeded at `at` (ms since the epoch). */
  maintained(durationMs: number, deletedRows: number, at: number): void {
    this.#maintenanceRuns.inc({ result: 'ok' });
    this.#deletedRows.inc(deletedRows);
    this.#maintenanceMs = durationMs;
    this.#maintainedAt = at;
  }

  maintenanceFailed(durationMs: number): void {
    this.#maintenanceRuns.inc({ result: 'failed' });
    this.#maintenanceMs = durationMs;
  }

  writeGauges(sink: SampleSink): void {
    const size = this.#readSize();
    sampleAll(sink, {}, families, {
      proxywatch_store_size_bytes: size?.bytes,
      proxywatch_store_wal_size_bytes: size?.walBytes,
      proxywatch_store_consecutive_write_errors: this.#writeFailures,
      proxywatch_store_epoch_timestamp_seconds: this.#epochBeganAt && this.#epochBeganAt / SECOND,
      proxywatch_store_maintenance_duration_seconds: this.#maintenanceMs && this.#maintenanceMs / SECOND,
      proxywatch_store_maintenance_last_success_timestamp_seconds:
        this.#maintainedAt && this.#maintainedAt / SECOND,
    });
  }

  #readSize(): StoreSize | undefined {
    try {
      return this.#size?.();
    } catch {
      // A scrape must not fail with the store, because it reports that the store fails.
      return undefined;
    }
  }
}

interface BackupState {
  /** Time of the newest backup (ms); null if there is none. */
  readonly lastSuccessAt: number | null;
  readonly overdueMs: number;
}

export class BackupMetrics {
  readonly #backups;
  #state: (() => BackupState) | undefined;

  constructor(registry: Registry) {
    this.#backups = promCounter(families.proxywatch_store_backups_total, registry);
  }

  /** Reads the state at every scrape. There are no series before, because no backup is configured. */
  watch(state: () => BackupState): void {
    this.#state = state;
    for (const result of ['ok', 'failed']) this.#backups.inc({ result }, 0);
  }

  /** For how long a backup has been due (ms); 0 without scheduled backups. */
  get overdueMs(): number {
    return this.#state?.().overdueMs ?? 0;
  }

  /** Whether a backup exists; true without scheduled backups. */
  get hasBackup(): boolean {
    return this.#state?.().lastSuccessAt !== null;
  }

  ended(result: 'ok' | 'failed'): void {
    this.#backups.inc({ result });
  }

  writeGauges(sink: SampleSink): void {
    const state = this.#state?.();
    const lastSuccessAt = state?.lastSuccessAt ?? undefined;
    sampleAll(sink, {}, families, {
      proxywatch_store_backup_last_success_timestamp_seconds: lastSuccessAt && lastSuccessAt / SECOND,
      proxywatch_store_backup_overdue_seconds: state && state.overdueMs / SECOND,
    });
  }
}
