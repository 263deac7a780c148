// Defines what program.ts passes to the commands: all parts of the process that they may use, and their documentation.

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

export interface Manifest {
  readonly version: string;
  readonly repository?: { readonly url: string };
}

/** The owner that package.json names until build/set-owner.ts sets another one. */
const NO_OWNER = 'OWNER';

/** Returns the address of the page about alerts; undefined if the repository is unknown. */
export const docsUrlOf = ({ version, repository }: Manifest): string | undefined => {
  const [, address, owner] =
    /^git\+(https:\/\/[^/]+\/([^/]+)\/[^/]+)\.git$/.exec(repository?.url ?? '') ?? [];
  return owner === undefined || owner === NO_OWNER ? undefined : `${address}/blob/v${version}/docs/alerts.md`;
};
