// Defines the configuration's overrides of alerts: thresholds, `for`, severities, and which alerts are off.

import { z } from 'zod';
import { duration, ratio, size } from '../config/primitives.ts';
import { SECOND } from '../lib/time.ts';
import { type Alert, SEVERITIES, type Severity, type Threshold } from './alert.ts';
import { type Step, stepAt, stepOfThreshold } from './state.ts';
import { ALERTS } from './table.ts';

const thresholdSchemas = {
  ratio: () => ratio(),
  seconds: () => duration().transform((ms) => ms / SECOND),
  bytes: () => size(),
  count: () => z.number().min(0),
} as const;

const thresholdSchema = (threshold: Threshold | undefined) => {
  if (!threshold) return z.never({ error: 'this alert has no threshold; remove this line' }).optional();
  const schema: z.ZodType<number> = thresholdSchemas[threshold.unit]();
  return schema.optional().describe(threshold.meaning);
};

const stepsSchema = () =>
  z
    .array(z.number({ error: RATIO }).gt(0, RATIO).max(1, RATIO))
    .superRefine((steps, context) => {
      const unsorted = steps.findIndex((step, index) => index > 0 && step <= (steps[index - 1] ?? 0));
      if (unsorted > 0) context.addIssue({ ...ASCENDING, path: [unsorted] });
      if (!steps.some((step) => step < 1)) context.addIssue(NO_STEP);
    })
    .optional()
    .describe(
      'Shares of the quota, ascending. The alert fires when the user has used more than the first share. Receivers are notified again when the user has used more than a further share',
    );

const RATIO = 'expected a ratio above 0 and at most 1';
const ASCENDING = { code: 'custom', message: 'expected a higher step than the one before' } as const;
const NO_STEP = {
  code: 'custom',
  message: 'no step is below 1; to turn the alert off, write "enabled: false" instead',
} as const;

/** The configured changes to one alert. A field that is undefined leaves the value of the alert as it is. */
export interface AlertOverride {
  readonly threshold?: number | undefined;
  readonly steps?: readonly number[] | undefined;
  /** ms. */
  readonly for?: number | undefined;
  readonly severity?: Severity | undefined;
  readonly enabled?: boolean | undefined;
}
export type AlertOverrides = Readonly<Record<string, AlertOverride | undefined>>;

/** The key is unknown for other alerts. The type says for all of them that its value may be missing. */
const stepsKey = (threshold: Threshold | undefined) =>
  (threshold?.steps ? { steps: stepsSchema() } : {}) as { readonly steps: ReturnType<typeof stepsSchema> };

const overrideSchema = ({ threshold }: Alert) =>
  z
    .strictObject({
      threshold: thresholdSchema(threshold),
      ...stepsKey(threshold),
      for: duration().optional().describe('Time for which the condition must be true before the alert fires'),
      severity: z.enum(SEVERITIES).optional().describe('Label `severity` of the alert'),
      enabled: z.boolean().optional().describe('False turns the alert off'),
    })
    .superRefine((override, context) => {
      if (override.threshold === undefined || override.steps === undefined) return;
      const message =
        'threshold and steps exclude each other, because the first step sets the threshold; remove one of them';
      context.addIssue({ code: 'custom', message, path: ['threshold'] });
    });

export const alertOverrideSchemas = (scopes: readonly Alert['scope'][]) =>
  Object.fromEntries(
    ALERTS.filter(({ scope }) => scopes.includes(scope)).map((alert) => [
      alert.name,
      overrideSchema(alert).optional().describe(alert.meaning),
    ]),
  );

/** The settings of an alert for an account or for the daemon. */
export type ConfiguredAlert = ReturnType<typeof configuredAlert>;

/** Applies the overrides to the alert. Later overrides take precedence. */
export const configuredAlert = (alert: Alert, ...overrides: readonly AlertOverrides[]) => {
  const own = overrides.map((each) => each[alert.name] ?? {});
  const override: AlertOverride = Object.assign({}, ...own);
  const limits = own.findLast((each) => each.threshold !== undefined || each.steps !== undefined);
  return {
    ...limitsOf(alert, limits?.threshold, limits?.steps),
    holdMs: override.for ?? alert.holdMs,
    severity: override.severity ?? alert.severity,
    isEnabled: override.enabled ?? true,
  };
};

/** Returns the threshold with its steps, ascending, without the step 1. If both are undefined, the alert's defaults apply. */
const limitsOf = (
  alert: Alert,
  threshold: number | undefined,
  shares = alert.threshold?.steps,
): { readonly threshold: number; readonly steps: readonly Step[] } => {
  // For an alert without a threshold, the value 1 says that it is on.
  if (!shares) return { threshold: threshold ?? alert.threshold?.value ?? 1, steps: [] };
  if (threshold !== undefined) return { threshold, steps: [stepOfThreshold(threshold)] };
  const steps = shares.filter((share) => share < 1).map(stepAt);
  return { threshold: steps[0]?.left ?? 0, steps };
};

/** Returns the thresholds of the alerts that are on, by name. */
export const thresholdsOf = (
  scope: Alert['scope'],
  ...overrides: readonly AlertOverrides[]
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    ALERTS.filter((alert) => alert.scope === scope)
      .map((alert) => ({ name: alert.name, ...configuredAlert(alert, ...overrides) }))
      .filter(({ isEnabled }) => isEnabled)
      .map(({ name, threshold }) => [name, threshold]),
  );
