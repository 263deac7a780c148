// Decides which alerts are muted: keeps the silences of the store in memory, and the configured maintenance windows.

import type { StoredAlert } from '../../store/alert-store.ts';
import type { Silence, SilenceStore } from '../../store/silence-store.ts';
import type { Mutes } from '../mutes.ts';
import { type MaintenanceWindow, type MuteReason, silenceMute, windowMute } from './mute.ts';
import { MuteIndex } from './mute-index.ts';
import { EXPIRED_RETENTION_MS, MAX_EXPIRED } from './silence-limits.ts';
import type { WindowOptions } from './window-options.ts';

/** What mutes an alert, and its own end (ms); Infinity for a window that never ends. */
export type ActiveMute = MuteReason & { readonly endsAt: number };

export interface MutedAlert {
  /** See Mutes. */
  readonly until: number;
  /** What mutes the alert now, each with its own end. */
  readonly by: readonly ActiveMute[];
}

export class AlertMutes implements Mutes {
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

  /** Returns whether there was a silence with this id. */
  async remove(id: string): Promise<boolean> {
    const isKnown = this.#silences.some((silence) => silence.id === id);
    if (isKnown) await this.#delete(new Set([id]));
    return isKnown;
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

  mutedUntil(alert: StoredAlert, now: number): number | undefined {
    return this.#index.mutedUntil(alert, now);
  }

  /** Returns what mutes the alert at `now`, and until when; undefined if nothing does. */
  muted(alert: StoredAlert, now: number): MutedAlert | undefined {
    const until = this.#index.mutedUntil(alert, now);
    if (until === undefined) return undefined;
    const by = this.#index.matching(alert).flatMap((mute) => {
      const endsAt = mute.activeUntil(now);
      return endsAt === undefined ? [] : [{ ...mute.reason, endsAt }];
    });
    return { until, by };
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
