// Finds the mutes that match an alert, without comparing each of 100,000 alerts with each of hundreds of silences.

import type { StoredAlert } from '../../store/alert-store.ts';
import { groupKey } from '../state.ts';
import type { Mute } from './mute.ts';

/** The mutes that match alerts of one account and name. */
interface Group {
  /** Those that match every subject. */
  readonly ofAll: readonly Mute[];
  readonly bySubject: ReadonlyMap<string, readonly Mute[]>;
}

export class MuteIndex {
  readonly #mutes: readonly Mute[];
  readonly #groups = new Map<string, Group>();

  constructor(mutes: readonly Mute[]) {
    this.#mutes = mutes;
  }

  /** Returns the mutes that match the alert, in effect or not. */
  matching({ account, alert, labels }: StoredAlert): readonly Mute[] {
    if (this.#mutes.length === 0) return [];
    const { ofAll, bySubject } = this.#groupOf(account, alert);
    if (bySubject.size === 0) return ofAll;
    const found = new Set(ofAll);
    for (const [name, value] of Object.entries(labels))
      for (const subject of [value, `${name}=${value}`])
        for (const mute of bySubject.get(subject) ?? []) found.add(mute);
    return [...found];
  }

  #groupOf(account: string, alert: string): Group {
    const key = groupKey(account, alert);
    const known = this.#groups.get(key);
    if (known) return known;
    const matching = this.#mutes.filter((mute) => mute.matchesGroup(account, alert));
    const group = {
      ofAll: matching.filter(({ subject }) => subject === null),
      bySubject: Map.groupBy(
        matching.filter(({ subject }) => subject !== null),
        ({ subject }) => subject ?? '',
      ),
    };
    this.#groups.set(key, group);
    return group;
  }
}
