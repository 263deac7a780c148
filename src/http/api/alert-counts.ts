// How many alerts fire and are pending: of an account, of the daemon itself, or in all.

import { z } from 'zod';
import type { AlertView } from '../view.ts';
import { count, text } from './fields.ts';

/** Of the daemon's own alerts, which a request for no account in particular is answered with too. */
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
  // What stood before a start stands until it is looked at again; that nothing stands is not known until then.
  const known = (found: number) => (isEvaluated && (found > 0 || evaluatedAt !== null) ? found : null);
  return { firing: known(firing), pending: known(pending), worst_severity: worstSeverity };
};
