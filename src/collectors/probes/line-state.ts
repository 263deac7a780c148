// Keeps during a round what controls and probes show about the line of this machine.

import type { Cause, ProbeResult } from '../../prober/probe.ts';
import type { ControlResult } from '../../store/probe-store.ts';
import { areUnanswered, gotAnswer, hasControlFailed } from './evidence.ts';

export type ControlAnswer = Omit<ControlResult, 'isUnreached'>;

/** Whether a failing probe of the url with this label shows nothing. */
export type IsUndecided = (label: string) => boolean;

type Results = readonly { readonly result: Pick<ProbeResult, 'failure'> }[];

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
  readonly #ask: () => Promise<readonly ControlAnswer[]>;
  #answers: readonly ControlAnswer[] = [];
  /** Whether probes have passed since the controls last stopped to get answers. */
  #passes: boolean;
  #hasProbed = false;

  /** `ask` returns nothing if the run ends first. `areBlocked` is what the last round showed about the controls. */
  constructor(ask: () => Promise<readonly ControlAnswer[]>, areBlocked: boolean) {
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

  /** What the last round showed counts only until the first probe of this round. */
  observe(results: Results): void {
    if (results.length === 0) return;
    const hasPassed = results.some(({ result }) => result.failure === null);
    this.#passes = hasPassed || (this.#passes && this.#hasProbed);
    this.#hasProbed = true;
  }

  async askControls(): Promise<void> {
    const answers = await this.#ask();
    if (answers.length === 0) return;
    const hasFailed = this.#answers.length > 0 && !areUnanswered(this.#answers) && areUnanswered(answers);
    // Probes that passed before the line failed do not show that it works.
    if (hasFailed) this.#passes = false;
    this.#answers = answers;
  }

  /**
   * Asks the controls again if the line can be the cause of a failure, because it can fail or come back in the middle of a
   * round. If it did, it is unknown which of the results failed for it.
   */
  async judge(results: Results): Promise<IsUndecided> {
    const before = this.#answers;
    if (before.length > 0 && results.some(canBeOfLine)) await this.askControls();
    const after = this.#answers;
    if (areUnanswered(before) !== areUnanswered(after)) return () => true;
    if (areUnanswered(after)) return () => this.isDown;
    return (label) => hasControlFailed(label, before) || hasControlFailed(label, after);
  }
}

const canBeOfLine = ({ result: { failure } }: Results[number]): boolean =>
  failure !== null && LINE_CAUSES.has(failure.cause);
