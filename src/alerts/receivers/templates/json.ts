// The templates of JSON: `json`, described in docs/reference/api.md, and `custom`, the operator's body with placeholders.

import type { Annotate } from '../../annotations.ts';
import type { AlertDescription, NotificationContent, ReportMessage } from '../../notification.ts';
import type { BodyTemplate, Placeholder } from '../webhook-options.ts';
import { describedKinds, isFiring, pageOf, tagOf, titleOf } from './parts.ts';
import { requestOf, type Template, type TemplateContext, type TemplateRequest } from './template.ts';
import { plainFormat, reportTextOf, textOf } from './text.ts';

export const json: Template = {
  request: (content, { options, annotate }) => requestOf(options, jsonOf(options.name, content, annotate)),
  requestReport: ({ data }, { options }) =>
    requestOf(options, { version: '2', receiver: options.name, status: 'report', report: data }),
};

const jsonOf = (receiver: string, content: NotificationContent, annotate: Annotate): object => {
  const { groupKey, groupLabels, firing, silenced, added, risen, resolved, alerts } = content;
  return {
    version: '2',
    receiver,
    status: statusOf(content),
    ...{ groupKey, groupLabels, firing, silenced, added, risen, resolved },
    truncatedAlerts: truncatedAlerts(content),
    alerts: alerts.map((alert) => alertJson(alert, annotate)),
  };
};

const statusOf = ({ firing }: NotificationContent): string => (firing > 0 ? 'firing' : 'resolved');

/** Returns how many alerts of the notification are not in its list. */
const truncatedAlerts = ({ firing, resolved, alerts }: NotificationContent): number =>
  firing + resolved - alerts.length;

const alertJson = (alert: AlertDescription, annotate: Annotate): object => ({
  status: isFiring(alert) ? 'firing' : 'resolved',
  labels: { alertname: alert.alert, severity: alert.severity, ...alert.labels },
  annotations: annotate(alert),
  value: alert.value,
  startsAt: new Date(alert.startsAt).toISOString(),
  endsAt: alert.endsAt === null ? null : new Date(alert.endsAt).toISOString(),
});

const FORMAT = plainFormat(4_000);

export const custom: Template = {
  request: (content, context) => filledRequest(valuesOf(content, context), context),
  requestReport: (report, context) => filledRequest(reportValuesOf(report, context), context),
};

const filledRequest = (values: PlaceholderValues, { options }: TemplateContext): TemplateRequest => ({
  url: options.url?.reveal() ?? '',
  body: renderBody(options.body_file ?? [], values),
});

export type PlaceholderValues = Readonly<Record<Placeholder, unknown>>;

/** Texts stand between the quotation marks of the file. Numbers, lists and maps are JSON themselves. */
export const renderBody = (template: BodyTemplate, values: PlaceholderValues): string =>
  template
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = values[part.placeholder];
      return typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value);
    })
    .join('');

const valuesOf = (
  content: NotificationContent,
  { options, annotate }: TemplateContext,
): PlaceholderValues => {
  const { alerts, groupKey, groupLabels, firing, silenced, added, risen, resolved } = content;
  const [kind] = describedKinds(alerts, annotate);
  const links = alerts[0] ? annotate(alerts[0]) : undefined;
  return {
    receiver: options.name,
    status: statusOf(content),
    severity: tagOf(content),
    title: titleOf(content),
    text: textOf(content, annotate, FORMAT),
    description: kind?.description ?? '',
    runbook_url: kind?.runbook_url ?? '',
    status_page_url: pageOf(alerts, annotate) ?? '',
    dashboard_url: links?.dashboard_url ?? '',
    group_key: groupKey,
    ...{ firing, silenced, added, risen, resolved },
    truncated_alerts: truncatedAlerts(content),
    group_labels: groupLabels,
    alerts: alerts.map((alert) => alertJson(alert, annotate)),
    report: null,
  };
};

/** The title is the key, because a service that joins messages with the same key must show each report. */
const reportValuesOf = (report: ReportMessage, { options }: TemplateContext): PlaceholderValues => ({
  ...{ receiver: options.name, status: 'report', severity: 'info' },
  ...{ title: report.title, text: reportTextOf(report, FORMAT), group_key: report.title },
  ...{ description: '', runbook_url: '', status_page_url: '', dashboard_url: '' },
  ...{ firing: 0, silenced: 0, added: 0, risen: 0, resolved: 0, truncated_alerts: 0 },
  ...{ group_labels: {}, alerts: [], report: report.data },
});
