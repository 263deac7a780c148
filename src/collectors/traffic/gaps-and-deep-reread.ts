// Reads what a poll requests after a graph's newest traffic: its gaps, then the deep reread for late data.

import type { ProviderError } from '../../provider/errors.ts';
import type { Range } from '../../provider/time.ts';
import type { Gap } from '../../store/gap.ts';
import { backoffMs, OLD_DATA_BACKOFF } from '../parts/part-states.ts';
import { isPartError } from '../parts/parts-run.ts';
import {
  isWindowError,
  logNameOf,
  type RunningPoll,
  requestWindow,
  saveWindow,
  type WindowsResult,
  windowsIn,
} from './poll.ts';

/** Returns the gaps that are due at `now` (ms). */
export const dueGaps = (gaps: readonly Gap[], now: number): Gap[] =>
  gaps.filter(
    ({ tries, triedAt }) =>
      triedAt === null || now < triedAt || now >= triedAt + backoffMs(OLD_DATA_BACKOFF, tries),
  );

/** Drops gaps that the provider no longer has data for. */
export const dropOldGaps = async (poll: RunningPoll): Promise<void> => {
  const { context, graph, plan } = poll;
  const lostMs = await context.store.traffic.dropGaps(graph.id, plan.oldest);
  if (lostMs === 0) return;
  context.log.warn(
    { graph: logNameOf(poll), seconds: lostMs / 1_000 },
    'unread traffic is now too old to request; it will not be counted',
  );
};

/** Reads and saves the windows. `failed` returns the error of a window that failed, after which others may follow, or throws. */
const readWindows = async (
  poll: RunningPoll,
  windows: readonly Range[],
  failed: (failure: unknown, window: Range) => ProviderError | Promise<ProviderError>,
): Promise<WindowsResult> => {
  let skipped = 0;
  let error: ProviderError | undefined;
  for (const window of windows) {
    try {
      const answer = await requestWindow(poll, window);
      await saveWindow(poll, window, { buckets: answer.buckets });
      skipped += answer.skipped;
    } catch (failure) {
      error ??= await failed(failure, window);
      if (!isWindowError(failure)) break;
    }
  }
  return { skipped, error };
};

/** Reads the gaps, the newest first, because the end of a long downtime counts most. Undefined while only failed gaps wait. */
export const readGaps = async (poll: RunningPoll): Promise<WindowsResult | undefined> => {
  const { context, graph, startedAt } = poll;
  const { traffic } = context.store;
  const due = dueGaps(await traffic.gaps(graph.id), startedAt);
  const windows = due.flatMap((gap) => windowsIn(context, graph, gap)).reverse();
  const result = await readWindows(poll, windows, async (failure, window) => {
    if (!isPartError(failure, context.signal)) throw failure;
    await traffic.recordGapFailure(graph.id, window, startedAt);
    return failure;
  });
  const isWaiting = (await traffic.gaps(graph.id)).some(({ tries }) => tries > 0);
  return result.error || !isWaiting ? result : undefined;
};

/** Reads the range of the deep reread. Returns undefined if it is not due. */
export const readDeepRange = async (poll: RunningPoll): Promise<WindowsResult | undefined> => {
  const { context, graph, plan, startedAt } = poll;
  if (!plan.deep) return undefined;
  const result = await readWindows(poll, windowsIn(context, graph, plan.deep), (failure) => {
    if (!isWindowError(failure)) throw failure;
    return failure;
  });
  if (!result.error) await saveWindow(poll, plan.deep, { buckets: [], deepReadAt: startedAt });
  return result;
};
