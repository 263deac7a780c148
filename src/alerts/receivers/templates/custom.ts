// The template `custom`: the operator's own JSON body, whose placeholders are replaced.

import type { NotificationContent } from '../../notification.ts';
import type { BodyTemplate, Placeholder } from '../webhook-options.ts';
import { alertJson, statusOf, truncatedAlerts } from './json.ts';
import { describedKinds, pageOf, tagOf, titleOf } from './parts.ts';
import type { Template, TemplateContext } from './template.ts';
import { plainFormat, textOf } from './text.ts';

const FORMAT = plainFormat(4_000);

export const custom: Template = {
  request: (content, context) => ({
    url: context.options.url?.reveal() ?? '',
    body: renderBody(context.options.body_file ?? [], valuesOf(content, context)),
  }),
};

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
  };
};
