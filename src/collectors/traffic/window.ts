// Requests and checks one window of a graph, and logs its contradictions.

import { ProviderError } from '../../provider/errors.ts';
import {
  GRAPH_ENDPOINT,
  type GraphFilter,
  readGraph,
  type TrafficGraph,
} from '../../provider/resources/analytics.ts';
import type { Range } from '../../provider/time.ts';
import type { RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import type { GraphOptions, TrafficOptions } from './options.ts';
import { partNamesOf, type TrafficState } from './traffic-state.ts';

/** Reads a window of a graph. Throws ProviderError. */
export const readWindow = async (
  context: RunContext<TrafficOptions>,
  state: TrafficState,
  settings: GraphOptions,
  window: Range,
): Promise<TrafficGraph> => {
  const { account, options, client, clock, signal } = context;
  const answer = await readGraph(client, {
    ...window,
    filter: filterOf(settings),
    interval: options.interval,
    concurrency: options.concurrency,
    timeZone: account.time_zone,
    parameters: {
      productType: account.parameters.product_type,
      concurrency: account.parameters.concurrency,
    },
    signal,
    now: () => clock.now(),
  });
  if (answer.buckets.length === 0 && answer.skipped > 0) throw unreadable(answer.skipped);
  await verifyCustomer(context);
  logContradictions(context, state, settings, answer);
  // Totals and the values that a bucket does not need are not counted one by one.
  return { ...answer, skipped: Math.max(answer.skipped, Number(answer.hasInvalidValue)) };
};

/** A window without a usable bucket counts as unread: the watermark must not pass it. */
const unreadable = (skipped: number): ProviderError =>
  new ProviderError('bad_response', GRAPH_ENDPOINT, `none of ${skipped} buckets could be read`);

const logContradictions = (
  { log, countContradiction }: RunContext<TrafficOptions>,
  state: TrafficState,
  settings: GraphOptions,
  { contradictions }: TrafficGraph,
): void => {
  for (const what of contradictions) {
    countContradiction(GRAPH_ENDPOINT, what);
    if (!state.isNewContradiction(settings.name, what)) continue;
    const { recent: graph } = partNamesOf(settings);
    log.warn(
      { graph, what },
      'the totals of an answer are not the sums of its buckets; proxywatch counts the buckets',
    );
  }
};

export const filterOf = ({
  product_type,
  proxy_user_id,
  service_id,
  hostname,
}: GraphOptions): GraphFilter => ({
  productType: product_type,
  proxyUserId: proxy_user_id,
  serviceId: service_id,
  hostname,
});
