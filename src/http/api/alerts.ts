// Serves GET /api/v1/alerts: the firing and pending alerts as the daemon itself evaluates them.

import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { ActiveAlert, ListedAlert } from '../alert-view.ts';
import { rfc3339 } from '../rfc3339.ts';
import { DAEMON_ACCOUNT } from './alert-counts.ts';
import { amount, flag, text, time } from './fields.ts';
import { indexedList } from './lists/indexed-list.ts';
import type { ColumnsOf } from './lists/list-index.ts';
import { hasWord } from './lists/row-tests.ts';
import { byNumbers, byWords } from './lists/sort.ts';
import * as parameters from './parameters.ts';
import { selectedAccounts } from './route.ts';

export const STATES = ['firing', 'pending'] as const;
/** The most severe first. */
const SEVERITIES = ['critical', 'warning', 'info'] as const;
const SEVERITY_ORDER: readonly string[] = SEVERITIES;

export const alertItem = z
  .strictObject({
    alert: text,
    severity: text,
    state: z.enum(STATES),
    labels: z
      .record(z.string(), z.string())
      .describe('Labels of the alert’s subject. Alerts about the daemon itself have no `account`'),
    since: time.describe('Time at which the condition became true'),
    firing_since: time.nullable().describe('Null while the alert is pending'),
    value: amount.nullable(),
    summary: text,
    description: text.nullable().describe('Meaning and consequences of the alert, and your first steps'),
    runbook: text.nullable().describe('URL of the alert’s documentation, or null if its address is unknown'),
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

/** The most urgent is the lowest: firing before pending, both by severity. */
export const urgencyOf = ({ severity, isFiring }: Pick<ListedAlert, 'severity' | 'isFiring'>): number =>
  (isFiring ? 0 : SEVERITIES.length) + SEVERITY_ORDER.indexOf(severity);

const columns: ColumnsOf<ListedAlert> = {
  words: {
    account: ({ account }) => account || null,
    alert: ({ alert }) => alert,
    severity: ({ severity }) => severity,
    state: ({ isFiring }) => (isFiring ? 'firing' : 'pending'),
    labels: ({ labels }) => Object.values(labels).join('\n'),
  },
  numbers: {
    urgency: urgencyOf,
    since: ({ since }) => since,
    firingSince: ({ firingSince }) => firingSince,
  },
};

/** How many alerts are read before other work runs. */
const SLICE_SIZE = 500;

const list = indexedList({
  path: '/api/v1/alerts',
  summary: 'Firing and pending alerts',
  query: {
    alert: parameters.texts.describe('Only alerts with this name. You can repeat the parameter'),
    severity: parameters
      .someOf(SEVERITIES)
      .describe('Only alerts with this severity. You can repeat the parameter'),
    state: parameters.someOf(STATES).describe('Only alerts in this state. You can repeat the parameter'),
  },
  item: alertItem,
  columns,
  searched: ['account', 'alert', 'labels'],
  searchesId: false,
  sorts: {
    state: byNumbers('urgency'),
    alert: byWords('alert'),
    since: byNumbers('since'),
    firing_since: byNumbers('firingSince'),
  },
  defaultSort: 'state',
  sortText:
    '`state`: firing alerts, then pending alerts, both by severity. `id`: by account and name. Pending alerts come last by `firing_since`',
  accounts: (requested, view) => [
    ...(requested.length === 0 ? [DAEMON_ACCOUNT] : []),
    ...selectedAccounts(requested, view),
  ],
  more: {
    evaluated: flag.describe(
      'True if the daemon evaluates alerts itself. If false, the list is always empty',
    ),
    evaluated_at: evaluatedAt,
  },
  readMore: ({ alerts }) => ({
    evaluated: alerts.isEvaluated,
    evaluated_at: rfc3339(alerts.evaluatedAt),
  }),
  source: async ({ alerts }, account) => ({
    revision: String(alerts.revision),
    pages: async function* () {
      let page: ListedAlert[] = [];
      for (const alert of alerts.items(account)) {
        page.push(alert);
        if (page.length < SLICE_SIZE) continue;
        yield page;
        page = [];
        await setImmediate();
      }
      yield page;
    },
  }),
  filter: (index, { alert, severity, state }) => [
    ...hasWord(index, ['alert'], alert),
    ...hasWord(index, ['severity'], severity),
    ...hasWord(index, ['state'], state),
  ],
  read: async ({ account, id }, { alerts }) => {
    const found = alerts.find(account, id);
    return found && alertJson(found);
  },
});

export const ALERT_ROUTES = [list.route];
