// Defines the JSON of a report: a week or month of an account, and what is not known of it.

import { z } from 'zod';
import { REPORT_UNITS } from '../../../lib/calendar.ts';
import { INVENTORY_CHANGES } from '../../../store/inventory-store.ts';
import { INVOICE_PARTS } from '../invoice/invoice-json.ts';
import { account, amount, count, date, flag, orNull, text, time } from '../item.ts';
import { balance } from '../ledger.ts';
import { attributedUptime } from '../tests/uptimes.ts';
import { rankedUser } from '../users/user-use-json.ts';

/** What can be unknown, beside the parts of an invoice. */
const PARTS = [
  ...INVOICE_PARTS,
  ...(['traffic', 'quotas', 'alerts', 'proxy_tests', 'probes', 'inventory', 'comparison'] as const),
] as const;

/** The parts that amounts come from. */
export const AMOUNT_PARTS = ['ledger', 'users', 'traffic'] as const;

const amounts = z
  .strictObject({
    ledger_added_bytes: orNull.count.describe('Bytes that the residential ledger added'),
    ledger_used_bytes: orNull.count.describe('Bytes that the residential ledger used'),
    residential_users_bytes: orNull.count.describe('Residential bytes that all proxy users used'),
    mobile_users_bytes: orNull.count.describe('Mobile bytes that all proxy users used'),
    traffic_bytes: orNull.count.describe('Bytes of the graph of the whole account'),
    traffic_requests: orNull.count.describe('Requests of the graph of the whole account'),
  })
  .meta({ id: 'ReportAmounts' });

const seconds = amount.describe('Time for which it fired in the period');

const reportedAlert = z.strictObject({
  alert: text,
  began: count.describe('How often it began to fire in the period'),
  firing: count.describe('How many fire still'),
  subjects: count.describe('Number of subjects for which it fired in the period'),
  seconds: seconds.describe('Time for which it fired in the period, added up over its subjects'),
});

const longestAlert = z.strictObject({
  alert: text,
  severity: text,
  labels: z.record(z.string(), z.string()),
  firing_since: time,
  ended_at: orNull.time.describe('Null while it fires'),
  seconds,
});

const worstProxy = z.strictObject({
  proxy_id: text,
  ...attributedUptime.pick({ results: true, ratio: true, own_ratio: true }).shape,
});

const uptime = z.strictObject({
  source: z.enum(['proxy_tests', 'probes']).describe('The provider’s testers, or this machine'),
  results: count.describe('Results of all proxies in the period'),
  successes: count,
  ratio: orNull.ratio.describe('Share of the results that are successful. Null without results'),
  proxies: z
    .strictObject({
      without_failures: count,
      own_failures: count.describe('With a failure by a fault of the proxy itself'),
      unexplained_failures: count.describe('Of the others, those with a failure that no fault explains'),
      other_failures: count.describe('With failures by faults of others only'),
      unknown: count.describe('With failures that an earlier version stored'),
    })
    .describe('Number of proxies with results by what their failures were in the period'),
  worst: z.array(worstProxy).describe('The 5 proxies with the lowest `own_ratio` below 1'),
});

const reportedService = z.strictObject({
  service_id: text,
  service_name: orNull.text,
  product_type: orNull.text,
  at: time,
});
const services = z.strictObject({ count, first: z.array(reportedService).describe('The first 5 by time') });

const quotas = z.strictObject({
  exhausted: count,
  soon: count.describe('Neither exhausted nor low, but expected to be exhausted soon'),
  low: count,
  unknown: count,
  next: z
    .array(
      z.strictObject({
        proxy_user_id: text,
        product_type: text,
        left_bytes: count,
        exhausted_at: time,
      }),
    )
    .describe('The 5 quotas with bytes left that are expected to be exhausted first'),
});

export const report = z
  .strictObject({
    account,
    period: z.enum(REPORT_UNITS),
    first_day: date,
    last_day: date,
    time_zone: text.describe('The account’s `time_zone`, in which the days begin and end'),
    from: time,
    to: time.describe('End of the last day, exclusive'),
    is_over: flag,
    made_at: time.describe('Time of the report. The runway and the quotas are those of this time'),
    amounts,
    amounts_before: amounts.describe('The same of the period before'),
    comparable: z
      .array(z.enum(AMOUNT_PARTS))
      .describe('The parts of which all is known of both periods, so that their amounts can be compared'),
    users: z.array(rankedUser).describe('The 5 users that used the most bytes'),
    ledger_services: z
      .array(z.strictObject({ service_id: orNull.text, used_bytes: count }))
      .describe('The 5 services with the most bytes in the ledger. Null stands for the whole account'),
    balance: balance.nullable().describe('The residential balance. Null if it is unknown'),
    mobile_balance: balance.nullable().describe('The mobile balance. Null if it is off or unknown'),
    quotas: quotas
      .nullable()
      .describe('Number of quotas of all users by state. Null before the first complete listing'),
    alerts: z
      .array(reportedAlert)
      .nullable()
      .describe('Alerts that fired in the period, the longest first. Null if they are unknown'),
    longest_alerts: z.array(longestAlert).describe('The 5 of them that fired the longest in the period'),
    uptime: z.array(uptime).describe('By source of the tests that is on'),
    inventory_changes: z
      .record(z.enum(INVENTORY_CHANGES), count)
      .nullable()
      .describe('Number of changes by kind. Null if they are unknown'),
    services: z
      .strictObject({
        begun: services.describe('Services that were created in the period'),
        ended: services.describe('Services that expired in the period'),
        next: services.describe('Services that expire within 30 days from the time of the report'),
      })
      .nullable()
      .describe('Null if the services were not read'),
    unknown: z
      .array(
        z.strictObject({
          part: z.enum(PARTS),
          message: text,
          dates: z.array(date).describe('The days that it is about. Empty if it is about the whole period'),
        }),
      )
      .describe('What is not known'),
  })
  .meta({ id: 'Report' });

export type Report = z.output<typeof report>;
export type UnknownOfReport = readonly Report['unknown'][number][];
export type Amounts = z.output<typeof amounts>;
