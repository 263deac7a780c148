// Compares the step of an alert with the step that a receiver knows. 0 means that no step is known.

/** Whether the receiver must be notified again. */
export const isRisen = ({ step }: { readonly step: number }, toldStep: number): boolean =>
  toldStep > 0 && step > toldStep;

/** Returns the step that the receiver knows after the alert moved to `step`, so that a later rise from there is a new one. */
export const toldStepAfter = (toldStep: number, step: number): number =>
  toldStep === 0 ? step : Math.min(toldStep, step);
