// Defines the interface of receivers, what they get from the daemon, and how a queued notification leaves it.

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { AlertStore, Loss, NewNotification, StoredAlert } from '../../store/alert-store.ts';
import type { Annotate } from '../annotations.ts';
import type { AlertDescriber, NotificationContent, ReportContent } from '../notification.ts';

/** The result of a request (a `failed` one is retried), or why a notification was not delivered (`given_up`, `dropped`). */
type NotificationResult = 'sent' | 'failed' | 'given_up' | 'dropped';

/** What became of a notification; see NotificationResult. */
export interface Outcome {
  readonly result: 'sent' | Loss;
  /** ms. */
  readonly at: number;
}

/** Two groups may be notified of at the same time, but each of them only once. */
export interface NotificationKey {
  readonly groupKey: string;
  readonly createdAt: number;
}

export interface Receiver extends AsyncDisposable {
  readonly name: string;
  /** How many notifications or alerts wait to be delivered. */
  readonly waiting: number;
  /** Since when deliveries have failed while something waits (ms); undefined while they work. */
  readonly waitingSince: number | undefined;
  /** Since when the receiver has accepted nothing (ms); undefined while it accepts what it gets. */
  readonly failingSince: number | undefined;
  /** Whether the receiver has accepted something since the start, or nothing has waited for it. */
  readonly isProven: boolean;
  /** Returns what became of a notification; undefined while it waits. Only receivers of notifications have it. */
  outcomeOf?(notification: NotificationKey): Promise<Outcome | undefined>;
  /** Queues a notification that the store could not save. Only receivers of notifications have it. */
  queueUnstored?(notification: NewNotification): void;
  /** Called when alerts have begun to fire or ended. Only receivers that get all alerts have it. */
  alertsChanged?(): void;
  /** Called when notifications may have been queued. Only receivers of notifications have it. */
  notificationsQueued?(): void;
  /** Called about every second. */
  tick(): void;
  /** Resolves when no request is in flight. */
  idle(): Promise<void>;
}

/** What all receivers of the daemon share. */
export interface ReceiverContext {
  readonly store: AlertStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: string;
  readonly describe: AlertDescriber;
  readonly annotate: Annotate;
  /** Returns all firing alerts, and those that ended recently. */
  alerts(): { readonly firing: readonly StoredAlert[]; readonly ended: readonly StoredAlert[] };
  /** Whether the daemon evaluates alerts and the store accepts writes. */
  isHealthy(): Promise<boolean>;
  count(receiver: string, result: NotificationResult, number?: number): void;
}

export interface OutgoingNotification {
  /** Lets the receiver recognize a notification that it already got. */
  readonly id: string;
  readonly content: NotificationContent | ReportContent;
}

export type Delivery =
  | {
      readonly isDelivered: true;
      /** What the receiver answered, such as `answered 200`. */
      readonly reply: string;
    }
  | {
      readonly isDelivered: false;
      readonly reason: string;
      /** The beginning of the receiver's answer, without secrets; undefined if there was none. */
      readonly answer?: string | undefined;
      /** The HTTP status; undefined if there was no response. */
      readonly status?: number;
      /** Whether a retry is pointless. */
      readonly isFinal: boolean;
      /** How long the receiver asks to wait (ms). */
      readonly retryAfterMs?: number | undefined;
    };

export type Failure = Extract<Delivery, { isDelivered: false }>;

/** Closing it aborts deliveries that are in progress. */
export interface Transport extends AsyncDisposable {
  /** Never rejects. Returns undefined if the transport was closed meanwhile. */
  send(notification: OutgoingNotification): Promise<Delivery | undefined>;
}

/** What a transport needs of the daemon. */
export type TransportContext = Pick<ReceiverContext, 'clock' | 'log' | 'userAgent' | 'annotate'>;
