// Predicts when a receiver is notified of a group next, from the same times as the dispatcher.

import type { Surroundings } from '../dispatch/difference.ts';
import type { Group } from '../dispatch/group.ts';
import { othersOf } from '../dispatch/others.ts';

/** Returns when the dispatcher queues the next notification (ms) if nothing changes until then; `now` if it is due. */
export const nextNotificationAt = async (group: Group, surroundings: Surroundings): Promise<number> => {
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
