// Decides which exits a round checks, and what their answers show.

import type { ExitResult } from '../../../store/probe-store.ts';
import type { ReadContext } from '../../context.ts';
import type { ProbedProxy } from '../probed-proxies.ts';
import type { LabelledTarget } from '../targets.ts';
import { readEcho } from './echo.ts';
import { compareExit, readExpectedExit } from './expected-exit.ts';

export interface ExitCheckOptions {
  /** Undefined if exits are not checked. */
  readonly target: LabelledTarget | undefined;
  /** The time after which an exit is checked again (ms). */
  readonly every: number;
  /** By proxy id: when this process last tried to check the exit (ms). */
  readonly triedAt: Map<string, number>;
  /** By proxy id: when an exit was last seen (ms). */
  readonly seenAt: ReadonlyMap<string, number>;
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
    const { target, context } = this.#options;
    if (!target || !this.#isDue(proxy.id)) return undefined;
    return (await readExpectedExit(context, proxy)) ? target : undefined;
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
    const { every, triedAt, seenAt, context } = this.#options;
    const now = context.clock.now();
    const last = Math.max(triedAt.get(id) ?? 0, seenAt.get(id) ?? 0);
    return last > now || last <= now - every;
  }
}
