// Explains why each receiver was notified of alerts or not, and why alerts are not active. It changes nothing.

import type { Episode } from '../../store/alert-history-store.ts';
import type { StoredAlert } from '../../store/alert-store.ts';
import {
  type EndedNotice,
  type InactiveAlert,
  type Notice,
  type NoticeState,
  noticeState,
  type Reason,
  reasonOf,
} from '../../store/notice.ts';
import type { AccountAlert, Alert, DaemonAlert } from '../alert.ts';
import type { Group, Surroundings } from '../dispatch/group.ts';
import { othersOf } from '../dispatch/group-notification.ts';
import type { NotifiedAlerts } from '../dispatch/notified-alerts.ts';
import type { AlertEngine } from '../engine.ts';
import { type Muting, mutingAt, type ReadMutes } from '../muting/alert-mutes.ts';
import type { Receiver } from '../receivers/receiver.ts';
import type { ReceiverEntry } from '../receivers/receivers.ts';
import { firesAt, isFiring, severityKey } from '../state.ts';
import { explainInactive, explainInactiveOfDaemon } from './inactive.ts';
import type { IsMatching } from './matching.ts';
import { explainEnded, noticeText } from './notice-text.ts';

export interface ExplainerOptions {
  readonly alerts: readonly Alert[];
  readonly engine: AlertEngine;
  readonly mutes: ReadMutes;
  readonly receivers: readonly ReceiverEntry[];
  /** ms. */
  readonly now: number;
  /** When alerts were last evaluated (ms); null before the first evaluation. */
  readonly evaluatedAt: number | null;
  readonly isStoreFailing: boolean;
}

/** An alert at a receiver whose notifications are filtered, grouped and queued. */
interface Routed {
  readonly alert: StoredAlert;
  readonly key: string;
  readonly notified: NotifiedAlerts;
  readonly group: Group | undefined;
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

  /** Returns which receivers were notified of an alert that ended at `endedAt` (ms). */
  ended(episode: Episode, endedAt: number): EndedNotice[] {
    const receivers = this.#options.receivers.map(({ options }) => options);
    return explainEnded({ ...episode, endedAt }, receivers, this.#options.mutes);
  }

  /** Returns why the alert about the account is not active for any subject for which `isMatching` holds. */
  async inactive(
    account: string,
    alert: AccountAlert,
    isMatching: IsMatching,
  ): Promise<InactiveAlert | undefined> {
    const { evaluation } = this.#options.engine;
    const conditions = evaluation.conditionsOf(account);
    const isEvaluated = evaluation.isEvaluated(account, alert.name);
    return conditions && (await explainInactive(account, alert, conditions, isMatching, isEvaluated));
  }

  inactiveOfDaemon(alert: DaemonAlert): InactiveAlert {
    const { engine, evaluatedAt } = this.#options;
    return explainInactiveOfDaemon(engine.evaluation.isDaemonAlertOn(alert), evaluatedAt !== null);
  }

  async #stateOf(alert: StoredAlert, { options, receiver }: ReceiverEntry): Promise<NoticeState> {
    if (options.type === 'heartbeat') return noticeState({ status: 'no_alerts' });
    const notified = this.#options.engine.dispatcher.notifiedOf(options.name);
    const pending = isFiring(alert) ? [] : [reasonOf('pending', { until: this.#firesAt(alert) })];
    // An Alertmanager gets every firing alert.
    if (!notified) return noticeState(pending.length > 0 ? { reasons: pending } : { status: 'notified' });
    const key = severityKey(alert);
    const routed = { alert, key, notified, group: notified.groupOf(key, alert) };
    const queuedAt = routed.group?.firstNotifiedAt.get(key);
    if (routed.group && queuedAt !== undefined && isFiring(alert))
      return this.#queuedState({ ...routed, group: routed.group, receiver }, queuedAt);
    const rejections = notified.route.rejections(alert);
    if (rejections.length > 0) return noticeState({ reasons: rejections });
    if (pending.length === 0) return this.#unqueuedState(routed);
    return noticeState({ reasons: [...pending, ...this.#mutingAt(alert, this.#options.now).reasons] });
  }

  /** Says what became of the notification that was queued at `queuedAt` (ms), and when it is repeated. */
  async #queuedState(
    routed: Routed & { readonly group: Group; readonly receiver: Receiver },
    queuedAt: number,
  ): Promise<NoticeState> {
    const { group, receiver } = routed;
    const { until: repeatAt, reasons } = await this.#repetitionOf(routed, group);
    const outcomeAt = (createdAt: number) => receiver.outcomeOf?.({ groupKey: group.key, createdAt });
    let [at, outcome] = [queuedAt, await outcomeAt(queuedAt)];
    // The next notification about the group names the alert again, unless something keeps the alert back.
    const repeatedAt = reasons.length === 0 ? (group.notifiedAt ?? at) : at;
    if (outcome && outcome.result !== 'sent' && repeatedAt > at)
      [at, outcome] = [repeatedAt, await outcomeAt(repeatedAt)];
    // After the clock was set back, no stored time may lie in the future.
    const { now } = this.#options;
    const times = { queuedAt: Math.min(at, now), repeatAt };
    if (outcome?.result === 'sent')
      return noticeState({ ...times, status: 'notified', reasons, notifiedAt: Math.min(outcome.at, now) });
    return noticeState({ ...times, reasons: [reasonOf(LOSSES[outcome?.result ?? 'none']), ...reasons] });
  }

  async #repetitionOf(routed: Routed, group: Group): Promise<Muting> {
    const { alert, key, notified } = routed;
    const reasons = notified.route.rejections(alert);
    if (reasons.length > 0) return { until: null, reasons };
    if (!group.notified.has(key)) {
      // The alert ended and fires again. If nothing keeps it back, the receiver is notified neither of the end nor again.
      const state = await this.#unqueuedState(routed);
      return { until: null, reasons: state.status === 'kept_back' ? state.reasons : [] };
    }
    const repeatAt = group.repeatDueAt(notified.route.options);
    return this.#mutingAt(alert, Math.max(this.#options.now, repeatAt));
  }

  /** Says what keeps the receiver from being notified of a firing alert that passes its filters. */
  async #unqueuedState({ alert, notified: { route }, group }: Routed): Promise<NoticeState> {
    const { now, isStoreFailing } = this.#options;
    const nextAt = group ? await this.#nextNotificationAt(group, route) : now;
    const eligibleAt = route.eligibleAt(alert, now);
    const [mutesNow, mutesThen] = [now, nextAt].map((at) => this.#mutingAt(alert, at).reasons);
    const reasons = [
      ...(eligibleAt > now ? [reasonOf('after', { until: eligibleAt })] : []),
      ...(mutesNow?.length ? mutesNow : (mutesThen ?? [])),
    ];
    const isInNext = eligibleAt <= nextAt && mutesThen?.length === 0;
    if (reasons.length > 0) return noticeState({ reasons, dueAt: isInNext ? nextAt : null });
    if (isStoreFailing && nextAt <= now) return noticeState({ reasons: [reasonOf('store_failing')] });
    return noticeState({ reasons: nextAt > now ? [waitOf(group, nextAt, route)] : [], dueAt: nextAt });
  }

  /** When the pending alert fires if its condition still holds then (ms); null if that is unknown. */
  #firesAt(pending: StoredAlert): number | null {
    const { account, alert: name } = pending;
    const { alerts, engine } = this.#options;
    const alert = alerts.find((each) => each.name === name);
    if (!alert || !engine.evaluation.isEvaluated(account, name)) return null;
    return firesAt(pending, engine.evaluation.holdOf(account, alert));
  }

  #mutingAt(alert: StoredAlert, at: number): Muting {
    return mutingAt(this.#options.mutes, alert, at);
  }

  #nextNotificationAt(group: Group, route: NotifiedAlerts['route']): Promise<number> {
    const { engine, mutes, now } = this.#options;
    const next =
      this.#nextNotifications.get(group) ??
      nextNotificationAt(group, { active: engine.active, mutes, now, route });
    this.#nextNotifications.set(group, next);
    return next;
  }
}

const LOSSES = { given_up: 'rejected', dropped: 'dropped', none: 'delivery' } as const;

/** Names the setting that the group waits for. */
const waitOf = (group: Group | undefined, until: number, { options }: NotifiedAlerts['route']): Reason => {
  const isInterval = group?.notifiedAt !== undefined && group.notifiedAt + options.group_interval === until;
  return reasonOf(isInterval ? 'group_interval' : 'group_wait', { until });
};

/** Predicts when the dispatcher queues the group's next notification (ms) if nothing changes until then; `now` if it is due. */
const nextNotificationAt = async (group: Group, surroundings: Surroundings): Promise<number> => {
  const { options: timers } = surroundings.route;
  const newsAt = group.newsDueAt(timers);
  for (let { quietUntil } = group; ; ) {
    const dueAt = Math.max(surroundings.now, group.dueAt(timers, quietUntil));
    if (dueAt >= newsAt || dueAt === Number.POSITIVE_INFINITY) return dueAt;
    // Only a repetition is due, which needs an alert that is not muted then.
    const { alerts, mutedUntil } = await othersOf(group, 1, { ...surroundings, now: dueAt });
    if (alerts.length > 0) return dueAt;
    quietUntil = mutedUntil;
  }
};

/** Adds since when the receiver fails, and whether that is what the notification waits for. */
const withFailure = (state: NoticeState, { options, receiver }: ReceiverEntry): NoticeState => {
  const { failingSince } = receiver;
  if (failingSince === undefined) return state;
  const isUndelivered =
    state.reasons.some(({ reason }) => reason === 'delivery') ||
    (options.type === 'alertmanager' && state.status === 'notified');
  return { ...state, failingSince, ...(isUndelivered && { status: 'delivery_failing' }) };
};
