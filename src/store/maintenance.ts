// What is done now and then so that the store stays small: history rolled up, what is long gone deleted.

import type { Progress } from '../lib/progress.ts';

/** How long each tier of history is kept (ms); none is shorter than the one before. */
export interface Retention {
  /** As polled. */
  readonly rawMs: number;
  /** By hour. */
  readonly hourlyMs: number;
  /** By day; also how long what is gone, or configured no more, is kept. */
  readonly dailyMs: number;
}

/** What of an account is configured, and so kept however old it is. */
export interface KeptAccount {
  readonly name: string;
  /** Of the provider's datetimes: hours and days of the history begin on this zone's boundaries. */
  readonly zone: string;
  /** Names of its graphs. */
  readonly graphs: readonly string[];
  /** Whether its users are polled. */
  readonly hasUsers: boolean;
}

export interface MaintenancePlan {
  readonly now: number;
  readonly retention: Retention;
  readonly accounts: readonly KeptAccount[];
  /** Ends it between two slices; what is left is done the next time. */
  readonly signal: AbortSignal;
  /** Told how far it has come, by one kind of things after another: each starts anew. */
  readonly progress?: (progress: Progress) => void;
}

export interface MaintenanceReport {
  /** Rows deleted, those among them that were rolled up. */
  readonly deletedRows: number;
}
