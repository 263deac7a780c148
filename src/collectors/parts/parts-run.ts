// Runs over parts that can fail alone, such as services, quotes or places: it requests them in order and decides whether a failure concerns a part or the run.

import { forEachLimited } from '../../lib/parallel.ts';
import { ProviderError, type ProviderErrorKind } from '../../provider/errors.ts';
import type { FailedPart, Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { OtherCustomerError } from '../customer.ts';
import { PART_BACKOFF, type PartStates } from './part-states.ts';

export interface Part {
  readonly name: string;
  /** The endpoint that it is read from, as errors name it. */
  readonly endpoint: string;
  /** Returns the number of items in the answer that did not decode. */
  collect(): Promise<number>;
}

export interface PartsContext extends Pick<RunContext<unknown>, 'log' | 'signal'> {
  readonly states: PartStates;
  /** When the run began (ms). */
  readonly startedAt: number;
  readonly total: number;
  /** Whether the main part works although this run does not request it: then failures never concern all parts. */
  readonly isMainPartWorking?: () => boolean;
}

/** If this many parts fail alike and none succeeds, all parts are taken to fail. */
const MIN_FAILURES_ALIKE = 3;
/** Errors that concern one order or one id, no matter how many parts have them. */
export const SINGLE_PART_ERRORS: ReadonlySet<string> = new Set(['rejected', 'not_found']);
/** The part name of the error that prevented the run from requesting all parts. */
export const NOT_REACHED = 'parts that were not reached';

/** Whether an error concerns one part: the other parts would not have it too. */
export const isPartError = (error: unknown, signal: AbortSignal): error is ProviderError =>
  error instanceof ProviderError &&
  !(error instanceof OtherCustomerError) &&
  error.kind !== 'rate_limited' &&
  !signal.aborted;

export class PartsRun {
  readonly #context: PartsContext;
  readonly #failures: { readonly part: string; readonly error: ProviderError }[] = [];
  /** Endpoints whose pause is longer than the run may take. */
  readonly #pausedEndpoints = new Map<string, ProviderError>();
  succeeded = 0;
  skipped = 0;

  constructor(context: PartsContext) {
    this.#context = context;
  }

  /** Requests parts in the order of their last attempt. Parts that it does not reach keep their place. */
  async collect(parts: readonly Part[], limit: number): Promise<void> {
    await forEachLimited(this.#due(parts), limit, (part) => this.#collectPart(part));
  }

  /**
   * Records the failures and returns all failed parts. Throws an error that concerns the whole run: its deadline, keys
   * of another customer, or an error that all parts have.
   */
  end(): FailedPart[] {
    const { signal, states, startedAt, log } = this.#context;
    const [first] = this.#failures;
    // An error that all parts have must not make single parts wait.
    if (first && this.#doAllPartsFail()) throw first.error;
    for (const { part, error } of this.#failures) states.recordFailure(part, startedAt, error, log);
    const [paused] = this.#pausedEndpoints.values();
    const end: unknown = signal.aborted ? signal.reason : paused;
    if (end === undefined) states.recordSuccess(NOT_REACHED, log);
    else if (this.succeeded === 0 || !(end instanceof ProviderError)) throw end;
    else states.recordFailure(NOT_REACHED, startedAt, end, log);
    return states.failedParts();
  }

  *#due(parts: readonly Part[]): Generator<Part> {
    const { signal, states } = this.#context;
    for (const part of states.byLastAttempt(parts)) {
      if (signal.aborted || this.#doAllPartsFail()) return;
      if (this.#pausedEndpoints.has(part.endpoint)) continue;
      states.recordAttempt(part.name);
      yield part;
    }
  }

  async #collectPart({ name, collect }: Part): Promise<void> {
    const { signal, states, log } = this.#context;
    try {
      // Other parts run during this wait, so the sum is read after it and not before.
      const skipped = await collect();
      this.skipped += skipped;
      this.succeeded += 1;
      states.recordSuccess(name, log);
    } catch (error) {
      if (isPartError(error, signal)) this.#failures.push({ part: name, error });
      else if (error instanceof ProviderError && error.kind === 'rate_limited')
        this.#pausedEndpoints.set(error.endpoint, error);
      else if (!signal.aborted) throw error;
    }
  }

  /** Whether all further parts would have the same error. */
  #doAllPartsFail(): boolean {
    const { total, isMainPartWorking } = this.#context;
    if (
      this.succeeded > 0 ||
      this.#failures.length < Math.min(MIN_FAILURES_ALIKE, total) ||
      isMainPartWorking?.()
    )
      return false;
    const kinds = new Set(this.#failures.map(({ error }) => error.kind));
    const [kind = 'rejected'] = kinds;
    return kinds.size === 1 && !SINGLE_PART_ERRORS.has(kind);
  }
}

interface PartsRequest {
  readonly parts: readonly Part[];
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
