// Explains why an alert is not active for an account, as far as the daemon knows.

import { yieldEvery } from '../../lib/steps.ts';
import type { InactiveAlert, SuppressedSubject } from '../../store/notice.ts';
import { type AccountAlert, collectorsOf } from '../alert.ts';
import type { AccountConditions } from '../conditions.ts';
import type { IsMatching } from './matching.ts';

const MAX_SUPPRESSED = 10;

export const inactive = (
  account: string | null,
  status: InactiveAlert['status'],
  text: string,
  suppressed: readonly SuppressedSubject[] = [],
): InactiveAlert => ({ account, status, text, suppressed });

const disabled = (account: string | null): InactiveAlert =>
  inactive(account, 'disabled', 'the alert is turned off in the configuration (enabled: false)');

const conditionFalse = (account: string | null): InactiveAlert =>
  inactive(account, 'condition_false', 'the condition of the alert does not hold now');

export const explainInactiveOfDaemon = (isOn: boolean, isEvaluated: boolean): InactiveAlert => {
  if (!isOn) return disabled(null);
  return isEvaluated
    ? conditionFalse(null)
    : inactive(null, 'not_evaluated', 'the daemon has not evaluated its alerts since its start');
};

/** Explains an alert about an account that is not active for any subject for which `isMatching` holds. */
export const explainInactive = async (
  account: string,
  alert: AccountAlert,
  conditions: AccountConditions,
  isMatching: IsMatching,
  isEvaluated: boolean,
): Promise<InactiveAlert> => {
  if (!conditions.configured(alert).isEnabled) return disabled(account);
  if (!conditions.alerts.includes(alert)) return inactive(account, 'collector_off', collectorOffText(alert));
  if (conditions.isFailing(alert)) return inactive(account, 'evaluation_failed', FAILED);
  if (!isEvaluated) return inactive(account, 'not_evaluated', notEvaluatedText(alert));
  const { count, unsuppressed, shown } = await suppressedOf(alert, conditions, isMatching);
  if (count > 0) return inactive(account, 'suppressed', suppressedText(count, shown), shown);
  return unsuppressed > 0 ? inactive(account, 'not_evaluated', NO_SUPPRESSORS) : conditionFalse(account);
};

const FAILED = 'the last evaluation of the condition failed. The log has the error';
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

const suppressedText = (count: number, shown: readonly SuppressedSubject[]): string => {
  const names = [...new Set(shown.flatMap(({ suppressedBy }) => suppressedBy))].join(', ');
  const subjects = count === 1 ? 'one subject' : `${count.toLocaleString('en')} subjects`;
  return `the condition holds for ${subjects}, but a broader alert explains it and suppresses this alert: ${names}`;
};

/** Returns how many matching findings are suppressed and how many are not, and the first suppressed ones. */
const suppressedOf = async (alert: AccountAlert, conditions: AccountConditions, isMatching: IsMatching) => {
  const suppressors = conditions.suppressorsOf(alert);
  const yieldTurn = yieldEvery();
  const shown: SuppressedSubject[] = [];
  let [count, unsuppressed] = [0, 0];
  for (const finding of conditions.findingsOf(alert)?.values() ?? []) {
    await yieldTurn();
    if (!isMatching(finding)) continue;
    const suppressedBy = suppressors.filter((each) => each.suppresses(finding)).map((each) => each.alert);
    if (suppressedBy.length === 0) unsuppressed += 1;
    else count += 1;
    if (suppressedBy.length > 0 && shown.length < MAX_SUPPRESSED)
      shown.push({ labels: finding.labels, suppressedBy });
  }
  return { count, unsuppressed, shown };
};
