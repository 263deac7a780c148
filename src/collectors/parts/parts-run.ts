// One run over parts that can fail alone: asks for them in turn, and judges whether a failure is a part's or the run's.

import { forEachLimited } from '../../lib/parallel.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { FailedPart } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { OtherCustomerError } from '../customer.ts';
import type { PartStates } from './part-states.ts';

export interface Part {
  readonly name: string;
  /** The endpoint it is read from, as errors name it. */
  readonly endpoint: string;
  /** Returns how many items of the answer did not decode. */
  collect(): Promise<number>;
}

export interface PartsContext extends Pick<RunContext<unknown>, 'log' | 'signal'> {
  readonly states: PartStates;
  /** When the run began (ms). */
  readonly startedAt: number;
  /** How many parts it has in all. */
  readonly total: number;
  /** Whether the main part works although this run does not request it: then failures never concern all parts. */
  readonly isMainPartWorking?: () => boolean;
}

/** If this many parts fail alike and none succeeds, all parts are taken to fail. */
const ENOUGH = 3;
/** Errors about one order or one id, however many parts have them. */
const OF_ONE_PART_ALWAYS = new Set(['rejected', 'not_found']);
/** The name under which the error appears that kept the run from requesting all parts. */
export const NOT_REACHED = 'parts that were not reached';

/** Whether an error concerns one part: any error of the provider that the other parts would not meet too. */
export const isOfPart = (error: unknown, signal: AbortSignal): error is ProviderError =>
  error instanceof ProviderError &&
  !(error instanceof OtherCustomerError) &&
  error.kind !== 'rate_limited' &&
  !signal.aborted;

export class PartsRun {
  readonly #context: PartsContext;
  readonly #failures: { readonly part: string; readonly error: ProviderError }[] = [];
  /** Endpoints whose pause is longer than the run may take. */
  readonly #paused = new Map<string, ProviderError>();
  #answered = 0;
  skipped = 0;

  constructor(context: PartsContext) {
    this.#context = context;
  }

  /** How many parts succeeded. */
  get answered(): number {
    return this.#answered;
  }

  /** Requests parts in the order of their last attempt; parts that it does not reach keep their place. */
  async ask(parts: readonly Part[], limit: number): Promise<void> {
    await forEachLimited(this.#due(parts), limit, (part) => this.#askFor(part));
  }

  /**
   * Records the failures, and returns every failing part. Throws an error that concerns the whole run: its end, keys of
   * another customer, or an error that all parts met alike.
   */
  end(): FailedPart[] {
    const { signal, states, startedAt, log } = this.#context;
    const [first] = this.#failures;
    // An error that all parts meet must not make single parts wait.
    if (first && this.#isHopeless()) throw first.error;
    for (const { part, error } of this.#failures) states.failed(part, startedAt, error, log);
    const [paused] = this.#paused.values();
    const end: unknown = signal.aborted ? signal.reason : paused;
    if (end === undefined) states.succeeded(NOT_REACHED, log);
    else if (this.#answered === 0 || !(end instanceof ProviderError)) throw end;
    else states.failed(NOT_REACHED, startedAt, end, log);
    return states.standing();
  }

  *#due(parts: readonly Part[]): Generator<Part> {
    const { signal, states } = this.#context;
    for (const part of states.inTurn(parts)) {
      if (signal.aborted || this.#isHopeless()) return;
      if (this.#paused.has(part.endpoint)) continue;
      states.asked(part.name);
      yield part;
    }
  }

  async #askFor({ name, collect }: Part): Promise<void> {
    const { signal, states, log } = this.#context;
    try {
      // Others go on meanwhile: the sum is read after the wait, not before.
      const skipped = await collect();
      this.skipped += skipped;
      this.#answered += 1;
      states.succeeded(name, log);
    } catch (error) {
      if (isOfPart(error, signal)) this.#failures.push({ part: name, error });
      else if (error instanceof ProviderError && error.kind === 'rate_limited')
        this.#paused.set(error.endpoint, error);
      else if (!signal.aborted) throw error;
    }
  }

  /** Whether every further part would meet the same error. */
  #isHopeless(): boolean {
    const { total, isMainPartWorking } = this.#context;
    if (this.#answered > 0 || this.#failures.length < Math.min(ENOUGH, total) || isMainPartWorking?.())
      return false;
    const kinds = new Set(this.#failures.map(({ error }) => error.kind));
    const [kind = 'rejected'] = kinds;
    return kinds.size === 1 && !OF_ONE_PART_ALWAYS.has(kind);
  }
}
