// One collector of one account as the runner sees it.

import type { Outcome } from '../collectors/collector.ts';
import type { Progress } from '../lib/progress.ts';

export interface Job {
  readonly account: string;
  readonly collector: string;
  /** Collectors of the account that a run waits for when they are running as well. */
  readonly after?: readonly string[];
  /** Collectors of the account after whose runs this one is rendered too. */
  readonly shows?: readonly string[];
  /** Cron expressions; a slot of any of them starts a run. The first one is the collector's own. */
  readonly schedules: readonly string[];
  /** Zone of the schedules. */
  readonly zone: string;
  /** `endsAt`: when the run is cut short at the latest, on the monotonic clock (ms). */
  collect(signal: AbortSignal, progress: (progress: Progress) => void, endsAt: number): Promise<Outcome>;
  /** Renders what the store says after the run, whatever became of it. */
  render(): Promise<void>;
  /** Whether requests wait because the provider has asked for fewer: a run is not to blame for what that takes. */
  isThrottled(): boolean;
  /** Whether for a while nobody has answered any request of the account. */
  isUnreached(): boolean;
}

export interface JobStatus {
  readonly account: string;
  readonly collector: string;
  /** When the running run began (ms); null while none runs. */
  readonly runningSince: number | null;
  readonly progress: Progress | null;
  /** When the next run is due, and the schedule's present gap (ms). */
  readonly nextAt: number;
  readonly intervalMs: number;
}

export interface GoingRun extends Pick<JobStatus, 'account' | 'collector' | 'progress'> {
  readonly runningSince: number;
}

export type RunnerResult = 'ok' | 'partial' | 'failed' | 'skipped';

/** Whether a run of the job waits for one of `other`. */
export const waitsFor = ({ account, after = [] }: Job, other: Job): boolean =>
  other.account === account && after.includes(other.collector);

/** Whether the job is rendered after a run of `other` too. */
export const isShownAfter = ({ account, shows = [] }: Job, other: Job): boolean =>
  other.account === account && shows.includes(other.collector);
