// Keeps the start of the demo account's history in a file next to its store, because they must match.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY } from '../../lib/time.ts';

export interface DemoAccount {
  /** First instant of the account's history (ms). */
  readonly start: number;
  /** Whether the folder has no store of the account yet. */
  readonly isNew: boolean;
}

const HISTORY_MS = 30 * DAY;

/** Throws the system's error if the folder cannot be written. */
export const loadDemoAccount = (folder: string, now: number): DemoAccount => {
  const file = join(folder, 'account-since');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return { start: Date.parse(readFileSync(file, 'utf8').trim()), isNew: false };
  } catch {
    const start = Math.floor((now - HISTORY_MS) / DAY) * DAY;
    writeFileSync(file, `${new Date(start).toISOString()}\n`, { mode: 0o600 });
    return { start, isNew: true };
  }
};
