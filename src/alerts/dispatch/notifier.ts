// Queues the notification about a group together with what its receiver is notified of, part by part.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AlertChange, NewNotification, NotifiedAlert, ReceiverEvent } from '../../store/alert-store.ts';
import type { ActiveAlerts, KeyedAlert } from '../active.ts';
import type { AlertWriter } from '../alert-writer.ts';
import type { Mutes } from '../muting/alert-mutes.ts';
import type { AlertDescriber } from '../notification.ts';
import { type Difference, differenceOf, ownPartOf, partsOf, type Surroundings, sizeOf } from './group.ts';
import { GroupNotification, MAX_LISTED_ALERTS, othersOf } from './group-notification.ts';
import type { Occasion } from './notified-alerts.ts';

export interface NotifierOptions {
  readonly writer: AlertWriter;
  readonly active: () => ActiveAlerts;
  readonly mutes: Mutes;
  /** Describes an alert for notifications. */
  readonly describe: AlertDescriber;
  /** Called with notifications that the store could not save. */
  readonly onUnstoredNotifications: (notifications: readonly NewNotification[]) => void;
}

export type Dropped = ReadonlyMap<string, number>;
type Save = (change: AlertChange) => Promise<Dropped>;

/** How many alerts one transaction stores. That takes some milliseconds. */
const PART_ALERTS = 500;

const NONE_DROPPED: Dropped = new Map();

export class Notifier {
  readonly #options: NotifierOptions;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Notifies the receiver of the group's difference, or repeats what still fires. Throws StoreError. */
  async notify(occasion: Occasion): Promise<Dropped> {
    if (await this.#isQuiet(occasion)) return NONE_DROPPED;
    const difference = await differenceOf(occasion.group, this.#surroundings(occasion));
    return this.#queue(occasion, difference, (change) => this.#options.writer.save(change));
  }

  /** Does the same for the alerts about the daemon, which may report just that the store cannot save them. */
  async notifyUnstored(occasion: Occasion): Promise<void> {
    const { writer, onUnstoredNotifications } = this.#options;
    const own = ownPartOf(await differenceOf(occasion.group, this.#surroundings(occasion)));
    if (sizeOf(own) === 0) return;
    await this.#queue(occasion, own, async ({ notifications, ...change }) => {
      writer.keep(change);
      onUnstoredNotifications(notifications);
      return NONE_DROPPED;
    });
  }

  /** Whether only a repetition is due, and no alert needs it. Alerts that wait are then notified of at their own time. */
  async #isQuiet(occasion: Occasion): Promise<boolean> {
    const { notified, group, now } = occasion;
    if (group.newsDueAt(notified.route.options) <= now) return false;
    const { alerts, mutedUntil } = await othersOf(group, 1, this.#surroundings(occasion));
    if (alerts.length === 0) group.quietUntil = mutedUntil;
    return alerts.length === 0;
  }

  async #queue(occasion: Occasion, difference: Difference, save: Save): Promise<Dropped> {
    const { notified, group, now } = occasion;
    const notification = await this.#notificationOf(occasion, difference);
    const dropped = new Map<string, number>();
    let left = sizeOf(difference);
    if (!notification && left === 0) return dropped;
    for (const part of partsOf(difference, PART_ALERTS)) {
      left -= sizeOf(part);
      const notifications = notification ? [notification.add(part)] : [];
      const change = { ...changeOf(occasion, part, notifications), isHeld: left > 0 };
      for (const [name, count] of await save(change)) dropped.set(name, (dropped.get(name) ?? 0) + count);
      notified.queued(group, part, notification && now);
      await yieldToEventLoop();
    }
    return dropped;
  }

  /** Returns the empty notification; undefined if the receiver need not know of the difference. */
  async #notificationOf(
    occasion: Occasion,
    { added, risen, resolved }: Difference,
  ): Promise<GroupNotification | undefined> {
    const { notified, group, now } = occasion;
    const { options } = notified.route;
    const news = added.length + risen.length + (options.send_resolved ? resolved.length : 0);
    if (news === 0 && !group.isRepeatDue(options, now)) return undefined;
    const others = await othersOf(group, MAX_LISTED_ALERTS - news, this.#surroundings(occasion));
    if (news === 0 && others.alerts.length === 0) {
      group.quietUntil = others.mutedUntil;
      return undefined;
    }
    return new GroupNotification(occasion, others, this.#options.describe);
  }

  #surroundings({ notified, now }: Occasion): Surroundings {
    const { active, mutes } = this.#options;
    return { active: active(), mutes, route: notified.route, now };
  }
}

const changeOf = (
  { notified: { receiver, route }, group, now }: Occasion,
  { added, risen, restored, resolved }: Difference,
  notifications: readonly NewNotification[],
): AlertChange => {
  const eventOf =
    (kind: ReceiverEvent['kind']) =>
    ({ alert }: KeyedAlert): ReceiverEvent => ({ kind, alert, receiver, at: now });
  const rowOf = ({ key, alert }: KeyedAlert): NotifiedAlert => {
    const notifiedAt = group.firstNotifiedAt.get(key) ?? now;
    return { receiver, groupKey: group.key, alert, notifiedAt };
  };
  const row = { receiver, groupKey: group.key, notifiedAt: now };
  const isForgotten = group.notified.size + group.ended.size + added.length === resolved.length;
  return {
    ...{ put: [], removed: [], notifications },
    events: [
      ...added.map(eventOf('notified')),
      // An alert that ended and fires again at a higher step is news, so the receiver is notified of this episode.
      ...risen.filter(({ key }) => !group.notified.has(key)).map(eventOf('notified')),
      ...restored.map(eventOf('aware')),
      ...(route.options.send_resolved ? resolved.map(eventOf('notified_of_end')) : []),
    ],
    notified: { put: [...added, ...risen, ...restored].map(rowOf), removed: resolved.map(rowOf) },
    groups: isForgotten
      ? { put: [], removed: [row] }
      : { put: notifications.length > 0 ? [row] : [], removed: [] },
  };
};
