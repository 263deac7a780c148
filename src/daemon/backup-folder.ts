// Lists and deletes the backups that a daemon wrote to its folder. Their names contain the store and the time, so files
// of other stores and of the operator stay.

import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_ONLY_FOLDER } from '../store/sqlite/file/modes.ts';

/** Enough of a store's random id to tell the stores of one folder apart. */
const ID_LENGTH = 8;

export class BackupFolder {
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
