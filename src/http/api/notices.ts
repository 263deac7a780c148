// Serves GET /api/v1/alerts/notices: why each receiver was notified of an alert, or not.

import { z } from 'zod';
import { currentSubject } from '../../config/former-labels.ts';
import { INACTIVE_STATUSES, NOTICE_REASONS, NOTICE_STATUSES, type Notice } from '../../store/notice.ts';
import { alertItem, alertJson, type EndedAlert, type ExplainedAlert, endedAlert } from '../alert-view.ts';
import { count, flag, jsonOf, orNull, pageOf, rfc3339, text } from './item.ts';
import { readPage } from './list-route.ts';
import { decodeCursor, page as pageParameters, singleText } from './parameters.ts';
import { ApiError, route } from './route.ts';

const reason = z
  .strictObject({
    reason: z.enum(NOTICE_REASONS),
    until: orNull.time.describe('End of the reason, or null if it has no end or the end is unknown'),
    ...alertItem.shape.silenced_by.element.shape,
  })
  .meta({ id: 'NoticeReason' });

export const noticeStatus = z.enum(NOTICE_STATUSES);

const notice = z
  .strictObject({
    receiver: text,
    type: text,
    status: noticeStatus,
    reasons: z
      .array(reason)
      .describe('What keeps the notification back, or the repetitions if the receiver was notified'),
    notified_at: orNull.time.describe('Time at which the receiver accepted the notification'),
    queued_at: orNull.time.describe('Time at which proxywatch queued the notification'),
    due_at: orNull.time.describe(
      'Time at which proxywatch queues the notification if nothing changes until then',
    ),
    repeat_at: orNull.time.describe(
      'Time of the next repetition, unless the receiver is notified of the group before',
    ),
    failing_since: orNull.time.describe('Time since which the receiver has accepted nothing'),
    text: text.describe('The same as a sentence'),
  })
  .meta({ id: 'Notice' });

export const explainedAlert = alertItem
  .extend({ receivers: z.array(notice).describe('In the order of the configuration') })
  .meta({ id: 'ExplainedAlert' });

export const inactiveAlert = z
  .strictObject({
    account: orNull.text.describe('Null if the reason does not depend on an account'),
    status: z.enum(INACTIVE_STATUSES),
    text: text.describe('The same as a sentence'),
    suppressed: z
      .array(z.strictObject({ labels: z.record(z.string(), z.string()), suppressed_by: z.array(text) }))
      .describe('The first ten subjects that broader alerts suppress'),
  })
  .meta({ id: 'InactiveAlert' });

const endedJson = (ended: EndedAlert) => {
  const { firing_since, ended_at, ...json } = jsonOf(endedAlert)(ended);
  return { ...json, firing_since, ended_at };
};

const explainedJson = ({ alert, receivers }: ExplainedAlert) => ({
  ...alertJson(alert),
  receivers: receivers.map(noticeJson),
});

/** In answers, the text comes before the reasons, and the end of a reason comes last. */
const noticeJson = ({ reasons, ...of }: Notice) => ({
  ...{ receiver: of.receiver, type: of.type, status: of.status, text: of.text },
  reasons: reasons.map(({ until, untilResolved: until_resolved, ...rest }) => ({
    ...{ ...rest, until_resolved, until: rfc3339(until) },
  })),
  ...jsonOf(notice.omit({ reasons: true }))(of),
});

export const NOTICE_ROUTE = route({
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
    const ended = isFirst ? await found.lastEnded() : null;
    return {
      evaluated: found.isEvaluated,
      matching,
      data: items.map(({ item }) => explainedJson(item)),
      next_cursor: nextCursor,
      inactive: isFirst ? (await found.inactive()).map(jsonOf(inactiveAlert)) : [],
      last_ended: ended && endedJson(ended),
    };
  },
});
