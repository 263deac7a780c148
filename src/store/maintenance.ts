// Defines the store's maintenance, which rolls up history and deletes old data so that the store stays small.

import type { Progress } from '../lib/progress.ts';

/** How long each resolution of history is kept (ms). None is shorter than the one before. */
export interface Retention {
  /** History as polled. */
  readonly rawMs: number;
  /** History by hour. */
  readonly hourlyMs: number;
  /** History by day; also data that was removed or is no longer configured. */
  readonly dailyMs: number;
}

/** The configured parts of an account, which are kept no matter how old they are. */
export interface RetainedAccount {
  readonly name: string;
  /** Time zone of the provider's datetimes. Hours and days of the history begin on its boundaries. */
  readonly zone: string;
  /** Names of its configured graphs. */
  readonly graphs: readonly string[];
  /** Whether its users are polled. */
  readonly areUsersPolled: boolean;
}

export interface MaintenancePlan {
  readonly now: number;
  readonly retention: Retention;
  readonly accounts: readonly RetainedAccount[];
  /** Ends the maintenance between two slices. The next one does the rest. */
  readonly signal: AbortSignal;
  /** Called with the progress, which starts again for each unit: graphs, accounts, tables and pages. */
  readonly progress?: (progress: Progress) => void;
}

export interface MaintenanceReport {
  /** Rows deleted, including those that were rolled up. */
  readonly deletedRows: number;
}
