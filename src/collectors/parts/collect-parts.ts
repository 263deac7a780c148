// A run whose parts are all that there is to it: services, quotes, places.

import type { ProviderErrorKind } from '../../provider/errors.ts';
import type { Outcome, RunContext } from '../collector.ts';
import { PART_WAITS, type PartStates } from './part-states.ts';
import { type Part, PartsRun, REST } from './parts-run.ts';

export interface Parts {
  readonly parts: readonly Part[];
  /** How many may be in flight. */
  readonly limit: number;
  /** An error that is an answer as well, and stored as one: its part is asked for at every slot. */
  readonly answer: ProviderErrorKind;
}

/** A success when any part answered; throws the first error where all failed. */
export const collectParts = async (
  { clock, log, signal }: Pick<RunContext<unknown>, 'clock' | 'log' | 'signal'>,
  states: PartStates,
  { parts, limit, answer }: Parts,
): Promise<Outcome> => {
  const startedAt = clock.now();
  states.retain([REST, ...parts.map(({ name }) => name)]);
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
