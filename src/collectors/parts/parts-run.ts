// One run over parts that can fail alone: asks for them in turn, and judges whether a failure is a part's or the run's.

import { forEachLimited } from '../../lib/parallel.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { FailedPart, RunContext } from '../collector.ts';
import { OtherCustomerError } from '../customer.ts';
import type { PartStates } from './part-states.ts';

export interface Part {
  readonly name: string;
  /** Where it is asked for, as errors name it. */
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
  /** Whether what matters most is known to go well without being asked for: then nothing speaks for all parts. */
  readonly isStanding?: () => boolean;
}

/** So many parts that fail alike, and none that goes well, speak for all of them. */
const ENOUGH = 3;
/** What is wrong with one order or one id, however many of them there are. */
const OF_ONE_PART_ALWAYS = new Set(['rejected', 'not_found']);
/** Under this name stands what kept the run from asking for all parts. */
export const REST = 'parts that were not reached';

/** Whether an error is that of a part: any of the provider's that would not meet all others as well. */
export const isOfPart = (error: unknown, signal: AbortSignal): error is ProviderError =>
  error instanceof ProviderError &&
  !(error instanceof OtherCustomerError) &&
  error.kind !== 'rate_limited' &&
  !signal.aborted;

export class PartsRun {
  readonly #context: PartsContext;
  readonly #failures: { readonly part: string; readonly error: ProviderError }[] = [];
  /** Endpoints that the provider wants left alone for longer than the run may take. */
  readonly #paused = new Map<string, ProviderError>();
  #answered = 0;
  skipped = 0;

  constructor(context: PartsContext) {
    this.#context = context;
  }

  /** How many parts went well. */
  get answered(): number {
    return this.#answered;
  }

  /** Asks for parts in the order of their last attempt; those that it does not come to keep their place. */
  async ask(parts: readonly Part[], limit: number): Promise<void> {
    await forEachLimited(this.#due(parts), limit, (part) => this.#askFor(part));
  }

  /**
   * Takes note of what failed, and returns every part that does. Throws the error that is not of parts: the end of the
   * run, keys of another customer, or what all parts met alike.
   */
  end(): FailedPart[] {
    const { signal, states, startedAt, log } = this.#context;
    const [first] = this.#failures;
    // Of what all of them meet no part is to wait for longer than the others.
    if (first && this.#isHopeless()) throw first.error;
    for (const { part, error } of this.#failures) states.failed(part, startedAt, error, log);
    const [paused] = this.#paused.values();
    const end: unknown = signal.aborted ? signal.reason : paused;
    if (end === undefined) states.succeeded(REST, log);
    else if (this.#answered === 0 || !(end instanceof ProviderError)) throw end;
    else states.failed(REST, startedAt, end, log);
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

  /** Whether every further part would meet what all so far met. */
  #isHopeless(): boolean {
    const { total, isStanding } = this.#context;
    if (this.#answered > 0 || this.#failures.length < Math.min(ENOUGH, total) || isStanding?.()) return false;
    const kinds = new Set(this.#failures.map(({ error }) => error.kind));
    const [kind = 'rejected'] = kinds;
    return kinds.size === 1 && !OF_ONE_PART_ALWAYS.has(kind);
  }
}
