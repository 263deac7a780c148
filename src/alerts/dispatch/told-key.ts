// Defines the key by which a receiver knows an alert. An alert with another severity is another alert, as in Alertmanager.

import type { StoredAlert } from '../../store/alert-store.ts';
import type { ActiveAlerts } from '../active.ts';
import { isFiring, labelsKey } from '../state.ts';

/** An alert with its `toldKey`. */
export interface KeyedAlert {
  readonly key: string;
  readonly alert: StoredAlert;
}

/** The severity comes first, so that alerts of a severity are found by the beginning of their keys. */
export const toldKey = ({ severity, account, alert, labels }: StoredAlert): string =>
  [severity, account, alert, labelsKey(labels)].join('\n');

/** Returns the alert if it fires with the severity of the key. */
export const firingAlert = (active: ActiveAlerts, key: string): StoredAlert | undefined => {
  const [severity, account = '', name = '', labels = ''] = key.split('\n');
  const alert = active.group(account, name).get(labels);
  return alert && isFiring(alert) && alert.severity === severity ? alert : undefined;
};
