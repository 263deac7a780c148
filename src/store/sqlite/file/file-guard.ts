// Notices that another program removed, replaced, changed or damaged the file of a store that is open.

import { statSync } from 'node:fs';
import { StoreError, type StoreErrorKind } from '../../errors.ts';
import { aboutFile } from './errors.ts';
import { MIN_CHECKPOINT_WAL_BYTES } from './open.ts';
import { runInThread } from './worker.ts';

export class FileGuard {
  readonly #path: string;
  readonly #emptyWal: () => void;
  #opened: FileState | undefined;
  #mayBeDamaged = false;
  #damage: StoreError | undefined;

  /** To be created when the file exists. `emptyWal` checkpoints the WAL to the open file, and truncates it. */
  constructor(path: string, emptyWal: () => void) {
    this.#path = path;
    this.#emptyWal = emptyWal;
    this.#opened = this.#read();
  }

  /** Whether another program changed the file, or an operation met damage, since the last check. */
  get needsCheck(): boolean {
    return this.#mayBeDamaged && !this.#damage;
  }

  /** To be called before each write. Throws StoreError if the write would be lost, or could spread damage. */
  assertWritable(): void {
    if (this.#damage) throw this.#damage;
    const found = this.#read();
    if (!found || !isSameFile(found, this.#opened)) {
      // After a restart, SQLite would write the pages of this WAL into the other file.
      this.#emptyWal();
      throw this.#lostFileError(found);
    }
    if (found.changedAt !== this.#opened?.changedAt) this.#mayBeDamaged = true;
    this.#opened = found;
  }

  /** Call it after each write: only a checkpoint of a large WAL changes the file, so other changes are another program's. */
  written(): void {
    const walBytes = statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size;
    if (walBytes === undefined || walBytes > MIN_CHECKPOINT_WAL_BYTES) this.checkpointed();
  }

  /** To be called after each checkpoint: what changed the file since `assertWritable` was this program. */
  checkpointed(): void {
    const found = this.#read();
    if (found && isSameFile(found, this.#opened)) this.#opened = found;
  }

  failed(error: unknown): void {
    if (error instanceof StoreError && error.kind === 'damaged') this.#mayBeDamaged = true;
  }

  /** Checks the file in a thread. Throws StoreError if it is damaged, after which all writes fail, or cannot be checked. */
  async check(signal: AbortSignal): Promise<void> {
    this.assertWritable();
    this.#mayBeDamaged = false;
    const damaged: string[] = [];
    try {
      await runInThread({ kind: 'check', path: this.#path }, signal, ({ subject, damage }) => {
        if (damage !== null) damaged.push(subject);
      });
    } catch (error) {
      if (error instanceof StoreError && UNUSABLE.includes(error.kind)) this.#damage = error;
      throw error;
    }
    if (damaged.length === 0) return;
    this.#damage = this.#damageError(damaged);
    throw this.#damage;
  }

  #read(): FileState | undefined {
    return aboutFile(this.#path, () => {
      const stats = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
      return stats && { device: stats.dev, inode: stats.ino, changedAt: stats.mtimeNs };
    });
  }

  #lostFileError(found: FileState | undefined): StoreError {
    const problem = found
      ? 'another file has replaced the store while proxywatch was running'
      : 'the store was removed while proxywatch was running';
    const remedy = found
      ? 'To use the new file, restart proxywatch'
      : 'To begin with an empty store, restart proxywatch';
    return new StoreError(
      'replaced',
      `${this.#path}: ${problem}. proxywatch stores nothing until you put the old file back. ${remedy}. To use a backup, stop proxywatch and run "proxywatch store restore"`,
    );
  }

  #damageError(damaged: readonly string[]): StoreError {
    return new StoreError(
      'damaged',
      `${this.#path}: the store is damaged (${damaged.join('; ')}), so proxywatch no longer writes to it. Stop proxywatch and run "proxywatch store restore" with a backup, or move the file away to start with an empty store`,
    );
  }
}

/** Kinds of errors of a check which show that the file holds no usable store any more. */
const UNUSABLE: readonly StoreErrorKind[] = ['damaged', 'foreign', 'newer'];

interface FileState {
  readonly device: bigint;
  readonly inode: bigint;
  readonly changedAt: bigint;
}

const isSameFile = (one: FileState, other: FileState | undefined): boolean =>
  one.device === other?.device && one.inode === other.inode;
