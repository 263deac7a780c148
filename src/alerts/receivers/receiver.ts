// What a receiver is to the daemon, whichever its type.

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { AlertStore, NewNotice, StoredAlert } from '../../store/alert-store.ts';
import type { Teller } from '../notice.ts';

/** What became of a request (`failed` ones are tried again), or of a notice that was never taken. */
export type NotificationResult = 'sent' | 'failed' | 'given_up' | 'dropped';

export interface Receiver extends AsyncDisposable {
  readonly name: string;
  /** How much waits to be taken. */
  readonly waiting: number;
  /** Since when the receiver takes nothing although something waits (ms). */
  readonly waitingSince: number | undefined;
  /** Takes a notice that the store did not take, where the receiver is one of notices. */
  tell?(notice: NewNotice): void;
  /** Alerts have begun or ended. */
  changed(): void;
  /** Time has passed. */
  tick(): void;
  /** Resolves when no request is under way. */
  idle(): Promise<void>;
}

/** What the receivers of a daemon share. */
export interface ReceiverContext {
  readonly store: AlertStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: string;
  readonly teller: Teller;
  /** All that fire, and those that are over since a short time. */
  alerts(): { readonly firing: readonly StoredAlert[]; readonly ended: readonly StoredAlert[] };
  /** Whether the daemon evaluates alerts, and the store takes what it finds. */
  isHealthy(): Promise<boolean>;
  count(receiver: string, result: NotificationResult, number?: number): void;
}
