// Summarizes how a run ended, for its record in the store.

import type { FailedPart, Outcome } from '../collectors/collector.ts';
import type { FinishedRun, RunResult } from '../store/account-store.ts';
import { describeFailure } from './failure.ts';

/** What the collector returned or threw. */
export type CollectResult = Outcome | { readonly thrown: unknown };

export interface RunSummary extends Pick<FinishedRun, 'errorKind' | 'errorMessage' | 'isSuccess'> {
  readonly result: RunResult;
  readonly outcome: Outcome;
}

export const summarizeRun = (result: CollectResult): RunSummary => {
  if ('thrown' in result) {
    const { kind, message } = describeFailure(result.thrown);
    return {
      result: 'failed',
      isSuccess: false,
      errorKind: kind,
      errorMessage: message,
      outcome: { skipped: 0, failedParts: [] },
    };
  }
  const [first] = result.failedParts;
  if (!first) return { result: 'ok', isSuccess: true, errorKind: null, errorMessage: null, outcome: result };
  const { kind } = describeFailure(first.error);
  const { isSuccessDespiteFailures: isSuccess = false } = result;
  const errorMessage = describeParts(result.failedParts);
  return { result: 'partial', isSuccess, errorKind: kind, errorMessage, outcome: result };
};

/** The most failed parts that the stored error message names, so that it fits on the status page. The log names all. */
const MAX_NAMED_PARTS = 3;

const describeParts = (parts: readonly FailedPart[]): string => {
  const named = parts
    .slice(0, MAX_NAMED_PARTS)
    .map(({ part, error }) => `${part}: ${describeFailure(error).message}`);
  const others = parts.length - named.length;
  const rest = others === 1 ? '1 more part fails' : `${others} more parts fail`;
  return [...named, ...(others > 0 ? [rest] : [])].join('; ');
};
