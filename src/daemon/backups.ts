// Makes backups on a schedule, in a thread, so polls go on. Deletes only older ones of the same store, by their names.

import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cronOf } from '../lib/cron.ts';
import { HOUR, MINUTE } from '../lib/time.ts';
import { describeFailure } from '../schedule/failure.ts';
import { backUp } from '../store/sqlite/file/backup.ts';
import { OWNER_ONLY_FOLDER } from '../store/sqlite/file/modes.ts';
import type { Store } from '../store/store.ts';
import type { Services } from './services.ts';
import type { Settings } from './settings.ts';

/** After a failed backup, and before one that was due while the daemon was stopped. */
const RETRY_MS = 10 * MINUTE;
/** A wait is cut into pieces, so that a clock that was set is noticed. */
const LONGEST_WAIT_MS = HOUR;

interface BackupsOptions extends Pick<Services, 'clock' | 'log' | 'metrics'> {
  readonly store: Pick<Store, 'epoch' | 'backupSchedule'>;
  /** Returns the settings in effect. `store.backup` is that of the start. */
  readonly settings: () => Settings;
}

/** Runs until it is disposed of, which ends a backup that is being made. */
export class Backups implements AsyncDisposable {
  readonly #options: BackupsOptions;
  readonly #backup: Settings['store']['backup'];
  readonly #folder: BackupFolder;
  readonly #stop = new AbortController();
  #lastSuccessAt: number | null;
  /** A backup is due at the first slot after this: the newest backup, or when the schedule was configured. */
  #dueAfter: number;
  #notBefore: number;
  #running: Promise<void> = Promise.resolve();
  readonly #looping: Promise<void>;

  /** Throws StoreError. */
  static async start(options: BackupsOptions): Promise<Backups> {
    const { store, settings, clock } = options;
    const { backup } = settings().store;
    const now = clock.now();
    const folder = new BackupFolder(backup?.path ?? '', store.epoch.storeId);
    const newestAt = backup ? folder.newestAt(now) : null;
    const schedule = backup ? JSON.stringify([backup.schedule, backup.path]) : '';
    const scheduledSince = await store.backupSchedule.since(schedule, now, newestAt ?? now);
    return new Backups(options, folder, newestAt, scheduledSince);
  }

  private constructor(
    options: BackupsOptions,
    folder: BackupFolder,
    newestAt: number | null,
    scheduledSince: number,
  ) {
    const { backup } = options.settings().store;
    this.#options = options;
    this.#backup = backup;
    this.#folder = folder;
    this.#notBefore = options.clock.now() + RETRY_MS;
    this.#lastSuccessAt = newestAt;
    this.#dueAfter = Math.max(newestAt ?? scheduledSince, scheduledSince);
    if (backup)
      options.metrics.backups.watch(() => ({
        lastSuccessAt: this.#lastSuccessAt,
        overdueMs: this.overdueMs,
      }));
    this.#looping = backup ? this.#loop() : Promise.resolve();
  }

  /** For how long a backup has been due (ms); 0 if none is due or configured. */
  get overdueMs(): number {
    return this.#backup ? Math.max(0, this.#options.clock.now() - this.#dueAt()) : 0;
  }

  /** Resolves when no backup is in progress. */
  idle(): Promise<void> {
    return this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#looping;
  }

  #dueAt(): number {
    const { clock, settings } = this.#options;
    const now = clock.now();
    // A clock that was ahead must not delay the next backup, or hide that it is overdue.
    this.#dueAfter = Math.min(this.#dueAfter, now);
    this.#notBefore = Math.min(this.#notBefore, now + RETRY_MS);
    return cronOf(this.#backup?.schedule ?? '', settings().schedule_time_zone).next(this.#dueAfter);
  }

  async #loop(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const dueAt = this.#nextAt();
      const waitMs = dueAt - clock.now();
      if (waitMs > 0) await clock.sleep(Math.min(waitMs, LONGEST_WAIT_MS), signal).catch(() => {});
      if (signal.aborted || clock.now() < dueAt) continue;
      this.#running = this.#make();
      await this.#running;
    }
  }

  /** A slot that was missed, by a failure or before the start, is made up for after a pause. */
  #nextAt(): number {
    const dueAt = this.#dueAt();
    return dueAt <= this.#notBefore - RETRY_MS ? this.#notBefore : dueAt;
  }

  async #make(): Promise<void> {
    const { clock, log, metrics, settings } = this.#options;
    const { signal } = this.#stop;
    const now = clock.now();
    const startedAt = clock.monotonic();
    this.#notBefore = now + RETRY_MS;
    try {
      this.#folder.create();
      this.#folder.clear();
      const file = this.#folder.fileAt(now);
      await backUp(settings().store.path, file, { overwrite: true, signal, onProgress: () => {} });
      this.#lastSuccessAt = now;
      this.#dueAfter = now;
      metrics.backups.ended('ok');
      log.info({ file, durationMs: Math.round(clock.monotonic() - startedAt) }, 'backed up the store');
      this.#folder.prune(this.#backup?.keep ?? 1, now);
    } catch (error) {
      if (signal.aborted) return;
      metrics.backups.ended('failed');
      log.error(
        { ...describeFailure(error), folder: this.#backup?.path },
        'the backup of the store failed, so proxywatch tries again in 10 minutes',
      );
    }
  }
}

/** Enough of a store's random id to tell the stores of one folder apart. */
const ID_LENGTH = 8;

class BackupFolder {
  readonly #path: string;
  readonly #prefix: string;

  constructor(path: string, storeId: string) {
    this.#path = path;
    this.#prefix = `proxywatch-${storeId.slice(0, ID_LENGTH)}-`;
  }

  /** Creates the folder if its parent exists, for this user only. */
  create(): void {
    if (statSync(this.#path, { throwIfNoEntry: false })?.isDirectory()) return;
    mkdirSync(this.#path, { mode: OWNER_ONLY_FOLDER });
  }

  fileAt(time: number): string {
    const name = new Date(time).toISOString().replaceAll(':', '-');
    return join(this.#path, `${this.#prefix}${name}.db`);
  }

  /** Returns when the newest backup was begun (ms); null if there is none, or the folder cannot be read. */
  newestAt(now: number): number | null {
    try {
      return this.#times('.db').find((time) => time <= now) ?? null;
    } catch {
      return null;
    }
  }

  /** Deletes all but the newest backups. Those of a clock that was ahead come last, because their age is unknown. */
  prune(keep: number, now: number): void {
    const { past = [], future = [] } = Object.groupBy(this.#times('.db'), (time) =>
      time <= now ? 'past' : 'future',
    );
    for (const time of [...past, ...future].slice(keep)) rmSync(this.fileAt(time), { force: true });
  }

  /** Deletes what an interrupted backup left. It may be what fills the disk. */
  clear(): void {
    for (const ending of ['.partial', '.partial-journal'])
      for (const time of this.#times(`.db${ending}`)) rmSync(this.fileAt(time) + ending, { force: true });
  }

  /** Returns the times of regular files of this store, the newest first. */
  #times(ending: string): number[] {
    return readdirSync(this.#path)
      .filter((name) => name.startsWith(this.#prefix) && name.endsWith(ending))
      .map((name) => timeIn(name.slice(this.#prefix.length, -ending.length)))
      .filter((time) => !Number.isNaN(time))
      .filter((time) => lstatSync(this.fileAt(time) + ending.slice(3), { throwIfNoEntry: false })?.isFile())
      .toSorted((one, other) => other - one);
  }
}

const timeIn = (text: string): number => {
  const [, date, hours, minutes, rest] =
    /^(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2}\.\d{3}Z)$/.exec(text) ?? [];
  return Date.parse(`${date}${hours}:${minutes}:${rest}`);
};
