// Serves GET /api/v1/alerts: the firing and pending alerts as the daemon itself evaluates them.

import { z } from 'zod';
import type { ActiveAlert } from '../daemon-view.ts';
import { rfc3339 } from '../rfc3339.ts';
import { DAEMON_ACCOUNT } from './alert-counts.ts';
import { amount, flag, pageOf, text, time } from './fields.ts';
import { readPage } from './page.ts';
import { page as pageParameters } from './parameters.ts';
import { pageRequestOf, route } from './route.ts';

export const alertItem = z
  .strictObject({
    alert: text,
    severity: text,
    state: z.enum(['firing', 'pending']),
    labels: z
      .record(z.string(), z.string())
      .describe('Labels of the alert’s subject. Alerts about the daemon itself have no `account`'),
    since: time.describe('Time at which the condition became true'),
    firing_since: time.nullable().describe('Null while the alert is pending'),
    value: amount.nullable(),
    summary: text,
    description: text.nullable().describe('Meaning and consequences of the alert, and your first steps'),
    runbook: text
      .nullable()
      .describe('URL of the alert’s documentation, or null if you have not set `alerts.docs_url`'),
    silenced_until: time
      .nullable()
      .describe('End of the silences and maintenance windows that match the alert now, or null if none does'),
    silenced_by: z
      .array(
        z.strictObject({
          silence: text.nullable().describe('Id of the silence, or null for a maintenance window'),
          comment: text.nullable().describe('Comment of the silence'),
          maintenance: text.nullable().describe('Name of the maintenance window'),
        }),
      )
      .describe('Silences and maintenance windows that match the alert now'),
  })
  .meta({ id: 'Alert' });

export const alertJson = ({ alert, severity, labels, since, firingSince, ...texts }: ActiveAlert) => ({
  ...{ alert, severity, labels: { ...labels } },
  state: firingSince === null ? ('pending' as const) : ('firing' as const),
  since: rfc3339(since),
  firing_since: rfc3339(firingSince),
  ...{ value: texts.value, summary: texts.summary },
  ...{ description: texts.description, runbook: texts.runbook },
  silenced_until: rfc3339(texts.silencedUntil),
  silenced_by: texts.silencedBy.map((source) => ({ ...source })),
});

export const evaluatedAt = time
  .nullable()
  .describe(
    'Time of the last evaluation, or null before the first evaluation. If the time is null, an empty list does not mean that no alert fires',
  );

export const ALERT_ROUTES = [
  route({
    path: '/api/v1/alerts',
    summary: 'Firing and pending alerts',
    query: pageParameters,
    answer: pageOf(alertItem).extend({
      evaluated: flag.describe(
        'True if the daemon evaluates alerts itself. If false, the list is always empty',
      ),
      evaluated_at: evaluatedAt,
    }),
    read: async ({ view, query }) => {
      const { alerts } = view;
      const request = pageRequestOf(query, view);
      const accounts = query.account.length === 0 ? [DAEMON_ACCOUNT, ...request.accounts] : request.accounts;
      const { items, nextCursor } = await readPage({ ...request, accounts }, async (account, after, limit) =>
        alerts.list(account, after, limit),
      );
      return {
        evaluated: alerts.isEvaluated,
        evaluated_at: rfc3339(alerts.evaluatedAt),
        data: items.map(({ item }) => alertJson(item)),
        next_cursor: nextCursor,
      };
    },
  }),
];
