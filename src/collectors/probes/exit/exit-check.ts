// Decides which exits a round checks, and what their answers show.

import type { ExitResult, ProbeExit } from '../../../store/probe-store.ts';
import type { ReadContext } from '../../context.ts';
import type { ProbedProxy } from '../probed-proxies.ts';
import type { LabelledTarget } from '../targets.ts';
import { readEcho } from './echo.ts';
import { compareExit, isExpected, readExpectedExit } from './expected-exit.ts';

export interface ExitCheckOptions {
  /** Undefined if exits are not checked. */
  readonly target: LabelledTarget | undefined;
  /** The time after which an exit is checked again (ms). */
  readonly every: number;
  /** By proxy id: when this process last tried to check the exit (ms). */
  readonly triedAt: Map<string, number>;
  /** By proxy id: what the exit showed last. */
  readonly seen: ReadonlyMap<string, Pick<ProbeExit, 'expected' | 'isMismatch' | 'at'>>;
  /** Deletes what the exit of a proxy showed, because nobody expects it any more. Throws StoreError. */
  readonly forget: (id: string) => Promise<void>;
  /** The account whose inventory knows the proxies. */
  readonly context: Pick<ReadContext<unknown>, 'account' | 'store' | 'clock'>;
}

export class ExitCheck {
  readonly #options: ExitCheckOptions;

  constructor(options: ExitCheckOptions) {
    this.#options = options;
  }

  /** Returns the url to ask now; undefined if the check is not due, or if nothing is known to compare with. */
  async targetFor(proxy: ProbedProxy): Promise<LabelledTarget | undefined> {
    const { target, context, seen } = this.#options;
    if (!target) return undefined;
    const last = seen.get(proxy.id);
    const isDue = this.#isDue(proxy.id);
    if (!isDue && !last?.isMismatch) return undefined;
    const expected = await readExpectedExit(context, proxy);
    if (last && !(expected && isExpected(expected, last.expected))) await this.#options.forget(proxy.id);
    return expected && isDue ? target : undefined;
  }

  /** Returns what the body of the echo shows; undefined if it shows nothing. */
  async resultOf(proxy: ProbedProxy, body: string | null): Promise<ExitResult | undefined> {
    const { context, triedAt } = this.#options;
    // A check that failed is not repeated in each round, because it may cost money.
    triedAt.set(proxy.id, context.clock.now());
    const echo = body === null ? undefined : readEcho(body);
    const expected = await readExpectedExit(context, proxy);
    const compared = echo && expected && compareExit(expected, echo);
    return compared && { proxy: proxy.id, ...compared };
  }

  #isDue(id: string): boolean {
    const { every, triedAt, seen, context } = this.#options;
    const now = context.clock.now();
    const last = Math.max(triedAt.get(id) ?? 0, seen.get(id)?.at ?? 0);
    return last > now || last <= now - every;
  }
}
