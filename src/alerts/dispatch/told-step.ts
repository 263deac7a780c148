// Compares the step of an alert with the step that a receiver knows. 0 means that no step is known.

import type { StoredAlert } from '../../store/alert-store.ts';

/** Whether the receiver must be notified again. */
export const isRisen = ({ step }: StoredAlert, toldStep: number): boolean => toldStep > 0 && step > toldStep;

/** Returns the step that the receiver knows after the alert moved to `step`, so that a later rise from there is a new one. */
export const toldStepAfter = (toldStep: number, step: number): number =>
  toldStep === 0 ? step : Math.min(toldStep, step);

/** Returns the alert with another step. An alert that has this step already is not copied, because there may be many. */
export const withStep = (alert: StoredAlert, step: number): StoredAlert =>
  alert.step === step ? alert : { ...alert, step };
