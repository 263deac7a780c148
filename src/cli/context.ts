// What main.ts hands to the commands: everything of the process that they may touch.

import type { Writable } from 'node:stream';
import type { Environment } from '../config/environment.ts';

export interface CommandContext {
  readonly env: Environment;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborts when the process is told to stop. */
  readonly signal: AbortSignal;
  readonly version: string;
}

/** A command's exit code. */
export type ExitCode = 0 | 1;
