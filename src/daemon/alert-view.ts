// The alerts for the HTTP server: it finds them in memory, and writes texts only for those that are shown.

import { SEVERITIES } from '../alerts/alert.ts';
import { isFiring } from '../alerts/state.ts';
import type { ActiveAlert, AlertView } from '../http/view.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { Alerting } from './alerting.ts';

export const createAlertView = (
  alerting: Pick<Alerting, 'isOn' | 'evaluatedAt' | 'active' | 'teller'>,
): AlertView => {
  const worded = (alert: StoredAlert): ActiveAlert => {
    const { since, firingSince } = alert;
    return { ...alerting.teller(alert), since, firingSince };
  };
  return {
    get isEvaluated() {
      return alerting.isOn;
    },
    get evaluatedAt() {
      return alerting.evaluatedAt;
    },
    count: (account) => {
      let [firing, pending, worst] = [0, 0, RANKS.length];
      for (const alert of account === undefined ? alerting.active : alerting.active.ofAccount(account)) {
        if (!isFiring(alert)) pending += 1;
        else {
          firing += 1;
          worst = Math.min(worst, RANKS.indexOf(alert.severity));
        }
      }
      return { firing, pending, worstSeverity: RANKS[worst] ?? null };
    },
    firing: (limit) => {
      const found: ActiveAlert[] = [];
      for (const alert of alerting.active) {
        if (found.length >= limit) break;
        if (isFiring(alert)) found.push(worded(alert));
      }
      return found;
    },
    list: (account, after, limit) =>
      alerting.active
        .after(account, after, limit)
        .map(({ id, alert }) => ({ id, read: async () => worded(alert) })),
  };
};

/** The most severe first. */
const RANKS: readonly string[] = SEVERITIES;
