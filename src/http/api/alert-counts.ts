// How many alerts fire and are pending: of an account, of the daemon itself, or in all.

import { z } from 'zod';
import type { Alerts } from '../view.ts';
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

const SEVERITIES = ['critical', 'warning', 'info'];

/** Those of one account, or all. */
export const alertCountsJson = ({ isEvaluated, evaluatedAt, alerts }: Alerts, account?: string) => {
  const own = alerts.filter(({ labels }) => account === undefined || (labels.account ?? DAEMON) === account);
  const firing = own.filter(({ firingSince }) => firingSince !== null);
  // What stood before a start stands until it is looked at again; that nothing stands is not known until then.
  const known = (found: number) => (isEvaluated && (found > 0 || evaluatedAt !== null) ? found : null);
  return {
    firing: known(firing.length),
    pending: known(own.length - firing.length),
    worst_severity: SEVERITIES.find((each) => firing.some(({ severity }) => severity === each)) ?? null,
  };
};
