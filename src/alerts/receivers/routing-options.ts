// Defines the settings that receivers share: their names, which alerts they get, and how notifications are grouped.

import { z } from 'zod';
import { closestMatch } from '../../config/closest-match.ts';
import type { SettingMistake } from '../../config/config-error.ts';
import { currentLabel } from '../../config/former-labels.ts';
import {
  cronExpression,
  describeInvalidHttpUrl,
  duration,
  EXPECTED_HTTP_URL,
  identifier,
  isHttpUrl,
  secret,
} from '../../config/primitives.ts';
import { REPORT_UNITS } from '../../lib/calendar.ts';
import { MINUTE } from '../../lib/time.ts';
import { mutableAlerts, SEVERITIES } from '../alert.ts';
import { ALERTS } from '../table.ts';

export const receiverName = () =>
  identifier()
    .optional()
    .describe(
      'Label `receiver`, and the name of the queue. The default is the type. If several receivers have the same type, each receiver after the first also has a number, such as webhook-2',
    );

/** A URL is a secret, because everyone who knows it can send notifications to it. */
export const secretUrl = () => secret(EXPECTED_HTTP_URL, isHttpUrl, describeInvalidHttpUrl);

/** The settings of each receiver whose notifications are filtered and grouped. */
export const routingOptions = {
  min_severity: z
    .enum(SEVERITIES)
    .default('warning')
    .describe('The receiver gets alerts of this severity and of higher severities'),
  accounts: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('The receiver gets only alerts about these accounts. The default is all alerts'),
  alerts: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('The receiver gets only these alerts. The default is all alerts'),
  send_resolved: z.boolean().default(true).describe('Whether the receiver is notified of resolved alerts'),
  group_by: z
    .array(z.string().transform(currentLabel))
    .prefault(['account', 'alertname'])
    .describe(
      'Labels of alerts. Alerts with the same values of these labels are one group, and each notification is about one group',
    ),
  group_wait: duration()
    .prefault('30s')
    .describe('Time that a new alert waits, so that one notification also tells the alerts that follow it'),
  group_interval: duration()
    .prefault('5m')
    .describe('Shortest time between two notifications about the same group'),
  repeat_every: duration({ min: MINUTE })
    .prefault('4h')
    .describe('Time after which a notification about alerts that still fire is repeated'),
  after: duration()
    .prefault('0s')
    .describe('The receiver gets only alerts that have fired for this time, as an escalation'),
  report: z
    .strictObject({
      period: z.enum(REPORT_UNITS).default('week').describe('Length of the reports. Weeks begin on Monday'),
      schedule: cronExpression().describe(
        'Schedule in schedule_time_zone. Each time, the receiver gets a report of the newest period that is over, for each account',
      ),
    })
    .optional()
    .describe('Reports for this receiver. The default is none'),
};

const schema = z.object(routingOptions);
export type RoutingOptions = z.output<typeof schema>;

/** Alerts about the daemon have it if there are several shards. */
export const SHARD_LABEL = 'shard';
/** The labels of alerts, as receivers get them. */
const LABELS = new Set([
  'account',
  'alertname',
  'severity',
  SHARD_LABEL,
  ...ALERTS.flatMap(({ labels }) => labels),
]);

/** Returns the names that nothing has. Their paths start at the receiver. */
export const routingMistakes = (
  { accounts = [], alerts = [], group_by }: RoutingOptions,
  accountNames: readonly string[],
): SettingMistake[] => [
  ...unknownNames('accounts', accounts, accountNames, 'no account is called'),
  ...unknownNames('alerts', alerts, mutableAlerts(ALERTS), 'the daemon evaluates no alert'),
  ...unknownNames('group_by', group_by, LABELS, 'no alert has a label'),
];

const unknownNames = (
  setting: string,
  names: readonly string[],
  known: Iterable<string>,
  problem: string,
): SettingMistake[] => {
  const knownNames = new Set(known);
  return names.flatMap((name, index) => {
    if (knownNames.has(name)) return [];
    const meant = closestMatch(name, knownNames);
    const question = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return [{ path: [setting, index], message: `${problem} "${name}"${question}` }];
  });
};
