// A run that consists of equal parts: services, quotes, places.

import type { ProviderErrorKind } from '../../provider/errors.ts';
import type { Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { PART_WAITS, type PartStates } from './part-states.ts';
import { NOT_REACHED, type Part, PartsRun } from './parts-run.ts';

export interface Parts {
  readonly parts: readonly Part[];
  /** How many may be in flight. */
  readonly limit: number;
  /** An error that is also an answer and stored as one: its part is requested at every slot. */
  readonly answer: ProviderErrorKind;
}

/** A success when any part answered; throws the first error where all failed. */
export const collectParts = async (
  { clock, log, signal }: Pick<RunContext<unknown>, 'clock' | 'log' | 'signal'>,
  states: PartStates,
  { parts, limit, answer }: Parts,
): Promise<Outcome> => {
  const startedAt = clock.now();
  states.retain([NOT_REACHED, ...parts.map(({ name }) => name)]);
  const isDue = ({ name }: Part): boolean =>
    states.failure(name)?.error.kind === answer || !states.isWaiting(name, PART_WAITS, startedAt);
  const due = parts.filter(isDue);
  const run = new PartsRun({ log, signal, states, startedAt, total: due.length });
  await run.ask(due, limit);
  const failedParts = run.end();
  const [first] = failedParts;
  if (first && run.answered === 0) throw first.error;
  return { skipped: run.skipped, failedParts, isCurrent: true };
};
