// Serves GET /api/v1/alerts/notices: why each receiver was notified of an alert, or not.

import { z } from 'zod';
import { currentSubject } from '../../config/former-labels.ts';
import {
  ENDED_STATUSES,
  INACTIVE_STATUSES,
  type InactiveAlert,
  NOTICE_REASONS,
  NOTICE_STATUSES,
  type Notice,
  type Reason,
} from '../../store/notice.ts';
import type { EndedAlert, ExplainedAlert } from '../alert-view.ts';
import { alertItem, alertJson } from './alerts.ts';
import { count, flag, pageOf, rfc3339, text, time } from './item.ts';
import { readPage } from './list-route.ts';
import { decodeCursor, page as pageParameters, singleText } from './parameters.ts';
import { ApiError, route } from './route.ts';

const reason = z
  .strictObject({
    reason: z.enum(NOTICE_REASONS),
    until: time.nullable().describe('End of the reason, or null if it has no end or the end is unknown'),
    silence: text.nullable().describe('Id of the silence'),
    comment: text.nullable().describe('Comment of the silence'),
    maintenance: text.nullable().describe('Name of the maintenance window'),
  })
  .meta({ id: 'NoticeReason' });

const notice = z
  .strictObject({
    receiver: text,
    type: text,
    status: z.enum(NOTICE_STATUSES),
    reasons: z
      .array(reason)
      .describe('What keeps the notification back, or the repetitions if the receiver was notified'),
    notified_at: time.nullable().describe('Time at which the receiver accepted the notification'),
    queued_at: time.nullable().describe('Time at which proxywatch queued the notification'),
    due_at: time
      .nullable()
      .describe('Time at which proxywatch queues the notification if nothing changes until then'),
    repeat_at: time
      .nullable()
      .describe('Time of the next repetition, unless the receiver is notified of the group before'),
    failing_since: time.nullable().describe('Time since which the receiver has accepted nothing'),
    text: text.describe('The same as a sentence'),
  })
  .meta({ id: 'Notice' });

export const explainedAlert = alertItem
  .extend({ receivers: z.array(notice).describe('In the order of the configuration') })
  .meta({ id: 'ExplainedAlert' });

export const inactiveAlert = z
  .strictObject({
    account: text.nullable().describe('Null if the reason does not depend on an account'),
    status: z.enum(INACTIVE_STATUSES),
    text: text.describe('The same as a sentence'),
    suppressed: z
      .array(z.strictObject({ labels: z.record(z.string(), z.string()), suppressed_by: z.array(text) }))
      .describe('The first ten subjects that broader alerts suppress'),
  })
  .meta({ id: 'InactiveAlert' });

export const endedAlert = z
  .strictObject({
    alert: text,
    severity: text,
    labels: z.record(z.string(), z.string()),
    firing_since: time,
    ended_at: time,
    receivers: z
      .array(
        z.strictObject({
          receiver: text,
          type: text.nullable().describe('Null if the configuration no longer has the receiver'),
          status: z.enum(ENDED_STATUSES),
          text: text.describe('The same as a sentence'),
        }),
      )
      .describe('Receivers of the present configuration, then removed receivers that were notified'),
  })
  .meta({ id: 'EndedAlert' });

const endedJson = ({ firingSince, endedAt, labels, receivers, ...rest }: EndedAlert) => ({
  ...{ ...rest, labels: { ...labels }, receivers: receivers.map((each) => ({ ...each })) },
  ...{ firing_since: rfc3339(firingSince), ended_at: rfc3339(endedAt) },
});

const endedOrNull = (ended: EndedAlert | null) => (ended === null ? null : endedJson(ended));

const explainedJson = ({ alert, receivers }: ExplainedAlert) => ({
  ...alertJson(alert),
  receivers: receivers.map(noticeJson),
});

const noticeJson = ({ receiver, type, status, reasons, text, ...times }: Notice) => ({
  ...{ receiver, type, status, text },
  reasons: reasons.map(reasonJson),
  notified_at: rfc3339(times.notifiedAt),
  queued_at: rfc3339(times.queuedAt),
  due_at: rfc3339(times.dueAt),
  repeat_at: rfc3339(times.repeatAt),
  failing_since: rfc3339(times.failingSince),
});

const reasonJson = ({ until, ...rest }: Reason) => ({ ...rest, until: rfc3339(until) });

const inactiveJson = ({ suppressed, ...rest }: InactiveAlert) => ({
  ...rest,
  suppressed: suppressed.map(({ labels, suppressedBy }) => ({
    labels: { ...labels },
    suppressed_by: [...suppressedBy],
  })),
});

export const NOTICE_ROUTES = [
  route({
    path: '/api/v1/alerts/notices',
    summary: 'Why each receiver was notified of an alert, or not',
    query: {
      ...pageParameters,
      subject: singleText.describe(
        'Only alerts with a label of this value, such as the id of a proxy user. You can also write label=value',
      ),
      alert: z.string('expected the name of one alert').describe('Name of the alert'),
    },
    answer: pageOf(explainedAlert).extend({
      evaluated: flag.describe('True if the daemon evaluates alerts itself'),
      matching: count.describe('Number of pending and firing alerts that match, on all pages'),
      inactive: z
        .array(inactiveAlert)
        .describe('Why the alert is not active, for each account without a match. Only on the first page'),
      last_ended: endedAlert
        .nullable()
        .describe(
          'The newest matching alert that has ended, as far as the history knows. Null if an alert matches, and on later pages',
        ),
    }),
    read: async ({ view, query: { alert, account, subject, limit, cursor } }) => {
      const found = view.notices.find({
        alert,
        accounts: account,
        subject: subject === undefined ? null : currentSubject(subject),
      });
      if ('refusal' in found) throw new ApiError(400, found.refusal);
      const after = cursor === undefined ? null : decodeCursor(cursor);
      const matching = await found.count();
      if (matching === 0 && found.subjectMistake !== null) throw new ApiError(400, found.subjectMistake);
      const isFirst = after === null;
      const { items, nextCursor } = await readPage({ accounts: found.accounts, limit, after }, (...page) =>
        found.list(...page),
      );
      return {
        evaluated: found.isEvaluated,
        matching,
        data: items.map(({ item }) => explainedJson(item)),
        next_cursor: nextCursor,
        inactive: isFirst ? (await found.inactive()).map(inactiveJson) : [],
        last_ended: isFirst ? endedOrNull(await found.lastEnded()) : null,
      };
    },
  }),
];
