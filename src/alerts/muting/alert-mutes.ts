// Decides which alerts are muted: keeps the silences of the store in memory, and the configured maintenance windows.

import { yieldEvery } from '../../lib/steps.ts';
import { DAY } from '../../lib/time.ts';
import type { Silence, SilenceStore, StoredAlert } from '../../store/alert-store.ts';
import type { Reason } from '../../store/notice.ts';
import { groupKey } from '../state.ts';
import { HORIZON_MS, type MaintenanceWindow, type WindowOptions } from './maintenance-window.ts';
import {
  endOf,
  type Mute,
  type MutedSubject,
  remembered,
  silenceMute,
  subjectsOf,
  windowMute,
} from './mute.ts';

/** What the dispatcher asks. */
export type Mutes = Pick<AlertMutes, 'mutedUntil'>;

export interface MutedAlert {
  /** See `mutedUntil`. */
  readonly until: number;
  /** What mutes the alert now, each with its own end. */
  readonly by: readonly Reason[];
}

/** What explanations ask. */
export type ReadMutes = Pick<AlertMutes, 'muted' | 'mutedUntil'>;

export type Muting = ReturnType<typeof mutingAt>;

/** Returns what mutes the alert at `at` (ms), and until when (ms): null if no end is known, `at` if nothing mutes it. */
export const mutingAt = (mutes: ReadMutes, alert: MutedSubject, at: number) => {
  const { by: reasons, until } = mutes.muted(alert, at) ?? { by: [], until: at };
  return { reasons, until: reasons.some((reason) => reason.until === null) ? null : until };
};

/** Expired silences are kept, so that you can see why a notification was missing. */
const EXPIRED_RETENTION_MS = 7 * DAY;
const MAX_EXPIRED = 500;

export class AlertMutes {
  readonly #store: SilenceStore;
  readonly #onChange: () => void;
  #silences: readonly Silence[] = [];
  #windows: readonly MaintenanceWindow[] = [];
  #index = new MuteIndex([]);

  /** `onChange` is called when mutes begin or end at other times than `mutedUntil` said. */
  constructor(store: SilenceStore, onChange: () => void = () => {}) {
    this.#store = store;
    this.#onChange = onChange;
  }

  /** All silences that are not deleted, also those that have ended or begin later. */
  get silences(): readonly Silence[] {
    return this.#silences;
  }

  get windows(): readonly MaintenanceWindow[] {
    return this.#windows;
  }

  /** Reads the stored silences. Throws StoreError, as all methods do that change silences. */
  async load(): Promise<void> {
    this.#silences = await this.#store.all();
    this.#rebuild();
  }

  configure(windows: readonly WindowOptions[], defaultZone: string): void {
    this.#windows = windows.map((window) => ({ ...window, time_zone: window.time_zone ?? defaultZone }));
    this.#rebuild();
  }

  async add(silence: Silence): Promise<void> {
    await this.#store.add(silence);
    this.#silences = [...this.#silences, silence];
    this.#rebuild();
  }

  /** Ends the silence, or deletes it if it has not begun. Returns whether there is a silence with this id. */
  async remove(id: string, now: number): Promise<boolean> {
    const silence = this.#silences.find((each) => each.id === id);
    if (silence && silence.startsAt > now) await this.#delete(new Set([id]));
    else if (silence && silence.endsAt > now) await this.#end(new Set([id]), now);
    return silence !== undefined;
  }

  /** Ends the silences until alerts are resolved whose alerts are no longer among the pending and firing ones. */
  async endResolved(active: Iterable<StoredAlert>, now: number): Promise<void> {
    const open = this.#silences.filter(({ untilResolved, endsAt }) => untilResolved && endsAt > now);
    const resolved = new Set(open.map(({ id }) => id));
    const yieldTurn = yieldEvery();
    for (const alert of active) {
      if (resolved.size === 0) return;
      for (const { reason } of this.#index.matching(alert)) resolved.delete(reason.silence ?? '');
      await yieldTurn();
    }
    if (resolved.size > 0) await this.#end(resolved, now);
  }

  /** Deletes silences that ended long ago. */
  async forgetExpired(now: number): Promise<void> {
    const expired = this.#silences
      .filter(({ endsAt }) => endsAt <= now)
      .toSorted((one, other) => other.endsAt - one.endsAt);
    const forgotten = expired.filter(
      ({ endsAt }, index) => index >= MAX_EXPIRED || endsAt < now - EXPIRED_RETENTION_MS,
    );
    if (forgotten.length > 0) await this.#delete(new Set(forgotten.map(({ id }) => id)));
  }

  /**
   * Returns when the alert stops being muted (ms); undefined if it is not muted at `now`. The dispatcher asks again then.
   * Mutes that follow each other without a gap count as one. The time may be earlier than the end if the end is more than
   * a month ahead.
   */
  mutedUntil(alert: MutedSubject, now: number): number | undefined {
    return this.#index.mutedUntil(alert, now);
  }

  /** Returns what mutes the alert at `now`, and until when; undefined if nothing does. */
  muted(alert: MutedSubject, now: number): MutedAlert | undefined {
    const until = this.#index.mutedUntil(alert, now);
    if (until === undefined) return undefined;
    const by = this.#index.matching(alert).flatMap((mute) => {
      const endsAt = mute.activeUntil(now);
      return endsAt === undefined ? [] : [{ ...mute.reason, until: Number.isFinite(endsAt) ? endsAt : null }];
    });
    return { until, by };
  }

  async #end(ids: ReadonlySet<string>, now: number): Promise<void> {
    await this.#store.end([...ids], now);
    this.#silences = this.#silences.map((each) => (ids.has(each.id) ? { ...each, endsAt: now } : each));
    this.#rebuild();
  }

  async #delete(ids: ReadonlySet<string>): Promise<void> {
    await this.#store.remove([...ids]);
    this.#silences = this.#silences.filter(({ id }) => !ids.has(id));
    this.#rebuild();
  }

  #rebuild(): void {
    this.#index = new MuteIndex([...this.#silences.map(silenceMute), ...this.#windows.map(windowMute)]);
    this.#onChange();
  }
}

/** The mutes that match alerts of one account and name. */
interface Group {
  /** Those that match every subject, whenever its alert began. */
  readonly ofAll: readonly Mute[];
  /** Their common end. */
  readonly activeUntil: Mute['activeUntil'];
  /** The others, and `ANY_SUBJECT` for those that match only by the start of the alert. */
  readonly bySubject: ReadonlyMap<string, readonly Mute[]>;
}

const ANY_SUBJECT = '';

class MuteIndex {
  readonly #mutes: readonly Mute[];
  readonly #groups = new Map<string, Group>();

  constructor(mutes: readonly Mute[]) {
    this.#mutes = mutes;
  }

  /** Returns the mutes that match the alert, in effect or not. */
  matching(alert: MutedSubject): readonly Mute[] {
    const group = this.#groupOf(alert);
    return [...group.ofAll, ...matchingSubject(group, alert)];
  }

  /** See `AlertMutes.mutedUntil`. */
  mutedUntil(alert: MutedSubject, now: number): number | undefined {
    if (this.#mutes.length === 0) return undefined;
    const group = this.#groupOf(alert);
    const ofSubject = matchingSubject(group, alert);
    const until = ofSubject.length === 0 ? group.activeUntil(now) : endOf([group, ...ofSubject], now);
    return until === Number.POSITIVE_INFINITY ? now + HORIZON_MS : until;
  }

  #groupOf({ account, alert }: MutedSubject): Group {
    const key = groupKey(account, alert);
    const known = this.#groups.get(key);
    if (known) return known;
    const matching = this.#mutes.filter((mute) => mute.matchesGroup(account, alert));
    const isOfAll = ({ subject, latestStart }: Mute) =>
      subject === null && latestStart === Number.POSITIVE_INFINITY;
    const ofAll = matching.filter(isOfAll);
    const group = {
      ofAll,
      activeUntil: remembered((at) => endOf(ofAll, at)),
      bySubject: Map.groupBy(
        matching.filter((mute) => !isOfAll(mute)),
        ({ subject }) => subject ?? ANY_SUBJECT,
      ),
    };
    this.#groups.set(key, group);
    return group;
  }
}

/** Returns the mutes that match by the subject or the start of the alert, each once. */
const matchingSubject = ({ bySubject }: Group, { labels, since }: MutedSubject): readonly Mute[] => {
  if (bySubject.size === 0) return [];
  const found = new Set(bySubject.get(ANY_SUBJECT));
  for (const subject of subjectsOf(labels)) for (const mute of bySubject.get(subject) ?? []) found.add(mute);
  return [...found].filter(({ latestStart }) => since <= latestStart);
};
