// Finds the mutes that match an alert, without comparing each of 100,000 alerts with each of hundreds of silences.

import type { StoredAlert } from '../../store/alert-store.ts';
import { groupKey } from '../state.ts';
import { HORIZON_MS } from './maintenance-window.ts';
import { endOf, type Mute, remembered } from './mute.ts';

/** The mutes that match alerts of one account and name. */
interface Group {
  /** Those that match every subject. */
  readonly ofAll: readonly Mute[];
  /** Their common end. */
  readonly activeUntil: Mute['activeUntil'];
  readonly bySubject: ReadonlyMap<string, readonly Mute[]>;
}

export class MuteIndex {
  readonly #mutes: readonly Mute[];
  readonly #groups = new Map<string, Group>();

  constructor(mutes: readonly Mute[]) {
    this.#mutes = mutes;
  }

  /** Returns the mutes that match the alert, in effect or not. */
  matching(alert: StoredAlert): readonly Mute[] {
    const group = this.#groupOf(alert);
    return [...group.ofAll, ...matchingSubject(group, alert)];
  }

  /** See Mutes. */
  mutedUntil(alert: StoredAlert, now: number): number | undefined {
    if (this.#mutes.length === 0) return undefined;
    const group = this.#groupOf(alert);
    const ofSubject = matchingSubject(group, alert);
    const until = ofSubject.length === 0 ? group.activeUntil(now) : endOf([group, ...ofSubject], now);
    return until === Number.POSITIVE_INFINITY ? now + HORIZON_MS : until;
  }

  #groupOf({ account, alert }: StoredAlert): Group {
    const key = groupKey(account, alert);
    const known = this.#groups.get(key);
    if (known) return known;
    const matching = this.#mutes.filter((mute) => mute.matchesGroup(account, alert));
    const ofAll = matching.filter(({ subject }) => subject === null);
    const group = {
      ofAll,
      activeUntil: remembered((at) => endOf(ofAll, at)),
      bySubject: Map.groupBy(
        matching.filter(({ subject }) => subject !== null),
        ({ subject }) => subject ?? '',
      ),
    };
    this.#groups.set(key, group);
    return group;
  }
}

/** Returns the mutes whose subject is that of the alert, each once. */
const matchingSubject = ({ bySubject }: Group, { labels }: StoredAlert): readonly Mute[] => {
  if (bySubject.size === 0) return [];
  const found = new Set<Mute>();
  for (const [name, value] of Object.entries(labels))
    for (const subject of [value, `${name}=${value}`])
      for (const mute of bySubject.get(subject) ?? []) found.add(mute);
  return [...found];
};
