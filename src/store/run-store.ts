// What became of the collectors' runs: the last one of each account and collector.

export type RunResult = 'ok' | 'partial' | 'failed';

export interface FinishedRun {
  readonly account: string;
  readonly collector: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly result: RunResult;
  /** Whether what the collector is there for was read: always of ok, never of failed, and of partial where it was. */
  readonly isSuccess: boolean;
  /** Kind of the first error, when there was one. */
  readonly errorKind: string | null;
  /** What an operator reads of it; free of secrets. */
  readonly errorMessage: string | null;
  /** Items that did not decode. */
  readonly skippedItems: number;
  /** Parts that fail while others go well. */
  readonly failingParts: number;
  /** The schedule's present gap (ms). */
  readonly intervalMs: number;
  /** How long reading all of a listing takes (ms), over all its runs: measured when it is done, estimated before. */
  readonly pass?: { readonly ms: number; readonly isWhole: boolean } | undefined;
}

export interface RunState extends Omit<FinishedRun, 'pass'> {
  /** When a run last was a success (ms). */
  readonly lastSuccessAt: number | null;
  /** Failed runs in a row. */
  readonly failures: number;
  /** Since when runs are made without a gap of several intervals (ms): what is older than that grew old while nobody polled. */
  readonly watchedSince: number;
  /** How long the last whole reading took (ms), or the present one is expected to when that is longer; 0 where none was told. */
  readonly passMs: number;
}

export interface RunStore {
  /** A failed run does not change the skipped items and the failing parts. */
  record(run: FinishedRun): Promise<void>;
  /** Has the collector be watched from `now` (ms) on, where its last run is several intervals old. */
  watch(account: string, collector: string, now: number): Promise<void>;
  /** The last run of every collector of the account. */
  states(account: string): Promise<RunState[]>;
}
