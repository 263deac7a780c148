// Gives the HTTP server the alerts from memory, and writes texts only for those that are shown.

import { SEVERITIES } from '../alerts/alert.ts';
import { isFiring } from '../alerts/state.ts';
import type { ActiveAlert, AlertView } from '../http/alert-view.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { Alerting } from './alerting.ts';

type Texts = Pick<Alerting, 'describe' | 'annotate' | 'mutedNow'>;

/** Returns the alert as the API shows it. */
export const withTexts = (alert: StoredAlert, alerting: Texts): ActiveAlert => {
  const { since, firingSince } = alert;
  const described = alerting.describe(alert);
  const { description = null, runbook_url: runbook = null } = alerting.annotate(described);
  const { until = null, by = [] } = alerting.mutedNow(alert) ?? {};
  return {
    ...{ ...described, description, runbook, since, firingSince },
    silencedUntil: until,
    silencedBy: by.map(({ silence, comment, maintenance }) => ({ silence, comment, maintenance })),
  };
};

export const createAlertView = (
  alerting: Pick<Alerting, 'isOn' | 'evaluatedAt' | 'active'> & Texts,
): AlertView => {
  return {
    get isEvaluated() {
      return alerting.isOn;
    },
    get evaluatedAt() {
      return alerting.evaluatedAt;
    },
    count: (account) => {
      let [firing, silenced, pending, worst] = [0, 0, 0, SEVERITY_ORDER.length];
      for (const alert of account === undefined ? alerting.active : alerting.active.ofAccount(account)) {
        if (!isFiring(alert)) pending += 1;
        else if (alerting.mutedNow(alert)) silenced += 1;
        else {
          firing += 1;
          worst = Math.min(worst, SEVERITY_ORDER.indexOf(alert.severity));
        }
      }
      return { firing, silenced, pending, worstSeverity: SEVERITY_ORDER[worst] ?? null };
    },
    firing: (limit) => {
      const found: ActiveAlert[] = [];
      for (const alert of alerting.active) {
        if (found.length >= limit) break;
        if (isFiring(alert)) found.push(withTexts(alert, alerting));
      }
      return found;
    },
    get revision() {
      return alerting.active.revision;
    },
    *items(account) {
      for (const { id, alert } of alerting.active.items(account))
        yield { id, ...alert, isFiring: isFiring(alert) };
    },
    find: (account, id) => {
      const alert = alerting.active.find(account, id);
      return alert && withTexts(alert, alerting);
    },
    silencedUntil: (account, id) => {
      const alert = alerting.active.find(account, id);
      return (alert && alerting.mutedNow(alert)?.until) ?? null;
    },
  };
};

/** The most severe first. */
const SEVERITY_ORDER: readonly string[] = SEVERITIES;
