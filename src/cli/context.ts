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
  /** As in `process.versions.node`. */
  readonly nodeVersion: string;
  /** Has SIGHUP call `listener` from now on; without one it ends the process. */
  onHangup(listener: () => void): void;
}

/** A command's exit code; 2 if the result is unknown. */
export type ExitCode = 0 | 1 | 2;
