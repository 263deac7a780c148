// Explains why an alert is not active for an account, as far as the daemon knows.

import { type AccountAlert, collectorsOf } from '../alert.ts';
import type { AccountConditions } from '../conditions.ts';
import { type IsMatching, type SuppressedSubject, suppressedOf, suppressedText } from './suppressed.ts';

export type InactiveStatus =
  | 'evaluation_off'
  | 'prometheus_only'
  | 'disabled'
  | 'collector_off'
  | 'evaluation_failed'
  | 'not_evaluated'
  | 'suppressed'
  | 'condition_false';

export interface InactiveAlert {
  /** Null if the alert is about the daemon, or if the reason does not depend on the account. */
  readonly account: string | null;
  readonly status: InactiveStatus;
  /** Says the same in a sentence. */
  readonly text: string;
  /** The first subjects that other alerts suppress. */
  readonly suppressed: readonly SuppressedSubject[];
}

export const inactive = (
  account: string | null,
  status: InactiveStatus,
  text: string,
  suppressed: readonly SuppressedSubject[] = [],
): InactiveAlert => ({ account, status, text, suppressed });

/** Explains an alert about an account that is not active for any subject for which `isMatching` holds. */
export const explainInactive = async (
  account: string,
  alert: AccountAlert,
  conditions: AccountConditions,
  isMatching: IsMatching,
  isEvaluated: boolean,
): Promise<InactiveAlert> => {
  if (!conditions.configured(alert).isEnabled)
    return inactive(account, 'disabled', 'the alert is turned off in the configuration (enabled: false)');
  if (!conditions.alerts.includes(alert)) return inactive(account, 'collector_off', collectorOffText(alert));
  if (conditions.isFailing(alert))
    return inactive(
      account,
      'evaluation_failed',
      'the last evaluation of the condition failed. The log has the error',
    );
  if (!isEvaluated) return inactive(account, 'not_evaluated', notEvaluatedText(alert));
  const { count, unsuppressed, shown } = await suppressedOf(alert, conditions, isMatching);
  if (count > 0) return inactive(account, 'suppressed', suppressedText(count, shown), shown);
  return unsuppressed > 0
    ? inactive(account, 'not_evaluated', NO_SUPPRESSORS)
    : inactive(account, 'condition_false', 'the condition of the alert does not hold now');
};

const NO_SUPPRESSORS =
  'the condition holds, but proxywatch has not evaluated the alerts that can suppress this alert';

const collectorOffText = (alert: AccountAlert): string => {
  const collectors = collectorsOf(alert);
  const areOff = collectors.length > 1 ? 'and both are off' : 'which is off';
  return `the alert needs the collector ${collectors.join(' or ')}, ${areOff}`;
};

const notEvaluatedText = (alert: AccountAlert): string => {
  const collectors = collectorsOf(alert);
  const when =
    collectors.length > 0
      ? `after the next successful run of the collector ${collectors.join(' or ')}`
      : 'after the next runs';
  return `the condition has not been evaluated since the daemon last started or paused. proxywatch evaluates it ${when}`;
};

/** Explains an alert about the daemon that is not active. */
export const explainInactiveOfDaemon = (isOn: boolean, isEvaluated: boolean): InactiveAlert => {
  if (!isOn)
    return inactive(null, 'disabled', 'the alert is turned off in the configuration (enabled: false)');
  return isEvaluated
    ? inactive(null, 'condition_false', 'the condition of the alert does not hold now')
    : inactive(null, 'not_evaluated', 'the daemon has not evaluated its alerts since its start');
};
