// Serves GET /api/v1/uptimes and /api/v1/faults: uptime by hour and by day, and faults with their start and reason.

import { z } from 'zod';
import { UPTIME_KINDS, type UptimeHistory } from '../../../collectors/proxy-tests/uptime-history.ts';
import type { Fault, Uptime } from '../../../store/test-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { account, text, time } from '../fields.ts';
import { listRoute } from '../list-route.ts';
import { fromItems, fromWholeList } from '../page.ts';
import { oneOf } from '../parameters.ts';
import { uptime, uptimeJson } from './tests.ts';

const step = uptime
  .extend({ at: time.describe('Start of the hour or day, in UTC') })
  .meta({ id: 'UptimeStep' });

export const uptimeHistory = z
  .strictObject({
    account,
    kind: z.enum(UPTIME_KINDS),
    id: text.describe('The proxy’s `proxy_id`, the tester’s `tester_server` or the target’s `url`'),
    hours: z.array(step).describe('24 hours, oldest first. The last item is the current hour'),
    days: z.array(step).describe('30 days, oldest first. The last item is the current day'),
  })
  .meta({ id: 'UptimeStrip' });

export const fault = z
  .strictObject({
    account,
    kind: z.enum(['proxy', 'target', 'tester', 'provider']),
    subject: text.describe('A `proxy_id`, `url` or `tester_server`, or empty for the provider'),
    since: time,
    reason: text.nullable().describe('Reason as a text, from the last round with results'),
  })
  .meta({ id: 'Fault' });

const revision = (view: DaemonView): Promise<string> => view.tests.revision();

const stepJson = ({ at, ...sums }: Uptime & { readonly at: number }) => ({
  ...uptimeJson(sums),
  at: rfc3339(at),
});

export const UPTIME_ROUTES = [
  listRoute({
    path: '/api/v1/uptimes',
    collector: 'proxy_tests',
    summary: 'Uptime by hour for 24 hours and by day for 30 days',
    query: { kind: oneOf(UPTIME_KINDS).default('proxy').describe('Kind of subject') },
    item: uptimeHistory,
    revision,
    list: (view, { kind }) => fromWholeList((name) => view.tests.uptimeHistories(name, kind)),
    toJson: (account, { kind, id, hours, days }: UptimeHistory) => ({
      account,
      kind,
      id,
      hours: hours.map(stepJson),
      days: days.map(stepJson),
    }),
  }),
  listRoute({
    path: '/api/v1/faults',
    collector: 'proxy_tests',
    summary: 'Proxies, targets, testers and providers at fault for failing tests, with start and reason',
    query: {},
    item: fault,
    revision,
    list: (view) =>
      fromItems(
        (name) => view.tests.faults(name),
        ({ kind, subject }) => `${kind}\n${subject}`,
      ),
    toJson: (account, { kind, subject, since, reason }: Fault) => ({
      account,
      kind,
      subject,
      since: rfc3339(since),
      reason: reason || null,
    }),
  }),
];
