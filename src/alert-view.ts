// The alerts as the HTTP server shows them: found among all there are, and put into words only where they are shown.

import type { Alerting } from './alerting.ts';
import { isFiring } from './alerts/state.ts';
import type { ActiveAlert, AlertView } from './http/view.ts';
import type { StoredAlert } from './store/alert-store.ts';

export const createAlertView = (alerting: Pick<Alerting, 'isOn' | 'active' | 'teller'>): AlertView => {
  const told = (alert: StoredAlert): ActiveAlert => {
    const { since, firingSince } = alert;
    return { ...alerting.teller(alert), since, firingSince };
  };
  return {
    get isEvaluated() {
      return alerting.isOn;
    },
    count: () => {
      let [firing, pending] = [0, 0];
      for (const alert of alerting.active)
        if (isFiring(alert)) firing += 1;
        else pending += 1;
      return { firing, pending };
    },
    firing: (limit) => {
      const found: ActiveAlert[] = [];
      for (const alert of alerting.active) {
        if (found.length >= limit) break;
        if (isFiring(alert)) found.push(told(alert));
      }
      return found;
    },
    list: (account, after, limit) =>
      alerting.active
        .after(account, after, limit)
        .map(({ id, alert }) => ({ id, read: async () => told(alert) })),
  };
};
