// Counts the firing and pending alerts of an account, of the daemon itself, or of all.

import { z } from 'zod';
import type { AlertView } from '../alert-view.ts';
import { count, text } from './fields.ts';

/** The account name under which alerts about the daemon itself are counted and listed. */
export const DAEMON_ACCOUNT = '';

export const alertCounts = z
  .strictObject({
    firing: count
      .nullable()
      .describe(
        'Firing alerts that are not silenced. Null if the daemon does not evaluate alerts, or has not evaluated alerts yet',
      ),
    silenced: count.nullable().describe('Firing alerts that are silenced. Null if `firing` is null'),
    pending: count
      .nullable()
      .describe('Null if the daemon does not evaluate alerts, or has not evaluated alerts yet'),
    worst_severity: text.nullable().describe('Highest severity of the firing alerts that are not silenced'),
  })
  .meta({ id: 'AlertCounts' });

/** Counts the alerts of one account, or all. */
export const alertCountsJson = (alerts: AlertView, account?: string) => {
  const { isEvaluated, evaluatedAt } = alerts;
  const { firing, silenced, pending, worstSeverity } = alerts.count(account);
  // Alerts from before a restart remain until the first evaluation. Until then a count of 0 means unknown.
  const knownOrNull = (found: number) => (isEvaluated && (found > 0 || evaluatedAt !== null) ? found : null);
  return {
    firing: knownOrNull(firing),
    silenced: knownOrNull(silenced),
    pending: knownOrNull(pending),
    worst_severity: worstSeverity,
  };
};
