// Where the daemon is put for the tests of its image: into a container, or a clean folder where none can run.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface Place extends AsyncDisposable {
  start(options: StartOptions): Promise<Started>;
}

export interface StartOptions {
  /** A folder with config.yaml. */
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Started {
  readonly daemon: Daemon;
  /** Exit code of the image's health check. */
  checkHealth(): Promise<number>;
  /** What a shell beside the daemon prints, in the folder of the program. */
  shell(command: string): Promise<string>;
  /** Sends SIGTERM to the daemon; gives its exit code, which is not 0 when it had to be killed. */
  stop(): Promise<number | null>;
}

/** The daemon's process, or the one that its container hangs on. */
export class Daemon {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  log = '';

  constructor(child: ChildProcess) {
    this.child = child;
    this.ended = once(child, 'close').then(([code]) => code);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    }
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }
}

/** Exit code of a command. */
export const exitCodeOf = (running: Promise<unknown>): Promise<number> =>
  running.then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
