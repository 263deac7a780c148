// One poll of a graph: reads what is newest of it, then what was missed, then what may have come late.

import { ProviderError } from '../../provider/errors.ts';
import { type Range, windowsOf } from '../../provider/time.ts';
import type { Graph, WindowOfBuckets } from '../../store/traffic-store.ts';
import type { RunContext } from '../context.ts';
import { OtherCustomerError } from '../customer.ts';
import type { GraphOptions, TrafficOptions } from './options.ts';
import { partsOf, type TrafficState } from './parts.ts';
import type { Plan } from './plan.ts';
import { readWindow } from './window.ts';

/** What is due of a graph. */
export interface Poll {
  readonly graph: Graph;
  readonly settings: GraphOptions;
  /** When the run began (ms). */
  readonly startedAt: number;
  readonly plan: Plan;
}

/** With what it is read. */
export interface Polling extends Poll {
  readonly context: RunContext<TrafficOptions>;
  readonly state: TrafficState;
  /** Told of every window that was asked for. */
  onWindow(): void;
}

/** How reading older windows went. */
export interface WindowsRead {
  /** Buckets of which something was left out. */
  readonly skipped: number;
  /** Of the first window that could not be read. */
  readonly error: ProviderError | undefined;
}

/** Errors of one window alone: another one may be answered. */
const OF_ONE_WINDOW = new Set(['bad_response', 'rejected']);

export const isOfOneWindow = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && OF_ONE_WINDOW.has(error.kind);

/**
 * Reads the newest window that makes sense. What the watermark passes by with it becomes a gap, and what is newer is
 * asked for again. Returns how many buckets were skipped; throws the ProviderError of what is newest.
 */
export const readNewest = async (polling: Polling): Promise<number> => {
  const { context, graph, plan, settings, startedAt, state } = polling;
  let error: unknown;
  for (const window of windowsIn(context, graph, plan.newest).reverse()) {
    try {
      const { buckets, skipped } = await ask(polling, window);
      const unread = { from: plan.missed.from, to: window.from };
      // Of history, which never counts, the newest is enough for the baseline.
      const isBaseline = graph.baselinedAt === null && error === undefined;
      await save(polling, window, {
        buckets,
        watermark: Math.min(window.to, startedAt),
        ...(unread.from < unread.to ? { unread } : {}),
        ...(isBaseline ? { baselinedAt: startedAt } : {}),
      });
      if (error !== undefined) break;
      state.odd.delete(settings.name);
      return skipped;
    } catch (failure) {
      error ??= failure;
      if (!isOfOneWindow(failure)) break;
      state.odd.add(settings.name);
    }
  }
  throw error;
};

/** Reads what is older, which stands in the way of nothing new; it fails as a part of its own. */
export const readApart = async (
  { context: { log, signal }, state, startedAt }: Polling,
  part: string,
  read: () => Promise<WindowsRead | undefined>,
): Promise<number> => {
  try {
    const result = await read();
    if (result?.error) state.parts.failed(part, startedAt, result.error, log);
    else if (result) state.parts.succeeded(part, log);
    return result?.skipped ?? 0;
  } catch (error) {
    if (!(error instanceof ProviderError) || error instanceof OtherCustomerError) throw error;
    if (!signal.aborted) state.parts.failed(part, startedAt, error, log);
    return 0;
  }
};

/** Asks for a window, and tells of it however it ends. */
export const ask = async ({ context, state, settings, onWindow }: Polling, window: Range) => {
  try {
    return await readWindow(context, state, settings, window);
  } finally {
    onWindow();
  }
};

export const save = (
  { context, graph, startedAt }: Polling,
  read: Range,
  window: Omit<WindowOfBuckets, 'now' | 'read'>,
): Promise<void> => context.store.traffic.saveWindow(graph.id, { ...window, read, now: startedAt });

export const windowsIn = (
  { account, options }: RunContext<TrafficOptions>,
  { bucketMs }: Graph,
  { from, to }: Range,
): Range[] =>
  from < to ? windowsOf(from, to, { zone: account.time_zone, bucketMs, spanMs: options.window }) : [];

/** What the log calls the graph. */
export const nameOf = ({ settings }: Poll): string => partsOf(settings).recent;
