// Defines a pending or firing alert as the API and the status page show it.

/** Times are milliseconds since the epoch. */
export interface ActiveAlert {
  readonly alert: string;
  readonly severity: string;
  /** Have `account`, unless the alert is about the daemon itself. */
  readonly labels: Readonly<Record<string, string>>;
  /** When its condition began to hold. */
  readonly since: number;
  /** Null while it is pending. */
  readonly firingSince: number | null;
  /** Null if it is not a number. */
  readonly value: number | null;
  readonly summary: string;
  /** Says what it means, what happens next, and what to check first. Null for an alert that this version does not know. */
  readonly description: string | null;
  /** The URL of its documentation; null if the configuration does not have the documentation's address. */
  readonly runbook: string | null;
  /** Until when no receiver is notified about it, except Alertmanagers; null if it is not silenced. */
  readonly silencedUntil: number | null;
  /** What silences it now. */
  readonly silencedBy: readonly SilenceSource[];
}

/** The id and the comment of a silence, or the name of a maintenance window. */
export interface SilenceSource {
  readonly silence: string | null;
  readonly comment: string | null;
  readonly maintenance: string | null;
}
