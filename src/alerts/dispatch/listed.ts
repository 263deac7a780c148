// Chooses the alerts that a notification lists. The choice does not depend on the order in which alerts are known.

import { SEVERITIES } from '../alert.ts';
import type { KeyedAlert } from './told-key.ts';

/** The most alerts that a notification lists, so that one about 500 failing proxies stays readable. */
export const MAX_LISTED_ALERTS = 100;

const RANKS: ReadonlyMap<string, number> = new Map(SEVERITIES.map((severity, rank) => [severity, rank]));

/** Returns the first `count` alerts: the most severe first, then those that have fired the longest. */
export const firstListed = (alerts: readonly KeyedAlert[], count: number): KeyedAlert[] =>
  alerts.toSorted(compare).slice(0, count);

const compare = (one: KeyedAlert, other: KeyedAlert): number =>
  rankOf(one) - rankOf(other) || firingSince(one) - firingSince(other) || (one.key < other.key ? -1 : 1);

const rankOf = ({ alert }: KeyedAlert): number => RANKS.get(alert.severity) ?? SEVERITIES.length;
const firingSince = ({ alert }: KeyedAlert): number => alert.firingSince ?? alert.since;
