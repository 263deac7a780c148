// Runs long work on a store's file in a thread of its own, so that the event loop stays free for progress and signals.

import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import SQLite from 'better-sqlite3';
import { StoreError, type StoreErrorKind } from '../../errors.ts';
import type { CheckResult } from './check.ts';
import { asStoreError } from './errors.ts';

export type WorkerTask =
  | { readonly kind: 'check'; readonly path: string }
  /** Makes a compact copy of one moment, also of a store that is being written. `to` must not exist. */
  | { readonly kind: 'copy'; readonly path: string; readonly to: string };

// The thread's file is beside this one: TypeScript in a checkout, JavaScript in the package.
const THREAD = new URL(`./worker-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/** Runs a task to its end and reports each result of a check. Throws StoreError, or the signal's reason if it aborts. */
export const runInThread = async (
  task: WorkerTask,
  signal: AbortSignal,
  onResult: (finding: CheckResult) => void = () => {},
): Promise<void> => {
  signal.throwIfAborted();
  const worker = new Worker(THREAD, { workerData: task });
  worker.on('message', onResult);
  try {
    await once(worker, 'exit', { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw restoreErrorClass(error, task.path);
  } finally {
    await worker.terminate();
  }
};

/** Errors lose their class between threads, but keep their message and properties. */
const restoreErrorClass = (error: unknown, path: string): unknown => {
  if (!(error instanceof Error)) return error;
  const { kind, code } = error as { kind?: StoreErrorKind; code?: string };
  if (kind) return new StoreError(kind, error.message, { cause: error });
  if (code?.startsWith('SQLITE_')) return asStoreError(new SQLite.SqliteError(error.message, code), path);
  return error;
};
