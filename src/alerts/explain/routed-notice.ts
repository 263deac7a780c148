// Explains whether a receiver whose notifications are filtered, grouped and queued was notified of an alert.

import type { StoredAlert } from '../../store/alert-store.ts';
import type { Ledger } from '../dispatch/ledger.ts';
import { toldKey } from '../dispatch/told-key.ts';
import { isFiring } from '../state.ts';
import { type NoticeState, noticeState, reason } from './notice.ts';
import { explainTold } from './told-notice.ts';
import { explainPending, explainWaiting, type RoutedContext } from './waiting-notice.ts';

export const explainRouted = async (
  alert: StoredAlert,
  ledger: Ledger,
  context: RoutedContext,
): Promise<NoticeState> => {
  const key = toldKey(alert);
  const group = ledger.groupOf(key, alert);
  const queuedAt = group?.toldAt.get(key);
  if (group && queuedAt !== undefined && isFiring(alert)) return explainTold(alert, group, queuedAt, context);
  const rejections = ledger.route.rejections(alert);
  if (rejections.length > 0)
    return noticeState('filtered', { reasons: rejections.map((filter) => reason(filter)) });
  if (!isFiring(alert)) return explainPending(alert, context);
  return explainWaiting(alert, group, context);
};
