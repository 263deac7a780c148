// Defines how a queued notification leaves the daemon: as a request to a webhook, or as an email.

import type { NotificationContent } from '../notification.ts';
import type { ReceiverContext } from './receiver.ts';

export interface OutgoingNotification {
  /** Lets the receiver recognize a notification that it already got. */
  readonly id: string;
  readonly content: NotificationContent;
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
