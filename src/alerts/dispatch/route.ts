// Decides which alerts a receiver is notified of, and which group they belong to.

import type { StoredAlert } from '../../store/alert-store.ts';
import { SEVERITIES } from '../alert.ts';
import type { RoutedOptions } from '../receivers/options.ts';
import { type RoutingOptions, SHARD_LABEL } from '../receivers/routing-options.ts';

/** The part of a receiver's options that routes alerts to it. */
export type RouteOptions = RoutingOptions & Pick<RoutedOptions, 'name'>;

/** The name of a setting that keeps an alert from a receiver for good. */
export type Filter = 'min_severity' | 'accounts' | 'alerts';

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

  /** Returns the filter that keeps the alert from the receiver; undefined if it passes. */
  rejectedBy(alert: StoredAlert): Filter | undefined {
    return this.rejections(alert)[0];
  }

  /** Returns all filters that keep the alert from the receiver. */
  rejections({ severity, account, alert }: StoredAlert): Filter[] {
    const { min_severity, accounts, alerts } = this.options;
    const rejections: Filter[] = [];
    if (RANKS.indexOf(severity) > RANKS.indexOf(min_severity)) rejections.push('min_severity');
    // Alerts about the daemon have no account, so a list of accounts has none of them.
    if (accounts && !accounts.includes(account)) rejections.push('accounts');
    if (alerts && !alerts.includes(alert)) rejections.push('alerts');
    return rejections;
  }

  /** Returns from when the receiver may be told of the alert, at the time `now` (ms). */
  tellableAt({ firingSince }: StoredAlert, now: number): number {
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
