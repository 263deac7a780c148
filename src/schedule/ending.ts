// How a run ended: in the words of its record, and in the log.

import type { FailedPart, Outcome } from '../collectors/collector.ts';
import type { Log } from '../lib/log.ts';
import type { FinishedRun, RunResult } from '../store/run-store.ts';
import { describeFailure } from './failure.ts';

/** What the collector gave back, or what it threw. */
export type Result = Outcome | { readonly thrown: unknown };

export interface Ending extends Pick<FinishedRun, 'errorKind' | 'errorMessage' | 'isSuccess'> {
  readonly result: RunResult;
  readonly outcome: Outcome;
}

export const describeResult = (result: Result): Ending => {
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
  const { isCurrent: isSuccess = false } = result;
  const errorMessage = describeParts(result.failedParts);
  return { result: 'partial', isSuccess, errorKind: kind, errorMessage, outcome: result };
};

/** As many as fit on a page; the log names them all. */
const NAMED_PARTS = 3;

const describeParts = (parts: readonly FailedPart[]): string => {
  const named = parts
    .slice(0, NAMED_PARTS)
    .map(({ part, error }) => `${part}: ${describeFailure(error).message}`);
  const others = parts.length - named.length;
  const rest = others === 1 ? '1 more part fails' : `${others} more parts fail`;
  return [...named, ...(others > 0 ? [rest] : [])].join('; ');
};

/** `isAwaited`: the log told of the run while it went on, and so tells of its end as well. */
export const logRun = (log: Log, run: FinishedRun, result: Result, isAwaited: boolean): void => {
  const { outcome } = describeResult(result);
  const durationMs = run.finishedAt - run.startedAt;
  for (const { part, error, isLogged = false } of outcome.failedParts)
    if (!isLogged) log.warn({ part, ...describeFailure(error) }, 'a part failed');
  if ('thrown' in result) log.error({ durationMs, ...describeFailure(result.thrown) }, 'run failed');
  else
    log[isAwaited ? 'info' : 'debug'](
      { durationMs, result: run.result, skipped: outcome.skipped },
      'run finished',
    );
};
