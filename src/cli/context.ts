// Defines what main.ts passes to the commands: all parts of the process that they may use.

import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../config/environment.ts';

export interface CommandContext {
  readonly env: Environment;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborts when the process receives a stop signal. */
  readonly signal: AbortSignal;
  readonly version: string;
  /** The page about alerts in the repository; undefined if the repository is unknown. */
  readonly docsUrl?: string | undefined;
  /** As in `process.versions.node`. */
  readonly nodeVersion: string;
  /** Makes SIGHUP call `listener` from now on; without a listener it ends the process. */
  onHangup(listener: () => void): void;
}

/** A command's exit code; 2 if the result is unknown. */
export type ExitCode = 0 | 1 | 2;
