// Writes the sentences that explain notices to people, also of an alert that has ended, as far as it is still known who was notified.

import { formatDuration } from '../../config/duration.ts';
import { secondText } from '../../lib/time.ts';
import type { Episode, EpisodeNotice } from '../../store/alert-history-store.ts';
import type { StoredAlert } from '../../store/alert-store.ts';
import type { EndedNotice, EndedStatus, NoticeState, Reason } from '../../store/notice.ts';
import { Route } from '../dispatch/route.ts';
import { mutingAt, type ReadMutes } from '../muting/alert-mutes.ts';
import { isRouted, type ReceiverOptions, type RoutedOptions } from '../receivers/options.ts';

/** What the sentences name of an alert. */
type Named = Pick<StoredAlert, 'severity' | 'account' | 'alert'>;

const HEARTBEAT_TEXT = 'gets only heartbeats, and no alerts';

export const noticeText = (alert: Named, state: NoticeState, options: ReceiverOptions): string => {
  if (options.type === 'heartbeat') return HEARTBEAT_TEXT;
  if (!isRouted(options)) return alertmanagerText(state, options.urls.length);
  const { failingSince, status } = state;
  const isKnown = failingSince === null || status === 'delivery_failing' || status === 'filtered';
  const failure = isKnown
    ? ''
    : `. The receiver has accepted no notifications since ${secondText(failingSince)}`;
  return `${routedText(alert, state, options)}${failure}`;
};

const alertmanagerText = ({ status, reasons, failingSince }: NoticeState, servers: number): string => {
  const [pending] = reasons;
  if (pending) return `not notified: ${pendingText(pending)}`;
  if (status !== 'delivery_failing' || failingSince === null)
    return 'notified every minute. The routes, silences and inhibition rules of this Alertmanager decide who gets a message';
  const who = servers === 1 ? 'the Alertmanager' : 'at least one server of this Alertmanager';
  return `not notified: ${who} has not accepted alerts since ${secondText(failingSince)}. proxywatch sends them again`;
};

const routedText = (alert: Named, state: NoticeState, options: RoutedOptions): string => {
  const { status, dueAt, queuedAt } = state;
  const why = reasonTexts(state.reasons, alert, options);
  switch (status) {
    case 'notified':
      return `notified at ${timeText(state.notifiedAt)}${repetitionText(state, why)}`;
    case 'delivery_failing':
      return `not notified: the receiver has accepted no notifications since ${timeText(state.failingSince)}. The notification of ${timeText(queuedAt)} waits, and proxywatch sends it again`;
    case 'given_up':
      return `not notified: ${why}${repetitionText(state, '')}`;
    case 'waiting':
      if (queuedAt !== null)
        return `not notified yet: proxywatch is sending the notification of ${timeText(queuedAt)}`;
      if (dueAt === null) return `not notified: ${why}`;
      return `not notified yet: the notification is due ${why === '' ? 'now' : `at ${timeText(dueAt)} (${why})`}`;
    default: {
      const due = status === 'kept_back' && dueAt !== null;
      return `not notified: ${why}${due ? `. The notification is due at ${secondText(dueAt)}` : ''}`;
    }
  }
};

/** The reasons of a notified alert are those that keep its repetitions back. */
const repetitionText = ({ repeatAt }: NoticeState, why: string): string => {
  if (why !== '') return `; not repeated: ${why}`;
  return repeatAt === null ? '' : `; next repetition at ${timeText(repeatAt)}`;
};

const timeText = (at: number | null): string => (at === null ? 'an unknown time' : secondText(at));

const pendingText = ({ until }: Reason): string =>
  until === null
    ? 'the alert is pending, and its condition has not been evaluated since the daemon last started or paused'
    : `the alert is pending. It fires at ${secondText(until)} if its condition still holds`;

const reasonTexts = (reasons: readonly Reason[], alert: Named, options: RoutedOptions): string =>
  reasons.map((reason) => TEXTS[reason.reason](reason, alert, options)).join('; ');

type ReasonText = (reason: Reason, alert: Named, options: RoutedOptions) => string;

const endText = ({ until }: Reason): string =>
  until === null ? 'without end' : `until ${secondText(until)}`;

const TEXTS: Readonly<Record<Reason['reason'], ReasonText>> = {
  min_severity: (_, { severity }, { min_severity }) =>
    `severity ${severity} is below this receiver's min_severity (${min_severity})`,
  accounts: (_, { account }) =>
    account === ''
      ? "alerts about the daemon itself have no account, so this receiver's accounts filter them out"
      : `account ${account} is not in this receiver's accounts`,
  alerts: (_, { alert }) => `${alert} is not in this receiver's alerts`,
  pending: pendingText,
  after: ({ until }, _, { after }) =>
    `this receiver gets an alert after it has fired for ${formatDuration(after)} (after), at ${timeText(until)}`,
  silence: (reason) =>
    `silence ${reason.silence} ${reason.untilResolved ? 'until the alert is resolved, or ' : ''}${endText(reason)} (${reason.comment})`,
  maintenance: (reason) => `maintenance window ${reason.maintenance} ${endText(reason)}`,
  group_wait: (_, __, { group_wait }) => `group_wait: ${formatDuration(group_wait)}`,
  group_interval: (_, __, { group_interval }) => `group_interval: ${formatDuration(group_interval)}`,
  delivery: () => 'the receiver has not accepted the notification yet',
  store_failing: () =>
    'the store rejects writes, so proxywatch cannot queue the notification. It tries again every 15 seconds',
  rejected: () =>
    'the receiver rejected the content of the notification, and proxywatch gave it up. The log has the reason',
  dropped: () =>
    'the receiver did not accept the notification within a day, or too many notifications waited, and proxywatch dropped it',
};

type EndedEpisode = Episode & { readonly endedAt: number };
type State = readonly [status: EndedStatus, text: string];

/** Returns a notice for each present receiver in the order of the configuration, then for the removed ones. */
export const explainEnded = (
  episode: EndedEpisode,
  receivers: readonly ReceiverOptions[],
  mutes: ReadMutes,
): EndedNotice[] => {
  const removed = episode.notified.filter(({ receiver }) => !receivers.some(({ name }) => name === receiver));
  return [
    ...receivers.map((options): EndedNotice => {
      const [status, text] = stateOf(episode, options, mutes);
      return { receiver: options.name, type: options.type, status, text };
    }),
    ...removed.map((notice): EndedNotice => {
      const [status, text] = deliveredState(notice);
      const removal = 'The configuration no longer has this receiver';
      return { receiver: notice.receiver, type: null, status, text: `${text}. ${removal}` };
    }),
  ];
};

const stateOf = (episode: EndedEpisode, options: ReceiverOptions, mutes: ReadMutes): State => {
  if (options.type === 'heartbeat') return ['no_alerts', HEARTBEAT_TEXT];
  if (!isRouted(options)) return ['unknown', ALERTMANAGER];
  const notice = episode.notified.find(({ receiver }) => receiver === options.name);
  return notice ? deliveredState(notice) : unnotifiedState(episode, options, mutes);
};

const ALERTMANAGER =
  'not known: the history does not record what this Alertmanager got. Look at its own history';

const deliveredState = ({ firingAt, delivery }: EpisodeNotice): State =>
  firingAt === null
    ? [
        'unknown',
        'not known: proxywatch had queued a notification of the alert before, and the history does not say what became of it',
      ]
    : DELIVERED[delivery](`the notification of ${secondText(firingAt)}`);

const DELIVERED: Readonly<Record<EpisodeNotice['delivery'], (of: string) => State>> = {
  accepted: (of) => ['notified', `notified: the receiver accepted ${of}`],
  waiting: (of) => ['waiting', `not notified yet: ${of} waits, because the receiver has not accepted it`],
  given_up: (of) => [
    'given_up',
    `not notified: proxywatch gave up ${of}, because the receiver did not accept it`,
  ],
  unknown: (of) => ['unknown', `not known: proxywatch queued ${of}, and no longer knows what became of it`],
};

/** The settings, silences and windows of then may have been others, so only those of now can be named. */
const unnotifiedState = (episode: EndedEpisode, options: RoutedOptions, mutes: ReadMutes): State => {
  const rejections = new Route(options).rejections(episode);
  if (rejections.length > 0)
    return ['filtered', `not notified: ${reasonTexts(rejections, episode, options)}`];
  const { firingSince, endedAt } = episode;
  const tooShort = waitTexts(options, endedAt - firingSince);
  if (tooShort) return ['kept_back', `not notified: the alert ended before ${tooShort} had passed`];
  const dueAt = firingSince + options.after + options.group_wait;
  const { reasons, until } = mutingAt(mutes, episode, dueAt);
  if (reasons.length > 0 && (until ?? endedAt) >= endedAt)
    return ['kept_back', `not notified: ${reasonTexts(reasons, episode, options)}`];
  return ['unknown', UNKNOWN];
};

const UNKNOWN =
  'not notified. The reason is not known: a silence, a maintenance window, group_interval or other settings may have kept the notification back';

/** Names the wait of the receiver that the alert did not fire for; undefined if it fired for longer. */
const waitTexts = ({ after, group_wait }: RoutedOptions, firedMs: number): string | undefined => {
  if (firedMs < after) return `this receiver's after (${formatDuration(after)})`;
  if (firedMs >= after + group_wait) return undefined;
  const wait = `group_wait (${formatDuration(group_wait)})`;
  return after === 0
    ? `this receiver's ${wait}`
    : `this receiver's after (${formatDuration(after)}) and ${wait}`;
};
