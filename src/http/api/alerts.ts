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
      .describe('Of what it is about; without account where that is the daemon itself'),
    since: time.describe('Since when its condition holds'),
    firing_since: time.nullable(),
    value: amount.nullable(),
    summary: text,
    runbook: text.describe('Where the documentation has it'),
  })
  .meta({ id: 'Alert' });

export const alertJson = ({ alert, severity, labels, since, firingSince, ...texts }: ActiveAlert) => ({
  ...{ alert, severity, labels: { ...labels } },
  state: firingSince === null ? ('pending' as const) : ('firing' as const),
  since: rfc3339(since),
  firing_since: rfc3339(firingSince),
  ...{ value: texts.value, summary: texts.summary, runbook: texts.runbook },
});

export const evaluatedAt = time
  .nullable()
  .describe(
    'When they were last evaluated; null before the first time: until then an empty list says nothing',
  );

export const ALERT_ROUTES = [
  route({
    path: '/api/v1/alerts',
    summary: 'The alerts that fire or are pending',
    query: pageParameters,
    answer: pageOf(alertItem).extend({
      evaluated: flag.describe(
        'Whether the daemon evaluates alerts itself; if not, the list is always empty',
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
