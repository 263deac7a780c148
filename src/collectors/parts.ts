// The parts of a run that can fail alone: one graph, quote or city that the provider rejects leaves the others be.

import { forEachLimited } from '../lib/parallel.ts';
import { ProviderError, type ProviderErrorKind } from '../provider/errors.ts';
import type { Outcome } from './collector.ts';

/** Errors of one part alone; any other would meet the next part as well. */
const OF_ONE_PART = new Set(['rejected', 'not_found', 'bad_response']);

export interface Parts<T> {
  readonly items: readonly T[];
  /** How many may be in flight. */
  readonly limit: number;
  nameOf(item: T): string;
  /** Returns how many items of the answer did not decode. */
  collect(item: T): Promise<number>;
}

/** The outcome of parts of which some failed, where an error of `kind` is an answer as well, and stored as one. */
export const answeredBy = (kind: ProviderErrorKind, outcome: Outcome): Outcome => ({
  ...outcome,
  isCurrent: outcome.failedParts.every(({ error }) => error instanceof ProviderError && error.kind === kind),
});

/** Throws the first error where all parts failed, and at once one that is not of its part alone. */
export const collectParts = async <T>({ items, limit, nameOf, collect }: Parts<T>): Promise<Outcome> => {
  let skipped = 0;
  const failedParts: { part: string; error: ProviderError }[] = [];
  await forEachLimited(items, limit, async (item) => {
    try {
      // Others go on meanwhile: the sum is read after the wait, not before.
      const items = await collect(item);
      skipped += items;
    } catch (error) {
      if (!(error instanceof ProviderError) || !OF_ONE_PART.has(error.kind)) throw error;
      failedParts.push({ part: nameOf(item), error });
    }
  });
  const [first] = failedParts;
  if (first && failedParts.length === items.length) throw first.error;
  return { skipped, failedParts };
};
