// Explains what keeps a receiver from being notified of an alert that passes its filters.

import type { StoredAlert } from '../../store/alert-store.ts';
import type { Surroundings } from '../dispatch/difference.ts';
import type { Group } from '../dispatch/group.ts';
import type { Receiver } from '../receivers/receiver.ts';
import { mutingAt, type ReadMutes } from './mute-reasons.ts';
import { type NoticeState, noticeState, type Reason, reason } from './notice.ts';

/** What the explanation reads. */
export interface RoutedContext extends Surroundings {
  readonly mutes: ReadMutes;
  readonly receiver: Pick<Receiver, 'outcomeOf'>;
  /** Whether the store rejects new notifications. */
  readonly isStoreFailing: boolean;
  /** When the pending alert fires if its condition still holds then (ms); null if that is unknown. */
  firesAt(alert: StoredAlert): number | null;
  /** See `nextNotificationAt`. */
  nextNotificationAt(group: Group): Promise<number>;
}

export const explainPending = (alert: StoredAlert, { mutes, now, firesAt }: RoutedContext): NoticeState => {
  const pending = reason('pending', { until: firesAt(alert) });
  return noticeState('kept_back', { reasons: [pending, ...mutingAt(mutes, alert, now).reasons] });
};

export const explainWaiting = async (
  alert: StoredAlert,
  group: Group | undefined,
  context: RoutedContext,
): Promise<NoticeState> => {
  const { route, now, mutes, isStoreFailing } = context;
  const nextAt = group ? await context.nextNotificationAt(group) : now;
  const tellableAt = route.tellableAt(alert, now);
  const [mutesNow, mutesThen] = [now, nextAt].map((at) => mutingAt(mutes, alert, at).reasons);
  const reasons = [
    ...(tellableAt > now ? [reason('after', { until: tellableAt })] : []),
    ...(mutesNow?.length ? mutesNow : (mutesThen ?? [])),
  ];
  const isInNext = tellableAt <= nextAt && mutesThen?.length === 0;
  if (reasons.length > 0) return noticeState('kept_back', { reasons, dueAt: isInNext ? nextAt : null });
  if (isStoreFailing && nextAt <= now) return noticeState('waiting', { reasons: [reason('store_failing')] });
  return noticeState('waiting', { reasons: waitOf(group, nextAt, context), dueAt: nextAt });
};

/** Names the setting that the group waits for. */
const waitOf = (group: Group | undefined, dueAt: number, { route, now }: RoutedContext): Reason[] => {
  if (dueAt <= now) return [];
  const isInterval =
    group?.notifiedAt !== undefined && group.notifiedAt + route.options.group_interval === dueAt;
  return [reason(isInterval ? 'group_interval' : 'group_wait', { until: dueAt })];
};
