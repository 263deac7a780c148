// Holds the metrics about scheduled backups of the store.

import type { Registry } from 'prom-client';
import type { SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import { STORE_BACKUP_LAST_SUCCESS, STORE_BACKUP_OVERDUE, STORE_BACKUPS } from './daemon-families.ts';
import { promCounter } from './prom-client-metrics.ts';

export interface BackupState {
  /** Time of the newest backup (ms); null if there is none. */
  readonly lastSuccessAt: number | null;
  readonly overdueMs: number;
}

export class BackupMetrics {
  readonly #backups;
  #state: (() => BackupState) | undefined;

  constructor(registry: Registry) {
    this.#backups = promCounter(STORE_BACKUPS, registry);
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
    sink.sample(STORE_BACKUP_LAST_SUCCESS, {}, lastSuccessAt && lastSuccessAt / SECOND);
    sink.sample(STORE_BACKUP_OVERDUE, {}, state && state.overdueMs / SECOND);
  }
}
