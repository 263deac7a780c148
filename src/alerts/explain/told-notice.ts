// Explains what became of a notification that was queued, and when it is repeated.

import type { StoredAlert } from '../../store/alert-store.ts';
import type { Group } from '../dispatch/group.ts';
import { toldKey } from '../dispatch/told-key.ts';
import type { Outcome } from '../receivers/delivery-log.ts';
import { mutingAt } from './mute-reasons.ts';
import { type NoticeState, noticeState, reason } from './notice.ts';
import { explainWaiting, type RoutedContext } from './waiting-notice.ts';

/** `queuedAt` (ms) is when the notification was queued that says that the alert fires. */
export const explainTold = async (
  alert: StoredAlert,
  group: Group,
  queuedAt: number,
  context: RoutedContext,
): Promise<NoticeState> => {
  const { repeatAt, reasons } = await repetitionOf(alert, group, context);
  const outcomeAt = (createdAt: number) => context.receiver.outcomeOf?.({ groupKey: group.key, createdAt });
  const first = await outcomeAt(queuedAt);
  // The next notification about the group names the alert again, unless something keeps the alert back.
  const repeatedAt = reasons.length === 0 ? group.notifiedAt : undefined;
  if (first && first.result !== 'sent' && repeatedAt !== undefined && repeatedAt > queuedAt)
    return explainTold(alert, group, repeatedAt, context);
  return toldState(first, queuedAt, { repeatAt, reasons }, context.now);
};

const toldState = (
  outcome: Outcome | undefined,
  queuedAt: number,
  { repeatAt, reasons }: Pick<NoticeState, 'repeatAt' | 'reasons'>,
  now: number,
): NoticeState => {
  // After the clock was set back, no stored time may lie in the future.
  const common = { queuedAt: Math.min(queuedAt, now), repeatAt };
  switch (outcome?.result) {
    case 'sent':
      return noticeState('notified', { ...common, reasons, notifiedAt: Math.min(outcome.at, now) });
    case 'given_up':
      return noticeState('given_up', { ...common, reasons: [reason('rejected'), ...reasons] });
    case 'dropped':
      return noticeState('given_up', { ...common, reasons: [reason('dropped'), ...reasons] });
    default:
      return noticeState('waiting', { ...common, reasons: [reason('delivery'), ...reasons] });
  }
};

const repetitionOf = async (
  alert: StoredAlert,
  group: Group,
  context: RoutedContext,
): Promise<Pick<NoticeState, 'repeatAt' | 'reasons'>> => {
  const { route, now, mutes } = context;
  const rejections = route.rejections(alert);
  if (rejections.length > 0) return { repeatAt: null, reasons: rejections.map((filter) => reason(filter)) };
  if (!group.told.has(toldKey(alert))) {
    // The alert ended and fires again. If nothing keeps it back, the receiver is notified neither of the end nor again.
    const { status, reasons } = await explainWaiting(alert, group, context);
    return { repeatAt: null, reasons: status === 'kept_back' ? reasons : [] };
  }
  const { until, reasons } = mutingAt(mutes, alert, Math.max(now, group.repeatDueAt(route.options)));
  return { repeatAt: until, reasons };
};
