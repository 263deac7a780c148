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
  /** The schedule's present gap (ms). */
  readonly intervalMs: number;
}

export interface RunState extends FinishedRun {
  /** When a run last was a success (ms). */
  readonly lastSuccessAt: number | null;
  /** Failed runs in a row. */
  readonly failures: number;
}

export interface RunStore {
  record(run: FinishedRun): Promise<void>;
  /** The last run of every collector of the account. */
  states(account: string): Promise<RunState[]>;
}
