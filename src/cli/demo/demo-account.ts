// Since when the demo's account exists: kept beside its store, for another history would not go with it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY } from '../../lib/time.ts';

export interface DemoAccount {
  /** First instant of the account's history (ms). */
  readonly start: number;
  /** Whether the folder has no store of it yet. */
  readonly isNew: boolean;
}

const HISTORY_MS = 30 * DAY;

/** Throws the system's error when the folder cannot be written. */
export const accountSince = (folder: string, now: number): DemoAccount => {
  const file = join(folder, 'account-since');
  mkdirSync(folder, { recursive: true });
  try {
    return { start: Date.parse(readFileSync(file, 'utf8').trim()), isNew: false };
  } catch {
    const start = Math.floor((now - HISTORY_MS) / DAY) * DAY;
    writeFileSync(file, `${new Date(start).toISOString()}\n`);
    return { start, isNew: true };
  }
};
