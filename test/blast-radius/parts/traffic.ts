// Lists the parts of traffic: the graphs, and the sums with which they are reconciled.

import type { ProviderRequest } from '../../support/faulty-provider.ts';
import { type Derived, type Part, RECONCILED } from './part.ts';

const EXPECTED: Derived = {
  group: 'slices',
  families: ['graph_observed_requests', 'graph_expected_requests'],
  reason:
    'the newest traffic of the account shows how far the provider has published, and bounds what is expected',
};

const FILTERS = ['network', 'hostname', 'proxy_user_id', 'service_id'];
const isUnfiltered = (query: ProviderRequest['query']): boolean => !FILTERS.some((name) => name in query);

/** A configured graph. Only the graph of a product type is also a source of the reconciliation. */
const slice = (name: string, graph: string, filter: string, derived: readonly Derived[] = []): Part => ({
  endpoint: 'analytics/graph',
  name,
  collectors: ['traffic'],
  matches: ({ endpoint, query }) =>
    endpoint === 'analytics/graph' && query.interval === 'minute' && filter in query,
  rests: [{ group: 'slices', labels: { graph } }],
  derived,
});

export const TRAFFIC_PARTS: readonly Part[] = [
  {
    endpoint: 'analytics/graph',
    name: 'the graph of the whole account',
    collectors: ['traffic'],
    matches: ({ endpoint, query }) =>
      endpoint === 'analytics/graph' && query.interval === 'minute' && isUnfiltered(query),
    rests: [{ group: 'account' }],
    derived: [RECONCILED, EXPECTED],
  },
  slice('the graph of a product type', 'residential', 'network', [RECONCILED]),
  slice('the graph of a host name', 'host', 'hostname'),
  slice('the graph of a proxy user', 'user', 'proxy_user_id'),
  slice('the graph of a service', 'service', 'service_id'),
  {
    endpoint: 'analytics/graph',
    name: 'the sums of days',
    collectors: ['reconciliation'],
    matches: ({ endpoint, query }) => endpoint === 'analytics/graph' && query.interval !== 'minute',
    rests: [{ group: 'reconciliation' }],
    derived: [],
  },
];
