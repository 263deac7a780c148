// Explains which receivers were notified of an alert that has ended, as far as that is still known.

import { formatDuration } from '../../config/duration.ts';
import { secondText } from '../../lib/minute-text.ts';
import type { Episode, EpisodeNotice } from '../../store/alert-history-store.ts';
import type { EndedNotice, EndedStatus } from '../../store/notice.ts';
import { Route } from '../dispatch/route.ts';
import { mutingAt, type ReadMutes } from '../muting/alert-mutes.ts';
import { isRouted, type ReceiverOptions, type RoutedOptions } from '../receivers/options.ts';
import { HEARTBEAT_TEXT, reasonTexts } from './notice-text.ts';

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
