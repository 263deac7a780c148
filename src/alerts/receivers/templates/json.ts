// The template `json`: proxywatch's own format, described in docs/reference/api.md.

import type { Annotate } from '../../annotations.ts';
import type { AlertDescription, NotificationContent } from '../../notification.ts';
import { isFiring } from './parts.ts';
import type { Template } from './template.ts';

export const json: Template = {
  request: (content, { options, annotate }) => ({
    url: options.url?.reveal() ?? '',
    body: JSON.stringify(jsonOf(options.name, content, annotate)),
  }),
  requestReport: ({ data }, { options: { name, url } }) => ({
    url: url?.reveal() ?? '',
    body: JSON.stringify({ version: '2', receiver: name, status: 'report', report: data }),
  }),
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

export const statusOf = ({ firing }: NotificationContent): string => (firing > 0 ? 'firing' : 'resolved');

/** Returns how many alerts of the notification are not in its list. */
export const truncatedAlerts = ({ firing, resolved, alerts }: NotificationContent): number =>
  firing + resolved - alerts.length;

export const alertJson = (alert: AlertDescription, annotate: Annotate): object => ({
  status: isFiring(alert) ? 'firing' : 'resolved',
  labels: { alertname: alert.alert, severity: alert.severity, ...alert.labels },
  annotations: annotate(alert),
  value: alert.value,
  startsAt: new Date(alert.startsAt).toISOString(),
  endsAt: alert.endsAt === null ? null : new Date(alert.endsAt).toISOString(),
});
