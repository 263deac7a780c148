// Serves GET /api/v1/alerts/groups: the firing and pending alerts by name, severity and state, each group with its number.

import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { type AlertView, alertItem, alertJson, type ListedAlert, STATES } from '../alert-view.ts';
import type { DaemonView } from '../daemon-view.ts';
import { evaluatedAt, urgencyOf } from './alerts.ts';
import { count, flag, orNull, rfc3339, text, time } from './item.ts';
import { noticeStatus } from './notices.ts';
import { account, booleanFlag } from './parameters.ts';
import { DAEMON_ACCOUNT, route, selectedAccounts } from './route.ts';

const MAX_ACCOUNTS = 3;
const MAX_EXAMPLES = 5;
/** How many alerts are grouped before other work runs. */
const SLICE_SIZE = 500;

export const alertGroup = z
  .strictObject({
    alert: text,
    severity: text,
    state: z.enum(STATES),
    count,
    since: time.describe('Earliest time at which the condition of one of the alerts became true'),
    silenced_until: orNull.time.describe(
      'The first end of the silences of these alerts, or null if they are not silenced',
    ),
    accounts: z
      .array(text)
      .describe(`The first ${MAX_ACCOUNTS} accounts of the alerts. The daemon's own alerts have none`),
    account_count: count,
    examples: z.array(alertItem).describe(`The first ${MAX_EXAMPLES} alerts of the group`),
    receivers: z
      .array(z.strictObject({ receiver: text, status: noticeStatus, notified_at: orNull.time }))
      .describe('What the receivers know of the first alert of the group, in the order of the configuration'),
  })
  .meta({ id: 'AlertGroup' });

export const accountAlerts = z
  .strictObject({
    account: orNull.text.describe('Null for the alerts about the daemon itself'),
    firing: count.describe('Firing alerts that are not silenced'),
    silenced: count.describe('Firing alerts that are silenced'),
    pending: count,
    worst_severity: orNull.text.describe('Highest severity of the firing alerts that are not silenced'),
  })
  .meta({ id: 'AccountAlerts' });

interface Group {
  readonly first: ListedAlert;
  readonly isSilenced: boolean;
  /** By account ('' for the daemon): the number of its alerts. */
  readonly accounts: Map<string, number>;
  readonly examples: ListedAlert[];
  count: number;
  since: number;
  /** The first end (ms); infinite if they are not silenced. */
  silencedUntil: number;
}

/** Groups the alerts of these accounts, in slices, because there may be many. */
const groupsOf = async (alerts: AlertView, accounts: readonly string[]): Promise<Group[]> => {
  const groups = new Map<string, Group>();
  let grouped = 0;
  for (const name of accounts)
    for (const alert of alerts.items(name)) {
      const silencedUntil = alerts.silencedUntil(alert.account, alert.id) ?? Number.POSITIVE_INFINITY;
      const isSilenced = Number.isFinite(silencedUntil);
      const key = `${urgencyOf(alert)} ${isSilenced} ${alert.alert}`;
      const empty = { first: alert, isSilenced, accounts: new Map<string, number>(), examples: [], count: 0 };
      const group = groups.get(key) ?? { ...empty, since: alert.since, silencedUntil };
      groups.set(key, group);
      add(group, alert);
      group.silencedUntil = Math.min(group.silencedUntil, silencedUntil);
      grouped += 1;
      if (grouped % SLICE_SIZE === 0) await setImmediate();
    }
  return [...groups.values()].sort(byUrgency);
};

const add = (group: Group, alert: ListedAlert): void => {
  group.count += 1;
  group.since = Math.min(group.since, alert.since);
  group.accounts.set(alert.account, (group.accounts.get(alert.account) ?? 0) + 1);
  if (group.examples.length < MAX_EXAMPLES) group.examples.push(alert);
};

/** Orders by state, then what is not silenced, then by severity and name. */
const byUrgency = (one: Group, other: Group): number =>
  Number(other.first.isFiring) - Number(one.first.isFiring) ||
  Number(one.isSilenced) - Number(other.isSilenced) ||
  urgencyOf(one.first) - urgencyOf(other.first) ||
  (one.first.alert < other.first.alert ? -1 : 1);

/** Counts the alerts of each account that has any. The groups begin with the most severe of the firing alerts. */
const countsOf = (groups: readonly Group[]): z.output<typeof accountAlerts>[] => {
  const counts = new Map<string, z.output<typeof accountAlerts>>();
  for (const { first, isSilenced, accounts } of groups)
    for (const [name, alerts] of accounts) {
      const account = name === DAEMON_ACCOUNT ? null : name;
      const none = { account, firing: 0, silenced: 0, pending: 0, worst_severity: null };
      const own = counts.get(name) ?? none;
      counts.set(name, own);
      if (!first.isFiring) own.pending += alerts;
      else if (isSilenced) own.silenced += alerts;
      else {
        own.firing += alerts;
        own.worst_severity ??= first.severity;
      }
    }
  return [...counts.values()];
};

const groupJson = async (
  { first, accounts: counted, examples, count, since, silencedUntil, ...group }: Group,
  { alerts, notices }: DaemonView,
) => {
  const accounts = [...counted.keys()].filter((name) => name !== DAEMON_ACCOUNT);
  return {
    ...{ alert: first.alert, severity: first.severity },
    state: first.isFiring ? ('firing' as const) : ('pending' as const),
    ...{ count, since: rfc3339(since) },
    silenced_until: rfc3339(group.isSilenced ? silencedUntil : null),
    accounts: accounts.slice(0, MAX_ACCOUNTS),
    account_count: accounts.length,
    examples: examples.flatMap(({ account, id }) => {
      const found = alerts.find(account, id);
      return found ? [alertJson(found)] : [];
    }),
    receivers: (await notices.noticesOf(first)).map(({ receiver, status, notifiedAt }) => ({
      receiver,
      status,
      notified_at: rfc3339(notifiedAt),
    })),
  };
};

export const alertGroupsJson = async (view: DaemonView, accounts: readonly string[]) => {
  const { alerts } = view;
  const groups = await groupsOf(alerts, accounts);
  return {
    evaluated: alerts.isEvaluated,
    evaluated_at: rfc3339(alerts.evaluatedAt),
    data: await Promise.all(groups.map((group) => groupJson(group, view))),
    counts: countsOf(groups),
  };
};

const everyAccount = (view: DaemonView): string[] => [DAEMON_ACCOUNT, ...selectedAccounts([], view)];

export const ALERT_GROUP_ROUTE = route({
  path: '/api/v1/alerts/groups',
  summary: 'Firing and pending alerts by name, severity and state',
  query: {
    account,
    with_daemon: booleanFlag.describe(
      'Also the alerts about the daemon itself, which you otherwise get only without `account`',
    ),
  },
  answer: z
    .strictObject({
      evaluated: flag,
      evaluated_at: evaluatedAt,
      data: z.array(alertGroup),
      counts: z.array(accountAlerts).describe('The number of alerts of each account that has any'),
    })
    .meta({ id: 'AlertGroups' }),
  read: ({ view, query: { account: requested, with_daemon: withDaemon } }) =>
    alertGroupsJson(
      view,
      requested.length === 0
        ? everyAccount(view)
        : [...(withDaemon ? [DAEMON_ACCOUNT] : []), ...selectedAccounts(requested, view)],
    ),
});
