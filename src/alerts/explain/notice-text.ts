// Writes the sentence that explains a notice to people.

import { formatDuration } from '../../config/duration.ts';
import type { StoredAlert } from '../../store/alert-store.ts';
import type { ReceiverOptions, RoutedOptions } from '../receivers/options.ts';
import { isRouted } from '../receivers/options.ts';
import type { NoticeState, Reason } from './notice.ts';

export const shownTime = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

export const noticeText = (alert: StoredAlert, state: NoticeState, options: ReceiverOptions): string => {
  if (options.type === 'heartbeat') return 'gets only heartbeats, and no alerts';
  if (!isRouted(options)) return alertmanagerText(state, options.urls.length);
  const { failingSince } = state;
  const isKnown = failingSince === null || ['delivery_failing', 'filtered'].includes(state.status);
  const failure = isKnown
    ? ''
    : `. The receiver has accepted no notifications since ${shownTime(failingSince)}`;
  return `${routedText(alert, state, options)}${failure}`;
};

const alertmanagerText = ({ status, reasons, failingSince }: NoticeState, servers: number): string => {
  const [pending] = reasons;
  if (pending) return `not notified: ${pendingText(pending)}`;
  if (status !== 'delivery_failing' || failingSince === null)
    return 'notified every minute. The routes, silences and inhibition rules of this Alertmanager decide who gets a message';
  const who = servers === 1 ? 'the Alertmanager' : 'at least one server of this Alertmanager';
  return `not notified: ${who} has not accepted alerts since ${shownTime(failingSince)}. proxywatch sends them again`;
};

const routedText = (alert: StoredAlert, state: NoticeState, options: RoutedOptions): string => {
  const { status, reasons, dueAt, queuedAt, failingSince } = state;
  const why = reasons.map((reason) => reasonText(reason, alert, options)).join('; ');
  if (status === 'notified') return `notified at ${timeText(state.notifiedAt)}${repetitionText(state, why)}`;
  if (status === 'delivery_failing')
    return `not notified: the receiver has accepted no notifications since ${timeText(failingSince)}. The notification of ${timeText(queuedAt)} waits, and proxywatch sends it again`;
  if (status === 'given_up') return `not notified: ${why}${repetitionText(state, '')}`;
  if (status === 'kept_back' && dueAt !== null)
    return `not notified: ${why}. The notification is due at ${shownTime(dueAt)}`;
  if (status !== 'waiting') return `not notified: ${why}`;
  if (queuedAt !== null)
    return `not notified yet: proxywatch is sending the notification of ${timeText(queuedAt)}`;
  if (dueAt === null) return `not notified: ${why}`;
  return `not notified yet: the notification is due ${why === '' ? 'now' : `at ${timeText(dueAt)} (${why})`}`;
};

/** The reasons of a notified alert are those that keep its repetitions back. */
const repetitionText = ({ repeatAt }: NoticeState, why: string): string => {
  if (why !== '') return `; not repeated: ${why}`;
  return repeatAt === null ? '' : `; next repetition at ${timeText(repeatAt)}`;
};

const timeText = (at: number | null): string => (at === null ? 'an unknown time' : shownTime(at));

const pendingText = ({ until }: Reason): string =>
  until === null
    ? 'the alert is pending, and its condition has not been evaluated since the daemon last started or paused'
    : `the alert is pending. It fires at ${shownTime(until)} if its condition still holds`;

export const reasonText = (
  { reason, until, ...mute }: Reason,
  { severity, account, alert }: StoredAlert,
  { min_severity, group_wait, group_interval, after }: RoutedOptions,
): string => {
  const end = until === null ? 'without end' : `until ${shownTime(until)}`;
  switch (reason) {
    case 'min_severity':
      return `severity ${severity} is below this receiver's min_severity (${min_severity})`;
    case 'accounts':
      return account === ''
        ? "alerts about the daemon itself have no account, so this receiver's accounts filter them out"
        : `account ${account} is not in this receiver's accounts`;
    case 'alerts':
      return `${alert} is not in this receiver's alerts`;
    case 'pending':
      return pendingText({ reason, until, ...mute });
    case 'after':
      return `this receiver gets an alert after it has fired for ${formatDuration(after)} (after), at ${timeText(until)}`;
    case 'silence':
      return `silence ${mute.silence} ${end} (${mute.comment})`;
    case 'maintenance':
      return `maintenance window ${mute.maintenance} ${end}`;
    case 'group_wait':
      return `group_wait: ${formatDuration(group_wait)}`;
    case 'group_interval':
      return `group_interval: ${formatDuration(group_interval)}`;
    case 'delivery':
      return 'the receiver has not accepted the notification yet';
    case 'store_failing':
      return 'the store rejects writes, so proxywatch cannot queue the notification. It tries again every 15 seconds';
    case 'rejected':
      return 'the receiver rejected the content of the notification, and proxywatch gave it up. The log has the reason';
    case 'dropped':
      return 'the receiver did not accept the notification within a day, or too many notifications waited, and proxywatch dropped it';
  }
};
