// Explains for each receiver why it was notified of an alert, or not. It reads what the dispatcher knows, and changes nothing.

import type { StoredAlert } from '../../store/alert-store.ts';
import type { ActiveAlerts } from '../active.ts';
import type { Group } from '../dispatch/group.ts';
import type { Ledger } from '../dispatch/ledger.ts';
import type { ReceiverEntry } from '../receivers/receivers.ts';
import { isFiring } from '../state.ts';
import type { ReadMutes } from './mute-reasons.ts';
import { nextNotificationAt } from './next-notification.ts';
import { type Notice, type NoticeState, noticeState, reason } from './notice.ts';
import { noticeText } from './notice-text.ts';
import { explainRouted } from './routed-notice.ts';

export interface ExplainerOptions {
  readonly active: ActiveAlerts;
  readonly mutes: ReadMutes;
  readonly receivers: readonly ReceiverEntry[];
  /** ms. */
  readonly now: number;
  /** Whether the store rejects new notifications. */
  readonly isStoreFailing: boolean;
  ledgerOf(receiver: string): Ledger | undefined;
  /** When the pending alert fires if its condition still holds then (ms); null if that is unknown. */
  firesAt(alert: StoredAlert): number | null;
}

/** Explains alerts at one time. Use another one for each request. */
export class Explainer {
  readonly #options: ExplainerOptions;
  /** A page has many alerts of the same groups. */
  readonly #nextNotifications = new Map<Group, Promise<number>>();

  constructor(options: ExplainerOptions) {
    this.#options = options;
  }

  /** Returns a notice for each receiver, in the order of the configuration. */
  async noticesOf(alert: StoredAlert): Promise<Notice[]> {
    const notices: Notice[] = [];
    for (const entry of this.#options.receivers) {
      const state = withFailure(await this.#stateOf(alert, entry), entry);
      const { name, type } = entry.options;
      notices.push({ ...state, receiver: name, type, text: noticeText(alert, state, entry.options) });
    }
    return notices;
  }

  async #stateOf(alert: StoredAlert, entry: ReceiverEntry): Promise<NoticeState> {
    const { options, receiver } = entry;
    if (options.type === 'heartbeat') return noticeState('no_alerts');
    const ledger = this.#options.ledgerOf(options.name);
    if (!ledger) return this.#unroutedState(alert);
    const { active, mutes, now, isStoreFailing, firesAt } = this.#options;
    const surroundings = { active, mutes, now, route: ledger.route };
    return await explainRouted(alert, ledger, {
      ...{ ...surroundings, receiver, isStoreFailing, firesAt },
      nextNotificationAt: (group) => {
        const next = this.#nextNotifications.get(group) ?? nextNotificationAt(group, surroundings);
        this.#nextNotifications.set(group, next);
        return next;
      },
    });
  }

  /** An Alertmanager gets every firing alert. */
  #unroutedState(alert: StoredAlert): NoticeState {
    if (isFiring(alert)) return noticeState('notified');
    const until = this.#options.firesAt(alert);
    return noticeState('kept_back', { reasons: [reason('pending', { until })] });
  }
}

/** Adds since when the receiver fails, and whether that is what the notification waits for. */
const withFailure = (state: NoticeState, { options, receiver }: ReceiverEntry): NoticeState => {
  const { failingSince } = receiver;
  if (failingSince === undefined) return state;
  const isUndelivered =
    state.reasons.some(({ reason }) => reason === 'delivery') ||
    (options.type === 'alertmanager' && state.status === 'notified');
  return { ...state, failingSince, ...(isUndelivered && { status: 'delivery_failing' }) };
};
