// Defines the store of the history of alerts: when each alert fired, and which receivers were notified.

import type { StoredAlert } from './alert-store.ts';

/** An alert from when it began to fire to its end (ms). Firing again, or with another severity, is another episode. */
export interface Episode extends Pick<StoredAlert, 'account' | 'alert' | 'labels' | 'severity'> {
  /** Rises with each episode, in the order in which they began to fire. */
  readonly id: number;
  /** When its condition began to hold. */
  readonly since: number;
  readonly firingSince: number;
  /** Null while it fires. */
  readonly endedAt: number | null;
  /** The value when it began to fire; null if it was not a finite number. */
  readonly value: number | null;
  /**
   * The newest value that the daemon knew when the alert ended; null while it fires. After a restart, the daemon knows
   * the value at the newest change of state until it evaluates the condition.
   */
  readonly lastValue: number | null;
  /** The receivers that were notified, ordered by name. Alertmanagers are not among them. */
  readonly notified: readonly EpisodeNotice[];
}

/** What became of the first notification of the beginning: accepted by the receiver, queued, or no longer sent. */
export type Delivery = 'accepted' | 'waiting' | 'given_up' | 'unknown';

export interface EpisodeNotice {
  readonly receiver: string;
  /** When the first notification of the beginning was queued; null if it knew the alert as firing already. */
  readonly firingAt: number | null;
  /** Unknown if `firingAt` is null, or after so many losses that the oldest are deleted. */
  readonly delivery: Delivery;
  /** When the notification of the end was queued; null if there was none. */
  readonly resolvedAt: number | null;
}

/** Selects episodes. What is not given selects all. */
export interface EpisodeFilter {
  /** '' is the daemon itself. */
  readonly accounts?: readonly string[] | undefined;
  readonly alert?: string | undefined;
  /** The value of a label other than `account`, or `label=value`, as in silences. */
  readonly subject?: string | undefined;
  /** A part of the name of the alert or account, or of the value of a label, in upper or lower case. */
  readonly text?: string | undefined;
  readonly severity?: string | undefined;
  readonly state?: 'firing' | 'resolved' | undefined;
  /** Only episodes that began to fire at this time or later (ms). */
  readonly from?: number | undefined;
  /** Only episodes that began to fire before this time (ms). */
  readonly to?: number | undefined;
  /** Only episodes that still fire, or that ended after this time (ms). */
  readonly endedAfter?: number | undefined;
}

export interface AlertHistoryStore {
  /** Returns the newest `limit` episodes, newest first, `before` an id if given. The event loop is free between slices. */
  page(filter: EpisodeFilter, limit: number, before?: number): Promise<Episode[]>;
}
