// Defines the configuration's overrides of alerts: thresholds, `for`, severities, and which alerts are off.

import { z } from 'zod';
import { duration, ratio, size } from '../config/primitives.ts';
import { SECOND } from '../lib/time.ts';
import { type Alert, SEVERITIES, type Severity, type Threshold } from './alert.ts';
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

/** The configured changes to one alert. A field that is undefined leaves the value of the alert as it is. */
export interface AlertOverride {
  readonly threshold?: number | undefined;
  /** ms. */
  readonly for?: number | undefined;
  readonly severity?: Severity | undefined;
  readonly enabled?: boolean | undefined;
}
export type AlertOverrides = Readonly<Record<string, AlertOverride | undefined>>;

const overrideSchema = ({ threshold }: Alert) =>
  z.strictObject({
    threshold: thresholdSchema(threshold),
    for: duration().optional().describe('Time for which the condition must be true before the alert fires'),
    severity: z.enum(SEVERITIES).optional().describe('Label `severity` of the alert'),
    enabled: z.boolean().optional().describe('False turns the alert off'),
  });

/** Returns the schemas of the overrides of all alerts with these scopes, by the alert's name. */
export const alertOverrideSchemas = (scopes: readonly Alert['scope'][]) =>
  Object.fromEntries(
    ALERTS.filter(({ scope }) => scopes.includes(scope)).map((alert) => [
      alert.name,
      overrideSchema(alert).optional().describe(alert.meaning),
    ]),
  );

/** The settings of an alert for an account or for the daemon. */
export interface ConfiguredAlert {
  readonly threshold: number;
  readonly holdMs: number;
  readonly severity: Severity;
  readonly isEnabled: boolean;
}

/** Applies the overrides to the alert. Later overrides take precedence. */
export const configuredAlert = (alert: Alert, ...overrides: readonly AlertOverrides[]): ConfiguredAlert => {
  const override: AlertOverride = Object.assign({}, ...overrides.map((each) => each[alert.name] ?? {}));
  return {
    // For an alert without a threshold, the value 1 says that it is on.
    threshold: override.threshold ?? alert.threshold?.value ?? 1,
    holdMs: override.for ?? alert.holdMs,
    severity: override.severity ?? alert.severity,
    isEnabled: override.enabled ?? true,
  };
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
