// Runs a collector whose run consists of equal parts: services, quotes or places.

import type { ProviderErrorKind } from '../../provider/errors.ts';
import type { Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { PART_BACKOFF, type PartStates } from './part-states.ts';
import { NOT_REACHED, type Part, PartsRun } from './parts-run.ts';

export interface PartsRequest {
  readonly parts: readonly Part[];
  /** The number of parts that may be in flight. */
  readonly limit: number;
  /** The kind of error that is stored as an answer. A part with this error is requested at every slot. */
  readonly answerErrorKind: ProviderErrorKind;
}

/** Requests the parts that are due. The run is a success if any part succeeded; throws the first error if all failed. */
export const collectParts = async (
  { clock, log, signal }: Pick<RunContext<unknown>, 'clock' | 'log' | 'signal'>,
  states: PartStates,
  { parts, limit, answerErrorKind }: PartsRequest,
): Promise<Outcome> => {
  const startedAt = clock.now();
  states.retain([NOT_REACHED, ...parts.map(({ name }) => name)]);
  const isDue = ({ name }: Part): boolean =>
    states.failureOf(name)?.error.kind === answerErrorKind ||
    !states.isWaiting(name, PART_BACKOFF, startedAt);
  const dueParts = parts.filter(isDue);
  const run = new PartsRun({ log, signal, states, startedAt, total: dueParts.length });
  await run.collect(dueParts, limit);
  const failedParts = run.end();
  const [first] = failedParts;
  if (first && run.succeeded === 0) throw first.error;
  return { skipped: run.skipped, failedParts, isSuccessDespiteFailures: true };
};
