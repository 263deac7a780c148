// Serves GET /api/v1/uptimes and /api/v1/faults: uptime by hour and by day, and faults with their start and reason.

import { z } from 'zod';
import { UPTIME_KINDS, type UptimeHistory } from '../../../collectors/proxy-tests/uptime-history.ts';
import type { Uptime } from '../../../store/test-history-store.ts';
import { FAULT_KINDS, type Fault } from '../../../store/test-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { text, time } from '../fields.ts';
import { accountItemOf } from '../item.ts';
import { listRoute } from '../list-route.ts';
import { fromItems, fromWholeList } from '../page.ts';
import { oneOf, someOf, texts } from '../parameters.ts';
import { attributedUptime, attributedUptimeJson } from './uptime-json.ts';

const step = attributedUptime
  .extend({ at: time.describe('Start of the hour or day, in UTC') })
  .meta({ id: 'UptimeStep' });

const stepJson = ({ at, ...sums }: Uptime & { readonly at: number }) => ({
  ...attributedUptimeJson(sums),
  at: rfc3339(at),
});

export const { schema: uptimeHistory, json: uptimeHistoryJson } = accountItemOf<UptimeHistory>()(
  'UptimeStrip',
  (from) => ({
    kind: z.enum(UPTIME_KINDS),
    id: text.describe('The proxy’s `proxy_id`, the tester’s `tester_server` or the target’s `url`'),
    hours: from(
      z.array(step).describe('24 hours, oldest first. The last item is the current hour'),
      ({ hours }) => hours.map(stepJson),
    ),
    days: from(
      z.array(step).describe('30 days, oldest first. The last item is the current day'),
      ({ days }) => days.map(stepJson),
    ),
  }),
);

export const { schema: fault, json: faultJson } = accountItemOf<Fault>()('Fault', (from) => ({
  kind: z.enum(FAULT_KINDS),
  subject: text.describe(
    'A `proxy_id` (also of `access`), `url` or `tester_server`, or empty for the provider',
  ),
  since: time,
  reason: from(
    text.nullable().describe('Reason as a text, from the last round with results'),
    ({ reason }) => reason || null,
  ),
}));

const revision = (view: DaemonView): Promise<string> => view.tests.revision();

const faultsOf = async (
  view: DaemonView,
  account: string,
  kinds: readonly Fault['kind'][],
): Promise<readonly Fault[]> =>
  (await view.tests.faults(account)).filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));

export const UPTIME_ROUTES = [
  listRoute({
    path: '/api/v1/uptimes',
    collector: 'proxy_tests',
    summary: 'Uptime by hour for 24 hours and by day for 30 days',
    query: {
      kind: oneOf(UPTIME_KINDS).default('proxy').describe('Kind of subject'),
      id: texts.describe('Only the subject with this id. You can repeat the parameter'),
    },
    item: uptimeHistory,
    revision,
    list: (view, { kind, id }) =>
      fromWholeList(async (name) => {
        const histories = await view.tests.uptimeHistories(name, kind);
        return id.length === 0 ? histories : histories.filter((each) => id.includes(each.id));
      }),
    toJson: uptimeHistoryJson,
  }),
  listRoute({
    path: '/api/v1/faults',
    collector: 'proxy_tests',
    summary: 'Proxies, targets, testers and providers at fault for failing tests, with start and reason',
    query: { kind: someOf(FAULT_KINDS).describe('Only faults of this kind. You can repeat the parameter') },
    item: fault,
    revision,
    list: (view, { kind: kinds }) =>
      fromItems(
        (name) => faultsOf(view, name, kinds),
        ({ kind, subject }) => `${kind}\n${subject}`,
      ),
    count: async (view, { kind: kinds }, accounts) => {
      let total = 0;
      for (const name of accounts) total += (await faultsOf(view, name, kinds)).length;
      return total;
    },
    toJson: faultJson,
  }),
];
