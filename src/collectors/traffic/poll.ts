// One poll of a graph: reads what it lacks, window by window, and stores it.

import { type GraphFilter, readGraph, type TrafficGraph } from '../../provider/analytics.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { Range } from '../../provider/time.ts';
import type { Graph, WindowOfBuckets } from '../../store/traffic-store.ts';
import type { RunContext } from '../collector.ts';
import { verifyCustomer } from '../customer.ts';
import type { Reading } from './attempts.ts';
import type { GraphOptions, TrafficOptions } from './options.ts';

/** What is due of a graph. */
export interface Poll {
  readonly graph: Graph;
  readonly settings: GraphOptions;
  /** When the run began (ms). */
  readonly startedAt: number;
  /** Windows up to the present, and old ones to be read once more; none where the recent reach back as far. */
  readonly recent: readonly Range[];
  readonly deep: readonly Range[] | null;
}

export interface WindowsRead {
  /** Buckets that were left out. */
  readonly skipped: number;
  /** Of the first window that could not be read, which stands in the way of no other. */
  readonly error: ProviderError | undefined;
}

/** Reads and stores windows in their order. Throws ProviderError of any kind but bad_response. */
export const readWindows = async (
  context: RunContext<TrafficOptions>,
  poll: Poll,
  reading: Reading,
  onWindow: () => void,
): Promise<WindowsRead> => {
  const windows = poll[reading] ?? [];
  let skipped = 0;
  let gap: ProviderError | undefined;
  for (const [index, window] of windows.entries()) {
    try {
      const { buckets, skipped: unread } = await readWindow(context, poll.settings, window);
      await verifyCustomer(context);
      const marks = marksOf(poll, reading, window, {
        isLast: index === windows.length - 1,
        hasGap: gap !== undefined,
      });
      await context.store.traffic.saveWindow(poll.graph.id, { buckets, now: poll.startedAt, ...marks });
      skipped += unread;
    } catch (error) {
      // An answer that makes no sense is of this window alone.
      if (!(error instanceof ProviderError) || error.kind !== 'bad_response') throw error;
      gap ??= error;
    }
    onWindow();
  }
  return { skipped, error: gap };
};

/**
 * What counts is not passed by: after a window that failed the watermark stays, and all is read again. Of history,
 * which never counts, the newest window is enough for the baseline.
 */
const marksOf = (
  { graph, startedAt, deep }: Poll,
  reading: Reading,
  { to }: Range,
  { isLast, hasGap }: { readonly isLast: boolean; readonly hasGap: boolean },
): Pick<WindowOfBuckets, 'watermark' | 'baselinedAt' | 'deepReadAt'> => {
  const isHistory = graph.baselinedAt === null;
  const isDeepDone = isLast && !hasGap && (reading === 'deep' || deep?.length === 0);
  return {
    watermark: hasGap && !isHistory ? (graph.watermark ?? 0) : Math.min(to, startedAt),
    ...(isLast && isHistory ? { baselinedAt: startedAt } : {}),
    ...(isDeepDone ? { deepReadAt: startedAt } : {}),
  };
};

const readWindow = async (
  { account, options, client, signal }: RunContext<TrafficOptions>,
  settings: GraphOptions,
  window: Range,
): Promise<TrafficGraph> => {
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
  });
  if (answer.buckets.length === 0 && answer.skipped > 0) throw unreadable(answer.skipped);
  return answer;
};

/** A window of which nothing could be read is not read: its watermark must not pass it by. */
const unreadable = (skipped: number): ProviderError =>
  new ProviderError('bad_response', 'analytics/graph', `none of ${skipped} buckets could be read`);

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
