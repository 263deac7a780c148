// Defines a job of the runner: one collector of one account.

import type { Outcome } from '../collectors/collector.ts';
import type { Log } from '../lib/log.ts';
import type { Progress } from '../lib/progress.ts';
import type { AccountTrouble } from './outage-log.ts';

export interface Job {
  readonly account: string;
  readonly collector: string;
  /** The log of its runs. The default is a child of the runner's log. */
  readonly log?: Log;
  /** Collectors of the account. If one of them is running, a run of this job waits until it has ended. */
  readonly after?: readonly string[];
  /** Collectors of the account. After their runs this job is rendered again, because it shows their data. */
  readonly renderAfter?: readonly string[];
  /** Cron expressions. A slot of any of them starts a run. The first one is the collector's own schedule. */
  readonly schedules: readonly string[];
  /** The time zone of the schedules. */
  readonly zone: string;
  /** `endsAt` is the deadline at which the run is aborted, on the monotonic clock (ms). */
  collect(signal: AbortSignal, progress: (progress: Progress) => void, endsAt: number): Promise<Outcome>;
  /** Renders the job's metrics from the store. It is called after every run, also a failed one. */
  render(): Promise<void>;
  /** How long a run may take without a line about its progress (ms), because that is usual. */
  readonly quietMs?: number | undefined;
  /** Whether requests wait because the provider asked for fewer requests. Then a slow run is not at fault. */
  isThrottled(): boolean;
  isProviderUnreached(): boolean;
  /** Until when the current run waits because the provider answered 429 (ms since the epoch); undefined if it does not wait. */
  readonly waitsUntil?: number | undefined;
  /** Why runs of all collectors of the account may fail now. */
  trouble(): AccountTrouble;
}

export interface JobStatus {
  readonly account: string;
  readonly collector: string;
  /** When the current run started (ms); null if there is none. */
  readonly runningSince: number | null;
  readonly progress: Progress | null;
  /** Until when the current run waits because the provider answered 429 (ms); null if it does not wait. */
  readonly waitsUntil: number | null;
  /** When the next run is due (ms). */
  readonly nextAt: number;
  /** The current gap between two slots of the schedule (ms). */
  readonly intervalMs: number;
}

export interface RunInProgress extends Pick<JobStatus, 'account' | 'collector' | 'progress'> {
  readonly runningSince: number;
}

export type RunnerResult = 'ok' | 'partial' | 'failed' | 'skipped';
