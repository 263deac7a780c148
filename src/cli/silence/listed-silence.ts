// Defines silences and maintenance windows as the daemon's API lists them, and how commands show them.

export interface ListedSilence {
  readonly id: string;
  readonly state: 'pending' | 'active' | 'expired';
  readonly account: string | null;
  readonly alert: string | null;
  readonly subject: string | null;
  readonly comment: string;
  readonly starts_at: string;
  readonly ends_at: string;
}

export interface ListedWindow {
  readonly name: string;
  readonly days: readonly string[] | null;
  readonly hours: string;
  readonly time_zone: string;
  readonly accounts: readonly string[] | null;
  readonly alerts: readonly string[] | null;
  readonly active_until: string | null;
  readonly next_start_at: string | null;
}

export interface SilenceList {
  readonly data: readonly ListedSilence[];
  readonly maintenance: readonly ListedWindow[];
}

/** Returns what the silence matches, such as `account main, alert DataStale`. */
export const scopeOf = ({ account, alert, subject }: ListedSilence): string =>
  Object.entries({ account, alert, subject })
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(', ');

/** Shows a time to the second, in UTC. */
export const shownTime = (at: string): string => at.replace(/\.\d+Z$/, 'Z');
