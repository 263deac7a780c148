// What a poll reads of a graph after its newest traffic: the gaps, then the deep reread for late data.

import type { ProviderError } from '../../provider/errors.ts';
import type { Gap } from '../../store/gap.ts';
import { DEEP_WAITS, waitMs } from '../parts/part-states.ts';
import { isOfPart } from '../parts/parts-run.ts';
import { ask, isOfOneWindow, nameOf, type Polling, save, type WindowsRead, windowsIn } from './poll.ts';

/** Gaps that are to be tried at `now` (ms). */
export const dueGaps = (gaps: readonly Gap[], now: number): Gap[] =>
  gaps.filter(
    ({ tries, triedAt }) => triedAt === null || now < triedAt || now >= triedAt + waitMs(DEEP_WAITS, tries),
  );

/** Drops gaps that the provider no longer has data for. */
export const dropOldGaps = async (polling: Polling): Promise<void> => {
  const { context, graph, plan } = polling;
  const lostMs = await context.store.traffic.dropGaps(graph.id, plan.oldest);
  if (lostMs === 0) return;
  context.log.warn(
    { graph: nameOf(polling), seconds: lostMs / 1_000 },
    'unread traffic is now too old to request; it will not be counted',
  );
};

/** Newest first, so that the end of a long downtime counts before its beginning. Undefined while failed gaps wait. */
export const readGaps = async (polling: Polling): Promise<WindowsRead | undefined> => {
  const { context, graph, startedAt } = polling;
  const { traffic } = context.store;
  const due = dueGaps(await traffic.gaps(graph.id), startedAt);
  let skipped = 0;
  let error: ProviderError | undefined;
  for (const window of due.flatMap((gap) => windowsIn(context, graph, gap)).reverse()) {
    try {
      const answer = await ask(polling, window);
      await save(polling, window, { buckets: answer.buckets });
      skipped += answer.skipped;
    } catch (failure) {
      if (!isOfPart(failure, context.signal)) throw failure;
      await traffic.gapFailed(graph.id, window, startedAt);
      error ??= failure;
      if (!isOfOneWindow(failure)) break;
    }
  }
  const isWaiting = (await traffic.gaps(graph.id)).some(({ tries }) => tries > 0);
  return error || !isWaiting ? { skipped, error } : undefined;
};

/** Undefined when it is not due. */
export const readDeep = async (polling: Polling): Promise<WindowsRead | undefined> => {
  const { context, graph, plan, startedAt } = polling;
  if (!plan.deep) return undefined;
  let skipped = 0;
  let error: ProviderError | undefined;
  for (const window of windowsIn(context, graph, plan.deep)) {
    try {
      const answer = await ask(polling, window);
      await save(polling, window, { buckets: answer.buckets });
      skipped += answer.skipped;
    } catch (failure) {
      if (!isOfOneWindow(failure)) throw failure;
      error ??= failure;
    }
  }
  if (!error) await save(polling, plan.deep, { buckets: [], deepReadAt: startedAt });
  return { skipped, error };
};
