// Defines the steps of an alert about a share that is left: the alert rises when the subject passes another step.

/** A subject has passed the step when less than `left` is left. Both shares together are 1. */
export interface Step {
  readonly used: number;
  readonly left: number;
}

/** A subject falls back from a step by more than this share. Smaller falls are corrections, and the next rise is not new. */
const MARGIN = 0.01;

export const stepAt = (used: number): Step => ({ used, left: restOf(used) });
export const stepOfThreshold = (left: number): Step => ({ used: restOf(left), left });

/** Returns the used share of the highest step that the subject has passed, if its step was `before`; 0 if there is none. */
export const highestStep = (steps: readonly Step[], left: number, before: number): number =>
  steps.findLast((step) => left < step.left || (step.used <= before && left < step.left + MARGIN))?.used ?? 0;

/** Returns 0.1 for 0.9. The subtraction alone returns a little less, and Prometheus would show and compare that. */
const restOf = (share: number): number => Number((1 - share).toFixed(12));
