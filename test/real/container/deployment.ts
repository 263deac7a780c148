// Defines how the tests of the image start the daemon: in a container, or in a clean folder if no container can run.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface Deployment extends AsyncDisposable {
  start(options: StartOptions): Promise<StartedDaemon>;
}

export interface StartOptions {
  /** The folder that contains config.yaml. */
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface StartedDaemon {
  readonly daemon: DaemonProcess;
  /** Runs the image's health check and returns its exit code. */
  checkHealth(): Promise<number>;
  /** Runs a shell command in the program's folder, in the same environment as the daemon, and returns its output. */
  shell(command: string): Promise<string>;
  /** Sends SIGTERM to the daemon and returns its exit code, which is not 0 if it had to be killed. */
  stop(): Promise<number | null>;
}

/** The process of the daemon, or of podman if the daemon runs in a container. */
export class DaemonProcess {
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

/** Returns the exit code of a command. */
export const exitCodeOf = (running: Promise<unknown>): Promise<number> =>
  running.then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
