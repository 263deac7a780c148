// Decides which alerts a receiver is notified of, and which group they belong to.

import type { StoredAlert } from '../../store/alert-store.ts';
import { type Reason, reasonOf } from '../../store/notice.ts';
import { SEVERITIES } from '../alert.ts';
import type { RoutedOptions } from '../receivers/options.ts';
import { type RoutingOptions, SHARD_LABEL } from '../receivers/routing-options.ts';

export type RouteOptions = RoutingOptions & Pick<RoutedOptions, 'name'>;

const RANKS: readonly string[] = SEVERITIES;

export class Route {
  readonly options: RouteOptions;
  readonly #labelNames: readonly string[];

  constructor(options: RouteOptions) {
    this.options = options;
    // Otherwise the alerts of two daemons would have one group, and the end of one would end both, such as in PagerDuty.
    this.#labelNames = [...new Set([...options.group_by, SHARD_LABEL])].toSorted();
  }

  get receiver(): string {
    return this.options.name;
  }

  rejects(alert: StoredAlert): boolean {
    return this.rejections(alert).length > 0;
  }

  /** Returns the settings that keep the alert from the receiver for good. */
  rejections({ severity, account, alert }: Pick<StoredAlert, 'severity' | 'account' | 'alert'>): Reason[] {
    const { min_severity, accounts, alerts } = this.options;
    return [
      ...(RANKS.indexOf(severity) > RANKS.indexOf(min_severity) ? [reasonOf('min_severity')] : []),
      // Alerts about the daemon have no account, so a list of accounts has none of them.
      ...(accounts && !accounts.includes(account) ? [reasonOf('accounts')] : []),
      ...(alerts && !alerts.includes(alert) ? [reasonOf('alerts')] : []),
    ];
  }

  /** Returns from when the receiver may be notified of the alert, at the time `now` (ms). */
  eligibleAt({ firingSince }: StoredAlert, now: number): number {
    // After the clock was set back, no stored time may lie in the future.
    return Math.min(firingSince ?? now, now) + this.options.after;
  }

  /** Returns JSON with the labels of the alert's group, sorted by name. A label that the alert lacks is left out. */
  groupKeyOf({ account, alert, severity, labels: own }: StoredAlert): string {
    const labels: Record<string, string> = { ...own, alertname: alert, severity };
    if (account !== '') labels.account = account;
    return JSON.stringify(
      Object.fromEntries(this.#labelNames.flatMap((name) => (name in labels ? [[name, labels[name]]] : []))),
    );
  }
}
