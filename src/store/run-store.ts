// Defines the store of runs, which keeps the last run of each account and collector.

export type RunResult = 'ok' | 'partial' | 'failed';

export interface FinishedRun {
  readonly account: string;
  readonly collector: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly result: RunResult;
  /** Whether the run read the collector's main data: always if ok, never if failed, and sometimes if partial. */
  readonly isSuccess: boolean;
  /** Kind of the first error, if there was one. */
  readonly errorKind: string | null;
  /** Message of that error for operators, without secrets. */
  readonly errorMessage: string | null;
  /** Items that did not decode. */
  readonly skippedItems: number;
  /** Parts that failed while others succeeded. */
  readonly failingParts: number;
  /** The schedule's current interval (ms). */
  readonly intervalMs: number;
  /** How long the whole listing takes (ms), over all its runs: measured if it is complete, estimated before. */
  readonly pass?: { readonly ms: number; readonly isComplete: boolean } | undefined;
}

export interface RunState extends Omit<FinishedRun, 'pass'> {
  /** When a run last succeeded (ms). */
  readonly lastSuccessAt: number | null;
  /** Failed runs in a row. */
  readonly failures: number;
  /**
   * Since when runs are made without a gap of several intervals (ms). Data may be older because nothing polled before.
   */
  readonly watchedSince: number;
  /** How long the last whole listing took, or the current one is estimated to take if longer (ms); 0 if unknown. */
  readonly wholeListingMs: number;
}

export interface RunStore {
  /** A failed run does not change the skipped items and the failing parts. */
  record(run: FinishedRun): Promise<void>;
  /** Sets `watchedSince` to `now` (ms) if the collector's last run is several intervals old. */
  watch(account: string, collector: string, now: number): Promise<void>;
  /** Returns the last run of each collector of the account. */
  states(account: string): Promise<RunState[]>;
}
