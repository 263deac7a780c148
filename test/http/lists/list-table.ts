// The table of all lists with their filters, sorts and searched fields, as a reader of the API sees them.

export type Json = Record<string, unknown>;
type Value = number | string | null;

export interface ListRow {
  readonly path: string;
  /** Parameters of the whole list. */
  readonly whole: string;
  readonly idOf: (item: Json) => string;
  readonly searched: (item: Json) => readonly unknown[];
  /** Whether an item matches one of the values of a filter, given all parameters. */
  readonly filters: Readonly<
    Record<string, (item: Json, values: readonly string[], query: Query) => boolean>
  >;
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Filters that take one value. */
  readonly single?: readonly string[];
  readonly sorts: Readonly<Record<string, (item: Json, query: Query) => Value>>;
  readonly defaultSort: string;
  /** What is not in the list unless a parameter asks for it. */
  readonly hidden?: (item: Json, query: Query) => boolean;
}

export type Query = Readonly<Record<string, readonly string[]>>;

const field =
  (...path: readonly string[]) =>
  (item: Json): Value =>
    path.reduce<unknown>((value, name) => (value as Json | null)?.[name] ?? null, item) as Value;
const timeOf =
  (name: string) =>
  (item: Json): Value =>
    item[name] === null ? null : Date.parse(String(item[name]));
const equals =
  (...path: readonly string[]) =>
  (item: Json, values: readonly string[]): boolean =>
    values.includes(String(field(...path)(item)));

const STATES = ['exhausted', 'low', 'soon', 'ok', 'unlimited'];
const quotasOf = ({ quotas }: Json, query: Query): readonly Json[] => {
  const [type] = query.product_type ?? [];
  const { residential, mobile } = quotas as Record<string, Json>;
  return [residential, mobile].filter(
    (_, index) => !type || ['residential', 'mobile'][index] === type,
  ) as Json[];
};
const pick =
  (choose: (...values: number[]) => number, of: (quota: Json) => Value) =>
  (item: Json, query: Query): Value => {
    const known = quotasOf(item, query).flatMap((quota) => of(quota) ?? []) as number[];
    return known.length === 0 ? null : choose(...known);
  };

const WORDS = ['a', 'A1', 'b', 'B', 'été', '=1+1', 'x,y', 'missing'];
const faultState = ({ fault }: Json): number => (fault === true ? 0 : fault === false ? 3 : 2);
const uptimeOf = field('uptime', '24h', 'ratio');
const ownUptimeOf = field('uptime', '24h', 'own_ratio');
/** The most own failing tests come first, and of as many the most failing rounds. */
const proxyState = (item: Json): number => {
  const [own, rounds] = [Number(item.own_failing_tests), Number(item.failing_rounds)];
  if (item.fault === true) return 0;
  if (item.own_failing_tests === null) return 2;
  if (own > 0) return 2 - (own * 1_000 + rounds) / 1_000_000;
  return (item.explained_by as readonly unknown[]).length > 0 ? 3 : 4;
};

const onlyFault = (item: Json, [value]: readonly string[]): boolean => String(item.fault) === value;

const serviceState = (service: Json): number => {
  const { status, is_paused, is_pending_cancellation, expires_at, has_open_invoice } = service;
  const left =
    expires_at === null ? null : Date.parse(String(expires_at)) - Date.parse(String(service.answered_at));
  const day = 86_400_000;
  const isOver =
    status === 'complete' ||
    (status === 'canceled' && (left === null || left < -7 * day)) ||
    (status !== 'active' && status !== 'canceled' && left !== null && left < -30 * day);
  if (isOver) return 6;
  const isLost = status !== null && status !== 'active' && !String(status).startsWith('awaiting_');
  if (isLost) return 0;
  const isUnrenewed = service.is_automatic_collection === false || has_open_invoice === true;
  if (left !== null && left < 7 * day && left > -7 * day && isUnrenewed) return 1;
  if (is_paused) return 2;
  if (status === null) return 3;
  return is_pending_cancellation ? 4 : 5;
};

const orderedAddress = (item: Json): Value => {
  const address = item.ip_address as string | null;
  const parts = address?.split('.') ?? [];
  if (parts.length !== 4) return address && `~${address}`;
  return parts.map((part) => part.padStart(3, '0')).join('.');
};

const labelValues = ({ labels }: Json): string[] => Object.values(labels as Record<string, string>);
const SEVERITIES = ['critical', 'warning', 'info'];

export const LISTS: readonly ListRow[] = [
  {
    path: 'users',
    whole: 'include_deleted=true',
    idOf: ({ proxy_user_id }) => String(proxy_user_id),
    searched: ({ proxy_user_id }) => [proxy_user_id],
    filters: {
      state: (item, values, query) =>
        quotasOf(item, query).some(({ state }) => values.includes(String(state))),
      product_type: () => true,
      include_deleted: () => true,
    },
    values: { state: STATES, product_type: ['residential', 'mobile'], include_deleted: ['true', 'false'] },
    single: ['product_type', 'include_deleted'],
    sorts: {
      state: pick(Math.min, ({ state }) => (state === null ? null : STATES.indexOf(String(state)))),
      exhaustion: pick(Math.min, (quota) =>
        quota.state === 'exhausted' ? 0 : timeOf('exhausted_at')(quota),
      ),
      urgency: pick(Math.min, (quota) => {
        if (quota.state === 'exhausted') return 0;
        const ratio = field('used_ratio')(quota);
        return (
          timeOf('exhausted_at')(quota) ?? (ratio === null ? null : 9e15 - Math.round(Number(ratio) * 1e6))
        );
      }),
      left_bytes: pick(Math.min, field('left_bytes')),
      used_bytes: pick(Math.max, field('used_bytes')),
      used_ratio: pick(Math.max, field('used_ratio')),
    },
    defaultSort: 'state',
    hidden: ({ is_deleted }, { include_deleted: given }) => Boolean(is_deleted) && given?.[0] !== 'true',
  },
  {
    path: 'inventory',
    whole: '',
    idOf: ({ proxy_id }) => String(proxy_id),
    searched: (item) =>
      [
        ...['proxy_id', 'ip_address', 'ip_address_v6', 'subnet_id', 'asn_id', 'asn_name', 'city_name'],
        ...['subdivision_name', 'country_id', 'country_name', 'service_id'],
      ].map((name) => item[name]),
    filters: Object.fromEntries(
      ['product_type', 'status', 'country_id', 'service_id'].map((name) => [name, equals(name)]),
    ),
    values: { product_type: WORDS, status: WORDS, country_id: WORDS, service_id: WORDS },
    sorts: {
      ip_address: orderedAddress,
      updated_at: timeOf('updated_at'),
      ...Object.fromEntries(
        ['status', 'product_type', 'country_id', 'city_name', 'asn_name', 'service_id'].map((name) => [
          name,
          field(name),
        ]),
      ),
    },
    defaultSort: 'id',
  },
  {
    path: 'services',
    whole: '',
    idOf: ({ service_id }) => String(service_id),
    searched: ({ service_id, service_name, product_type, country_id }) => [
      ...[service_id, service_name, product_type, country_id],
    ],
    filters: {
      status: equals('status'),
      product_type: equals('product_type'),
      country_id: equals('country_id'),
    },
    values: { status: ['active', 'overdue', 'x'], product_type: ['isp', 'datacenter'], country_id: WORDS },
    sorts: {
      state: serviceState,
      expires_at: timeOf('expires_at'),
      ...Object.fromEntries(
        ['service_name', 'status', 'product_type', 'price'].map((name) => [name, field(name)]),
      ),
    },
    defaultSort: 'state',
  },
  {
    path: 'products',
    whole: '',
    idOf: ({ product_code }) => String(product_code),
    searched: ({ product_code, product_name, product_type, country_id }) => [
      ...[product_code, product_name, product_type, country_id],
    ],
    filters: {
      product_type: equals('product_type'),
      country_id: equals('country_id'),
      is_available: equals('is_available'),
    },
    values: { product_type: WORDS, country_id: WORDS, is_available: ['true', 'false'] },
    single: ['is_available'],
    sorts: Object.fromEntries(
      ['product_name', 'product_type', 'country_id', 'stock'].map((name) => [name, field(name)]),
    ),
    defaultSort: 'id',
  },
  {
    path: 'places',
    whole: '',
    idOf: ({ kind, place_id }) => `${kind}\n${place_id}`,
    searched: ({ place_id, name, country_id }) => [place_id, name, country_id],
    filters: { kind: equals('kind'), country_id: equals('country_id') },
    values: { kind: ['continent', 'asn', 'city', 'subdivision', 'residential', 'mobile'], country_id: WORDS },
    sorts: Object.fromEntries(
      ['name', 'country_id', 'nodes', 'population'].map((name) => [name, field(name)]),
    ),
    defaultSort: 'id',
  },
  {
    path: 'proxies',
    whole: '',
    idOf: ({ proxy_id }) => String(proxy_id),
    searched: ({ proxy_id, name, host }) => [proxy_id, name, host],
    filters: {
      fault: onlyFault,
      fault_kind: equals('fault_kind'),
      product_type: equals('product_type'),
    },
    values: {
      fault: ['true', 'false'],
      fault_kind: ['proxy', 'access'],
      product_type: ['isp', 'residential'],
    },
    single: ['fault'],
    sorts: {
      state: proxyState,
      uptime_24h: uptimeOf,
      own_uptime_24h: ownUptimeOf,
      last_tested_at: timeOf('last_tested_at'),
      ...Object.fromEntries(
        ['name', 'product_type', 'host', 'failing_rounds'].map((name) => [name, field(name)]),
      ),
    },
    defaultSort: 'state',
  },
  ...[
    ['testers', 'tester_server'],
    ['targets', 'url'],
  ].map(
    ([path = '', name = '']): ListRow => ({
      path,
      whole: '',
      idOf: (item) => String(item[name]),
      searched: (item) => [item[name], item.city_name, item.country_id],
      filters: { fault: onlyFault },
      values: { fault: ['true', 'false'] },
      single: ['fault'],
      sorts: { state: faultState, uptime_24h: uptimeOf, own_uptime_24h: ownUptimeOf },
      defaultSort: 'state',
    }),
  ),
  {
    path: 'alerts',
    whole: '',
    idOf: ({ alert, labels }) => {
      const { account: _, ...own } = labels as Record<string, string>;
      return `${alert} ${JSON.stringify(Object.entries(own))}`;
    },
    searched: (item) => [item.alert, ...labelValues(item)],
    filters: { alert: equals('alert'), severity: equals('severity'), state: equals('state') },
    values: { alert: ['A', 'AB', 'Low', 'C'], severity: SEVERITIES, state: ['firing', 'pending'] },
    sorts: {
      state: ({ state, severity }) => (state === 'firing' ? 0 : 3) + SEVERITIES.indexOf(String(severity)),
      alert: field('alert'),
      since: timeOf('since'),
      firing_since: timeOf('firing_since'),
    },
    defaultSort: 'state',
  },
];
