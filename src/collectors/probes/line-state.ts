// Keeps during a round what controls and probes show about the line of this machine.

import type { Cause, ProbeResult } from '../../prober/probe.ts';
import type { ControlResult } from '../../store/probe-store.ts';
import { areUnanswered, canBeOfTarget, gotAnswer, hasControlFailed } from './evidence.ts';

export type ControlAnswer = Omit<ControlResult, 'isUnreached'>;

/** A result of a probe, and how often the controls had been asked when the probe began. */
export interface OrderedResult {
  readonly label: string;
  readonly begunAfter: number;
  readonly result: Pick<ProbeResult, 'failure' | 'proxyAnswer'>;
}

/** Whether a failing probe shows nothing. `isProxyDead`: all probes of the proxy failed in this round. */
export type IsUndecided = (probed: OrderedResult, isProxyDead: boolean) => boolean;

/** Asks at most `parallel` controls at a time. Returns nothing if the run ends first. */
export type AskControls = (parallel: number) => Promise<readonly ControlAnswer[]>;

/** The causes of failures that a line of this machine that does not work can have. */
const LINE_CAUSES: ReadonlySet<string> = new Set<Cause>([
  'dns',
  'refused',
  'unreachable',
  'reset',
  'closed',
  'timeout',
] as const);

export class LineState {
  readonly #ask: AskControls;
  #answers: readonly ControlAnswer[] = [];
  #asked = 0;
  /** The value of `asked` when the controls last began or ceased to get answers. */
  #changedAt = 0;
  /** Whether proxies have answered since the controls last ceased to get answers. */
  #haveProxiesAnswered: boolean;
  #hasProbed = false;
  #hasPassed = false;
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;

  /** `areBlocked` is what the last round showed about the controls. */
  constructor(ask: AskControls, areBlocked: boolean) {
    this.#ask = ask;
    this.#haveProxiesAnswered = areBlocked;
  }

  /** Whether no control and no proxy answered. */
  get isDown(): boolean {
    return areUnanswered(this.#answers) && !this.#haveProxiesAnswered;
  }

  /** The newest results of the controls; none if no control answered and nothing was probed, as the targets can be down. */
  get controls(): ControlResult[] {
    if (areUnanswered(this.#answers) && !this.#hasProbed) return [];
    return this.#answers.map((control) => ({ ...control, isUnreached: this.isDown && !gotAnswer(control) }));
  }

  /** How often the controls have been asked. */
  get asked(): number {
    return this.#asked;
  }

  /** What the last round showed counts until the first probe of this one: earlier probes do not show that the line works. */
  observe(results: readonly OrderedResult[]): void {
    if (results.length === 0) return;
    const hasAnswered = results.some(
      ({ begunAfter, result }) => begunAfter >= this.#changedAt && showsLine(result),
    );
    this.#haveProxiesAnswered = hasAnswered || (this.#haveProxiesAnswered && this.#hasProbed);
    this.#hasProbed = true;
    this.#hasPassed ||= results.some(({ result }) => result.failure === null);
  }

  /**
   * A caller never gets the answers of a question that began before its call, because the line can have failed since.
   * All callers that wait share the next question.
   */
  askControls(parallel: number): Promise<void> {
    if (!this.#running) {
      this.#running = this.#askNow(parallel).finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#following ??= this.#running.then(() => {
      this.#following = undefined;
      return this.askControls(parallel);
    });
    return this.#following;
  }

  /**
   * Asks the controls again if the line can be the cause of a failure, because it can fail or come back in the middle of a
   * round. If it did, it is unknown which of the results failed for it. Controls are asked one at a time, in place of the
   * connection of the worker that waits for them.
   */
  async judge(results: readonly OrderedResult[]): Promise<IsUndecided> {
    const before = this.#answers;
    if (before.length > 0 && results.some(canBeOfLine)) await this.askControls(1);
    const after = this.#answers;
    const [changedAt, isDown] = [this.#changedAt, this.isDown];
    // Probes that pass show that the controls are blocked. If none passes, the target can be down instead.
    const areAllUnanswered = areUnanswered(after);
    const controls = areAllUnanswered && this.#hasPassed ? [] : [...before, ...after];
    const isOfUrl = ({ failure, proxyAnswer }: OrderedResult['result'], isProxyDead: boolean): boolean =>
      (failure !== null && canBeOfTarget(failure.phase, failure.cause)) ||
      (!areAllUnanswered && !isProxyDead && proxyAnswer === null);
    return ({ label, begunAfter, result }, isProxyDead) =>
      begunAfter < changedAt || isDown || (hasControlFailed(label, controls) && isOfUrl(result, isProxyDead));
  }

  async #askNow(parallel: number): Promise<void> {
    const answers = await this.#ask(parallel);
    if (answers.length === 0) return;
    const isFirst = this.#asked === 0;
    this.#asked += 1;
    if (!isFirst && areUnanswered(this.#answers) !== areUnanswered(answers)) {
      this.#changedAt = this.#asked;
      this.#haveProxiesAnswered = false;
    }
    this.#answers = answers;
  }
}

const canBeOfLine = ({ result: { failure } }: OrderedResult): boolean =>
  failure !== null && LINE_CAUSES.has(failure.cause);

/** Whether a probe shows that the line works, because it passed or the proxy answered. */
const showsLine = ({ failure, proxyAnswer }: OrderedResult['result']): boolean => {
  if (failure === null || proxyAnswer !== null) return true;
  const { phase, cause } = failure;
  const isOpen = (phase !== 'resolve' && phase !== 'connect') || cause === 'certificate';
  return isOpen && cause !== 'local' && !LINE_CAUSES.has(cause);
};
