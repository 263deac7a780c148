// Keeps during a round what controls and probes show about the line of this machine.

import type { Cause, ProbeResult } from '../../prober/probe.ts';
import type { ControlResult } from '../../store/probe-store.ts';
import { areUnanswered, gotAnswer, hasControlFailed } from './evidence.ts';

export type ControlAnswer = Omit<ControlResult, 'isUnreached'>;

/** A result of a probe, and how often the controls had been asked when the probe began. */
export interface OrderedResult {
  readonly label: string;
  readonly begunAfter: number;
  readonly result: Pick<ProbeResult, 'failure'>;
}

/** Whether a failing probe shows nothing. */
export type IsUndecided = (probed: Pick<OrderedResult, 'label' | 'begunAfter'>) => boolean;

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
  /** Whether probes have passed since the controls last ceased to get answers. */
  #passes: boolean;
  #hasProbed = false;
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;

  /** `areBlocked` is what the last round showed about the controls. */
  constructor(ask: AskControls, areBlocked: boolean) {
    this.#ask = ask;
    this.#passes = areBlocked;
  }

  /** Whether no control got an answer and no probe passed. */
  get isDown(): boolean {
    return areUnanswered(this.#answers) && !this.#passes;
  }

  /** The newest results of the controls. */
  get controls(): ControlResult[] {
    return this.#answers.map((control) => ({ ...control, isUnreached: this.isDown && !gotAnswer(control) }));
  }

  /** How often the controls have been asked. */
  get asked(): number {
    return this.#asked;
  }

  /**
   * What the last round showed counts only until the first probe of this round. Probes that began before the line failed
   * do not show that it works.
   */
  observe(results: readonly OrderedResult[]): void {
    if (results.length === 0) return;
    const hasAnswered = results.some(
      ({ begunAfter, result }) => begunAfter >= this.#changedAt && showsLine(result),
    );
    this.#passes = hasAnswered || (this.#passes && this.#hasProbed);
    this.#hasProbed = true;
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
    const controls = areUnanswered(after) ? [] : [...before, ...after];
    return ({ label, begunAfter }) => begunAfter < changedAt || isDown || hasControlFailed(label, controls);
  }

  async #askNow(parallel: number): Promise<void> {
    const answers = await this.#ask(parallel);
    if (answers.length === 0) return;
    const isFirst = this.#asked === 0;
    this.#asked += 1;
    if (!isFirst && areUnanswered(this.#answers) !== areUnanswered(answers)) {
      this.#changedAt = this.#asked;
      this.#passes = false;
    }
    this.#answers = answers;
  }
}

const canBeOfLine = ({ result: { failure } }: OrderedResult): boolean =>
  failure !== null && LINE_CAUSES.has(failure.cause);

const showsLine = ({ failure }: OrderedResult['result']): boolean => failure === null;
