// Polls a graph: reads its newest window, stores what that skips as a gap, and reads older windows as parts of their own.

import { ClockError } from '../../lib/clock.ts';
import { ProviderError } from '../../provider/errors.ts';
import {
  GRAPH_ENDPOINT,
  type GraphFilter,
  readGraph,
  type TrafficGraph,
} from '../../provider/resources/analytics.ts';
import { type Range, windowsOf } from '../../provider/time.ts';
import type { BucketWindow, Graph } from '../../store/traffic-store.ts';
import type { RunContext } from '../context.ts';
import { OtherCustomerError, verifyCustomer } from '../customer.ts';
import type { GraphOptions, TrafficOptions } from './options.ts';
import { type PollPlan, partNamesOf, type TrafficState } from './poll-plan.ts';

export interface Poll {
  readonly graph: Graph;
  readonly settings: GraphOptions;
  /** When the run began (ms). */
  readonly startedAt: number;
  readonly plan: PollPlan;
}

export interface RunningPoll extends Poll {
  readonly context: RunContext<TrafficOptions>;
  readonly state: TrafficState;
  /** Called after every requested window. */
  onWindow(): void;
}

export interface WindowsResult {
  /** The number of buckets that were left out or lack a value. */
  readonly skipped: number;
  /** The error of the first window that could not be read. */
  readonly error: ProviderError | undefined;
}

/** Errors that concern one window; the request for another one may succeed. */
const WINDOW_ERRORS = new Set(['bad_response', 'rejected']);

export const isWindowError = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && WINDOW_ERRORS.has(error.kind);

/**
 * Reads the newest valid window. The unread time between the watermark and that window becomes a gap, and the time after
 * it is requested again by the next poll. Returns the number of skipped buckets. Throws the ProviderError of the newest
 * window if that window could not be read, and ClockError if the newest time is before all that may be requested.
 */
export const readNewest = async (poll: RunningPoll): Promise<number> => {
  const { context, graph, plan, settings, startedAt, state } = poll;
  let error: unknown;
  if (plan.newest.from >= plan.newest.to) throw clockBehindError(plan.newest.from);
  for (const window of windowsIn(context, graph, plan.newest).reverse()) {
    try {
      const { buckets, skipped } = await requestWindow(poll, window);
      const skippedRange = { from: plan.missed.from, to: window.from };
      // History never counts, so its newest window is enough for the baseline.
      const isBaseline = graph.baselinedAt === null && error === undefined;
      await saveWindow(poll, window, {
        buckets,
        watermark: Math.min(window.to, startedAt),
        ...(skippedRange.from < skippedRange.to ? { skippedRange } : {}),
        ...(isBaseline ? { baselinedAt: startedAt } : {}),
      });
      if (error !== undefined) break;
      state.graphsWithInvalidWindow.delete(settings.name);
      return skipped;
    } catch (failure) {
      error ??= failure;
      if (!isWindowError(failure)) break;
      state.graphsWithInvalidWindow.add(settings.name);
    }
  }
  throw error;
};

const clockBehindError = (floor: number): ClockError =>
  new ClockError(
    `this machine's clock is behind: the stored traffic begins at ${new Date(floor).toISOString()}. Correct the clock`,
  );

/** Reads older windows as a part of their own, so that their failure does not affect new data. */
export const readAsOwnPart = async (
  { context: { log, signal }, state, startedAt }: RunningPoll,
  part: string,
  read: () => Promise<WindowsResult | undefined>,
): Promise<number> => {
  try {
    const result = await read();
    if (result?.error) state.parts.recordFailure(part, startedAt, result.error, log);
    else if (result) state.parts.recordSuccess(part, log);
    return result?.skipped ?? 0;
  } catch (error) {
    if (!(error instanceof ProviderError) || error instanceof OtherCustomerError) throw error;
    if (!signal.aborted) state.parts.recordFailure(part, startedAt, error, log);
    return 0;
  }
};

/** Requests a window, and reports it as done even if it fails. */
export const requestWindow = async ({ context, state, settings, onWindow }: RunningPoll, window: Range) => {
  try {
    return await readWindow(context, state, settings, window);
  } finally {
    onWindow();
  }
};

export const saveWindow = (
  { context, graph, startedAt }: RunningPoll,
  readRange: Range,
  window: Omit<BucketWindow, 'now' | 'readRange' | 'settledUntil'>,
): Promise<void> => {
  const { store, options } = context;
  const settledUntil = (graph.watermark ?? 0) - options.reread;
  return store.traffic.saveWindow(graph.id, { ...window, readRange, settledUntil, now: startedAt });
};

export const windowsIn = (
  { account, options }: RunContext<TrafficOptions>,
  { bucketMs }: Graph,
  { from, to }: Range,
): Range[] =>
  from < to ? windowsOf(from, to, { zone: account.time_zone, bucketMs, spanMs: options.window }) : [];

export const logNameOf = ({ settings }: Poll): string => partNamesOf(settings).recent;

/** Reads a window of a graph. Throws ProviderError. */
const readWindow = async (
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
