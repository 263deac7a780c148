// Serves GET /api/v1/alerts: the firing and pending alerts as the daemon itself evaluates them.

import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { type AlertView, alertItem, alertJson, type ListedAlert, STATES } from '../alert-view.ts';
import { flag, orNull, rfc3339 } from './item.ts';
import { indexedList } from './lists/indexed-list.ts';
import * as parameters from './parameters.ts';
import { DAEMON_ACCOUNT, selectedAccounts } from './route.ts';

/** The most severe first. */
const SEVERITIES = ['critical', 'warning', 'info'] as const;
const SEVERITY_ORDER: readonly string[] = SEVERITIES;

export const evaluatedAt = orNull.time.describe(
  'Time of the last evaluation, or null before the first evaluation. If the time is null, an empty list does not mean that no alert fires',
);

export const alertCounts = z
  .strictObject({
    firing: orNull.count.describe(
      'Firing alerts that are not silenced. Null if the daemon does not evaluate alerts, or has not evaluated alerts yet',
    ),
    silenced: orNull.count.describe('Firing alerts that are silenced. Null if `firing` is null'),
    pending: orNull.count.describe(
      'Null if the daemon does not evaluate alerts, or has not evaluated alerts yet',
    ),
    worst_severity: orNull.text.describe('Highest severity of the firing alerts that are not silenced'),
  })
  .meta({ id: 'AlertCounts' });

export const alertCountsJson = (alerts: AlertView, account?: string) => {
  const { isEvaluated, evaluatedAt } = alerts;
  const { firing, silenced, pending, worstSeverity } = alerts.count(account);
  // Alerts from before a restart remain until the first evaluation. Until then a count of 0 means unknown.
  const knownOrNull = (found: number) => (isEvaluated && (found > 0 || evaluatedAt !== null) ? found : null);
  return {
    firing: knownOrNull(firing),
    silenced: knownOrNull(silenced),
    pending: knownOrNull(pending),
    worst_severity: worstSeverity,
  };
};

/** The most urgent is the lowest: firing before pending, both by severity. */
export const urgencyOf = ({ severity, isFiring }: Pick<ListedAlert, 'severity' | 'isFiring'>): number =>
  (isFiring ? 0 : SEVERITIES.length) + SEVERITY_ORDER.indexOf(severity);

/** How many alerts are read before other work runs. */
const SLICE_SIZE = 500;

export const { route: ALERT_ROUTE } = indexedList({
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
  columns: {
    words: {
      account: ({ account }: ListedAlert) => account || null,
      alert: ({ alert }) => alert,
      severity: ({ severity }) => severity,
      state: ({ isFiring }) => (isFiring ? 'firing' : 'pending'),
      labels: ({ labels }) => Object.values(labels).join('\n'),
    },
    numbers: {
      urgency: urgencyOf,
      since: ({ since }) => since,
      firing_since: ({ firingSince }) => firingSince,
    },
  },
  searched: ['account', 'alert', 'labels'],
  searchesId: false,
  sorts: ['state', 'alert', 'since', 'firing_since'],
  sortKeyOf: (sort) => (sort === 'state' ? 'urgency' : sort),
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
  indexRevision: ({ alerts }) => String(alerts.revision),
  pages: async function* ({ alerts }, account) {
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
  read: async ({ account, id }, { alerts }) => {
    const found = alerts.find(account, id);
    return found && alertJson(found);
  },
});
