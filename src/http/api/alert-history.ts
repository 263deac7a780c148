// Serves GET /api/v1/alerts/history: the alerts that fired, when they ended, and which receivers were notified.

import { z } from 'zod';
import { describeUnknownName } from '../../config/closest-match.ts';
import { currentSubject } from '../../config/former-labels.ts';
import type { Episode } from '../../store/alert-history-store.ts';
import type { DaemonView } from '../daemon-view.ts';
import { orNull, pageOf, rfc3339, text, time } from './item.ts';
import { pageRequestOf } from './list-route.ts';
import * as parameters from './parameters.ts';
import { ApiError, revisionOfParts, route } from './route.ts';

export const episode = z
  .strictObject({
    alert: text,
    severity: text,
    state: z.enum(['firing', 'resolved']),
    labels: z
      .record(z.string(), z.string())
      .describe('Labels of the alert’s subject. Alerts about the daemon itself have no `account`'),
    since: time.describe('Time at which the condition became true'),
    firing_since: time.describe('Time at which the alert began to fire with this severity'),
    ended_at: orNull.time.describe('Null while the alert fires'),
    value: orNull.amount.describe('Value when the alert began to fire'),
    last_value: orNull.amount.describe('Last known value before the end. Null while the alert fires'),
    notified: z
      .array(
        z.strictObject({
          receiver: text,
          firing_at: orNull.time.describe(
            'Time at which proxywatch queued the first notification of the alert. Null if the receiver knew the alert already, because it was not notified of an earlier end',
          ),
          delivery: z
            .enum(['accepted', 'waiting', 'given_up', 'unknown'])
            .describe(
              'What became of the first notification of the alert: the receiver accepted it, it waits in the queue, or proxywatch does not send it any more',
            ),
          resolved_at: orNull.time.describe(
            'Time at which proxywatch queued the notification of the end. Null if there was none',
          ),
        }),
      )
      .describe('Receivers for which a notification was queued, without receivers of the type alertmanager'),
  })
  .meta({ id: 'AlertEpisode' });

const episodeJson = ({ account, alert, severity, labels, endedAt, ...found }: Episode) => ({
  ...{ alert, severity, labels: account === '' ? { ...labels } : { account, ...labels } },
  state: endedAt === null ? ('firing' as const) : ('resolved' as const),
  since: rfc3339(found.since),
  firing_since: rfc3339(found.firingSince),
  ended_at: rfc3339(endedAt),
  ...{ value: found.value, last_value: found.lastValue },
  notified: found.notified.map(({ receiver, firingAt, delivery, resolvedAt }) => ({
    ...{ receiver, delivery },
    firing_at: rfc3339(firingAt),
    resolved_at: rfc3339(resolvedAt),
  })),
});

/** The history can have alerts of an earlier version, which this version does not know. */
const isKnown = async (alert: string, { alertHistory, alertNames }: DaemonView): Promise<boolean> =>
  alertNames().includes(alert) || (await alertHistory.page({ alert }, 1)).length > 0;

export const ALERT_HISTORY_ROUTE = route({
  path: '/api/v1/alerts/history',
  summary: 'Alerts that fire or have fired, newest first',
  query: {
    ...parameters.page,
    alert: parameters.singleText.describe('Only alerts with this name. An unknown name is an error'),
    subject: parameters.singleText.describe(
      'Only alerts with this value of a label other than account, or with this label=value',
    ),
    severity: parameters.oneOf(['critical', 'warning', 'info']).optional(),
    state: parameters.oneOf(['firing', 'resolved']).optional(),
    q: parameters.q.describe(
      'Only alerts with this text in their name or in the value of a label, in upper or lower case',
    ),
    from: parameters.time.describe('Only alerts that began to fire at this time or later'),
    to: parameters.time.describe('Only alerts that began to fire before this time'),
  },
  answer: pageOf(episode).extend({
    total: orNull.count.describe(
      'Always null: counting would compare all of up to 200,000 alerts for each page',
    ),
  }),
  revision: revisionOfParts(['alerts']),
  read: async ({ view, query }) => {
    const { alert, severity, state, account, q } = query;
    const subject = query.subject && currentSubject(query.subject);
    const { limit, after } = pageRequestOf(query, view);
    const before = after === null ? undefined : Number(after.id);
    if (before !== undefined && !Number.isSafeInteger(before))
      throw new ApiError(400, 'cursor: expected one of the same list');
    const period = parameters.periodOf(query);
    const accounts = account.length === 0 ? undefined : account;
    const filter = { accounts, alert, subject, severity, state, text: q, ...period };
    const found = await view.alertHistory.page(filter, limit + 1, before);
    if (found.length === 0 && alert !== undefined && !(await isKnown(alert, view)))
      throw new ApiError(400, `alert: ${describeUnknownName(alert, view.alertNames())}`);
    const last = found.length > limit ? found[limit - 1] : undefined;
    return {
      data: found.slice(0, limit).map(episodeJson),
      next_cursor: last ? parameters.encodeCursor({ account: '', id: String(last.id) }) : null,
      total: null,
    };
  },
});
