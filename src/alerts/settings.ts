// The alerts' part of the configuration, made of the table: thresholds, holds, severities and what is off.

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

const thresholdOf = (threshold: Threshold | undefined) => {
  if (!threshold) return z.never({ error: 'this alert has no threshold' }).optional();
  const schema: z.ZodType<number> = thresholdSchemas[threshold.unit]();
  return schema.optional().describe(threshold.meaning);
};

/** Of one alert; what is not given is as in the table. */
export interface AlertChange {
  readonly threshold?: number | undefined;
  /** ms. */
  readonly for?: number | undefined;
  readonly severity?: Severity | undefined;
  readonly enabled?: boolean | undefined;
}
export type AlertChanges = Readonly<Record<string, AlertChange | undefined>>;

const changeOf = ({ threshold }: Alert) =>
  z.strictObject({
    threshold: thresholdOf(threshold),
    for: duration().optional().describe('How long the condition must hold'),
    severity: z.enum(SEVERITIES).optional(),
    enabled: z.boolean().optional(),
  });

/** Changes to the alerts of these scopes, by name. */
export const alertChanges = (scopes: readonly Alert['scope'][]) =>
  Object.fromEntries(
    ALERTS.filter(({ scope }) => scopes.includes(scope)).map((alert) => [
      alert.name,
      changeOf(alert).optional(),
    ]),
  );

/** An alert as it is configured for an account, or for the daemon. */
export interface ConfiguredAlert {
  readonly threshold: number;
  readonly holdMs: number;
  readonly severity: Severity;
  readonly isEnabled: boolean;
}

/** Changes that come later go over those before. */
export const configured = (alert: Alert, ...changes: readonly AlertChanges[]): ConfiguredAlert => {
  const change: AlertChange = Object.assign({}, ...changes.map((each) => each[alert.name] ?? {}));
  return {
    // Without a threshold, 1 says that the alert is on.
    threshold: change.threshold ?? alert.threshold?.value ?? 1,
    holdMs: change.for ?? alert.holdMs,
    severity: change.severity ?? alert.severity,
    isEnabled: change.enabled ?? true,
  };
};

/** By name, of the alerts that are on: what the account's conditions are compared with. */
export const thresholdsOf = (
  scope: Alert['scope'],
  ...changes: readonly AlertChanges[]
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    ALERTS.filter((alert) => alert.scope === scope)
      .map((alert) => ({ name: alert.name, ...configured(alert, ...changes) }))
      .filter(({ isEnabled }) => isEnabled)
      .map(({ name, threshold }) => [name, threshold]),
  );
