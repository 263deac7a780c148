// The template `pagerduty`: an event that opens, updates or resolves the incident of a group.
// Format: https://developer.pagerduty.com/docs/events-api-v2-overview
// and https://github.com/PagerDuty/api-schema/blob/main/reference/events-v2/openapiv3.json

import { createHash } from 'node:crypto';
import { cutText } from '../../../lib/quoted-text.ts';
import { SEVERITIES } from '../../alert.ts';
import type { NotificationContent } from '../../notification.ts';
import { allLinks, subjectLines, tagOf, titleOf } from './parts.ts';
import { jsonAnswer, type Template, type TemplateContext } from './template.ts';
import { plainFormat, textOf } from './text.ts';

const HOSTS = ['events.pagerduty.com', 'events.eu.pagerduty.com'];
/** Of Events API v2. Accounts in the EU have another address. */
const URL_OF_EVENTS = 'https://events.pagerduty.com/v2/enqueue';
/** PagerDuty rejects longer summaries. */
const MAX_SUMMARY_LENGTH = 1_024;
/** PagerDuty rejects events of more than 512 KB. */
const DETAILS = plainFormat(20_000);

export const pagerduty: Template = {
  defaultUrl: URL_OF_EVENTS,
  request: (content, context) => {
    const { name, url, routing_key } = context.options;
    // As in all templates, a silenced alert does not fire. A trigger could open an incident that somebody has resolved.
    const isResolved = content.firing === 0;
    const event = {
      routing_key: routing_key?.reveal(),
      event_action: isResolved ? 'resolve' : 'trigger',
      dedup_key: createHash('sha256').update(`${name}\n${content.groupKey}`).digest('hex'),
      ...(!isResolved && triggerOf(content, context)),
    };
    return { url: url?.reveal() ?? URL_OF_EVENTS, body: JSON.stringify(event) };
  },
  isAccepted: jsonAnswer(HOSTS, (answer) => 'status' in answer && answer.status === 'success'),
  rejectedSetting: /routing[_ ]key/i,
};

const triggerOf = (content: NotificationContent, { annotate }: TemplateContext): object => {
  const { groupLabels, firing, silenced, added, risen, resolved, alerts } = content;
  return {
    client: 'proxywatch',
    links: allLinks(alerts, annotate).map(({ title, url }) => ({ href: url, text: title })),
    payload: {
      summary: cutText(titleOf(content), MAX_SUMMARY_LENGTH),
      severity: severityOf(tagOf(content)),
      source: groupLabels.account ?? alerts[0]?.labels.account ?? 'proxywatch',
      ...(groupLabels.alertname !== undefined && { class: groupLabels.alertname }),
      custom_details: {
        ...{ firing, silenced, added, risen, resolved },
        subjects: subjectLines(content),
        text: textOf(content, annotate, DETAILS),
      },
    },
  };
};

/** proxywatch has three of PagerDuty's four severities. A severity of another version counts as an error. */
const severityOf = (severity: string): string =>
  SEVERITIES.some((known) => known === severity) ? severity : 'error';
