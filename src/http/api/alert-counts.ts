// How many alerts fire and are pending: of an account, of the daemon itself, or in all.

import { z } from 'zod';
import type { AlertView } from '../view.ts';
import { count, text } from './fields.ts';

/** The account name of the daemon's own alerts. */
export const DAEMON = '';

export const alertCounts = z
  .strictObject({
    firing: count.nullable().describe('Null while alerts are not evaluated, or have not been yet'),
    pending: count.nullable().describe('Likewise'),
    worst_severity: text.nullable().describe('Of those that fire'),
  })
  .meta({ id: 'AlertCounts' });

/** Those of one account, or all. */
export const alertCountsJson = (alerts: AlertView, account?: string) => {
  const { isEvaluated, evaluatedAt } = alerts;
  const { firing, pending, worstSeverity } = alerts.count(account);
  // Alerts from before a restart stay until the next evaluation; before it, a count of 0 is unknown.
  const known = (found: number) => (isEvaluated && (found > 0 || evaluatedAt !== null) ? found : null);
  return { firing: known(firing), pending: known(pending), worst_severity: worstSeverity };
};
