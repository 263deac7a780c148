// Serves GET /api/v1/accounts/{account}/events: what can explain a jump in the plots of an account or of one of its subjects.

import { z } from 'zod';
import type { CollectorName } from '../../collectors/context.ts';
import { currentSubject } from '../../config/former-labels.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import type { Silence } from '../../store/alert-store.ts';
import type { AdjustmentEvents, ChangedProxies, EventGroup, EventRange } from '../../store/event-store.ts';
import { INVENTORY_CHANGES } from '../../store/inventory-store.ts';
import { TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import type { AccountView } from '../daemon-view.ts';
import { adjustmentFields, changes } from './adjustments.ts';
import { account, count, itemOf, jsonOf, orNull, time } from './item.ts';
import * as parameters from './parameters.ts';
import { ApiError, type ApiRequest, type QueryOf, route } from './route.ts';

export const EVENT_KINDS = [
  'restart',
  ...INVENTORY_CHANGES.map((change) => `proxy_${change}` as const),
  'adjustment',
  'silence_begin',
  'silence_end',
  'late_change',
] as const;

interface Event extends EventGroup, Partial<Omit<AdjustmentEvents, keyof EventGroup>> {
  readonly kind: (typeof EVENT_KINDS)[number];
  readonly readAt?: number | null;
  readonly alert?: string | null;
  readonly comment?: string | null;
}

const { schema: event } = itemOf<Event>()('Event', () => ({
  kind: z.enum(EVENT_KINDS),
  at: time.describe('Time of the first event, or start of the first bucket in the range that changed late'),
  until: time.describe('Time of the last event, or end of the last bucket that changed late'),
  count: count.describe('Number of events of this kind that are near each other'),
  read_at: orNull.time.describe('Time at which proxywatch read the newest late change. Null for other kinds'),
  alert: orNull.text.describe('Alert of a single silence. Null for every alert, and for other kinds'),
  comment: orNull.text.describe('Comment of a single silence. Null for several, and for other kinds'),
  ...adjustmentFields,
  service_id: orNull.text.describe('Service of a single adjustment. Null for several, and for other kinds'),
  changes: changes
    .nullable()
    .describe('Changes of a single adjustment. Null for several, and for other kinds'),
  reason: orNull.text.describe(
    'Why proxies were replaced, if all of them have the same known reason: of a single adjustment, or of changes of the inventory',
  ),
}));

export const events = z
  .strictObject({
    account,
    subject: orNull.text,
    from: time,
    to: time,
    restarts_known_since: orNull.time.describe('Null before the store has a start of the daemon'),
    inventory_known_since: orNull.time.describe(
      'Time since which changes of the inventory are stored. Null before the first complete listing, while the collector is off, and for subjects without proxies',
    ),
    adjustments_known_since: orNull.time.describe(
      'Time in the range since which no adjustment is missing. Null before the first complete listing, while the collector is off, and for proxies and users',
    ),
    late_changes_known_since: orNull.time.describe(
      'Time since which late changes of the graph are stored. Null if proxywatch does not read it, and for subjects that are no graph',
    ),
    data: z.array(event).describe('Events in the range, oldest first'),
  })
  .meta({ id: 'Events' });
const eventsJson = jsonOf(events);

/** The steps by which events are grouped, and the most steps of a range. Plots have few more pixels. */
const STEPS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 12 * HOUR, 2 * DAY];
const MAX_STEPS = 200;

export const stepOf = (rangeMs: number): number =>
  STEPS.find((step) => rangeMs / step <= MAX_STEPS) ?? Math.ceil(rangeMs / MAX_STEPS);

/** What a plot shows: whose proxies, and which graph. */
interface Scope {
  readonly label: string | null;
  readonly value: string;
  /** Null if proxies do not concern the subject. */
  readonly proxies: ChangedProxies | null;
  /** Null if the subject is no graph. */
  readonly graph: string | null;
}

const LABELS = ['graph', 'service_id', 'proxy_id', 'url', 'tester_server', 'proxy_user_id'];

const scopeOf = async ({ settings, store }: AccountView, subject: string | undefined): Promise<Scope> => {
  if (subject === undefined) return { label: null, value: '', proxies: {}, graph: '' };
  const [, label = '', value = ''] = /^(\w+)=(.*)$/s.exec(currentSubject(subject)) ?? [];
  const named = { label, value, graph: null };
  switch (label) {
    case 'graph':
      return { ...named, graph: value, proxies: proxiesOf(settings, value) };
    case 'service_id':
      return { ...named, proxies: { serviceId: value } };
    case 'proxy_id': {
      const tested = await store.sourceProxies.find(settings.name, TESTED_PROXIES, value);
      return { ...named, proxies: { proxyId: tested?.inventoryId ?? value } };
    }
    case 'url':
    case 'tester_server':
      return { ...named, proxies: {} };
    case 'proxy_user_id':
      return { ...named, proxies: null };
    default:
      throw new ApiError(400, `subject: expected label=value with one of the labels ${LABELS.join(', ')}`);
  }
};

/** Returns the proxies that a graph can have traffic of; null if the graph is that of a user. */
const proxiesOf = ({ traffic }: AccountView['settings'], name: string): ChangedProxies | null => {
  const graph = traffic ? traffic.graphs.find((each) => each.name === name) : undefined;
  if (graph?.proxy_user_id !== undefined) return null;
  return { serviceId: graph?.service_id, productType: graph?.product_type };
};

/** Sums events of a kind in the same step, as the store does. */
const inSteps = (all: readonly Event[], { stepMs }: EventRange): Event[] =>
  [...Map.groupBy(all, ({ kind, at }) => `${kind} ${Math.floor(at / stepMs)}`).values()].flatMap((group) => {
    const [first] = group;
    if (!first || group.length === 1) return first ?? [];
    const { kind } = first;
    const times = group.map(({ at }) => at);
    return { kind, at: Math.min(...times), until: Math.max(...times), count: group.length };
  });

const silenceEvents = (
  silences: readonly Silence[],
  name: string,
  { label, value }: Scope,
  range: EventRange,
): Event[] => {
  const subjects = label === null ? [null, 'graph='] : [null, value, `${label}=${value}`];
  const concerning = silences.filter(
    (each) => (each.account ?? name) === name && subjects.includes(each.subject),
  );
  const of = (kind: Event['kind'], at: number, { alert, comment }: Silence): Event[] =>
    at < range.from || at >= range.to ? [] : [{ kind, at, until: at, count: 1, alert, comment }];
  const all = concerning.flatMap((each) => [
    ...of('silence_begin', each.startsAt, each),
    ...of('silence_end', each.endsAt, each),
  ]);
  return inSteps(all, range);
};

/** Returns the latest time; null if one is unknown. */
const latest = (...times: readonly (number | null)[]): number | null =>
  times.some((at) => at === null) ? null : Math.max(...times.map(Number));

/** What the store has of the scope, and since when it knows it. */
const storedEvents = async (view: AccountView, scope: Scope, range: EventRange) => {
  const { settings, store } = view;
  const { name, collectors } = settings;
  const isOn = (collector: CollectorName): boolean => collectors.includes(collector);
  const proxies = isOn('inventory') ? scope.proxies : null;
  const graph =
    isOn('traffic') && scope.graph !== null
      ? (await store.traffic.graphs(name)).find((each) => each.name === scope.graph)
      : undefined;
  const startsSince = await store.events.startsKnownSince();
  const { baselinedAt } = await store.inventory.listing(name);
  const keptSince = view.clock.now() - view.keptMs;
  // The version that stores starts also stores late changes, and the services and product types of changes.
  const typesSince = proxies?.serviceId === undefined && proxies?.productType === undefined ? 0 : startsSince;
  const adjusted = isOn('adjustments') && scope.label !== 'proxy_id' ? scope.proxies : null;
  const isListed = (await store.adjustments.listing(name)).baselinedAt !== null;
  const oldest = await store.adjustments.oldestKept(name);
  return {
    restartsKnownSince: startsSince,
    inventoryKnownSince:
      proxies && latest(baselinedAt, typesSince, keptSince, await store.events.inventoryKeptSince(name)),
    adjustmentsKnownSince: adjusted && isListed ? Math.max(range.from, oldest?.at ?? 0) : null,
    lateChangesKnownSince: graph ? latest(startsSince, graph.baselinedAt, keptSince) : null,
    data: [
      ...(await store.events.restarts(range)).map((each) => ({ ...each, kind: 'restart' as const })),
      ...(proxies ? await store.events.inventoryChanges(name, range, proxies) : []).map(
        ({ change, ...each }) => ({ ...each, kind: `proxy_${change}` as const }),
      ),
      ...(adjusted ? await store.events.adjustments(name, range, adjusted) : []).map((each) => ({
        ...each,
        kind: 'adjustment' as const,
      })),
      ...(graph ? await store.events.lateChanges(name, graph.name, range) : []).map((each) => ({
        ...each,
        kind: 'late_change' as const,
      })),
    ] satisfies Event[],
  };
};

const QUERY = {
  subject: parameters.singleText.describe(
    `Only events that concern this subject, as \`label=value\` with one of the labels ${LABELS.join(', ')}. The default is the whole account`,
  ),
  from: parameters.time.describe('Start of the range. The default is 24 hours before `to`'),
  to: parameters.time.describe('End of the range, exclusive. The default is the present time'),
};

const read = async ({ view, query, path: { account: name = '' } }: ApiRequest<QueryOf<typeof QUERY>>) => {
  const found = view.account(name);
  if (!found) throw new ApiError(404, `account: "${name}" is not known`);
  const times = parameters.timeRangeOf(query, found.clock.now(), DAY);
  const range = { ...times, stepMs: stepOf(times.to - times.from) };
  const scope = await scopeOf(found, query.subject);
  const stored = await storedEvents(found, scope, range);
  const past = { ...range, to: Math.min(range.to, found.clock.now() + 1) };
  const all: Event[] = [...stored.data, ...silenceEvents(view.silences.list(), name, scope, past)];
  const data = all.sort((one, other) => one.at - other.at);
  return eventsJson({ ...stored, ...times, account: name, subject: query.subject, data });
};

export const EVENT_ROUTE = route({
  path: '/api/v1/accounts/{account}/events',
  summary: 'Events that can explain a jump in a plot',
  query: QUERY,
  answer: events,
  revision: (view) =>
    [
      view.revision(['inventory', 'services', 'adjustments', 'traffic'], MINUTE),
      ...view.silences.list().map(({ id, endsAt }) => `${id}=${endsAt}`),
    ].join(' '),
  read,
});
