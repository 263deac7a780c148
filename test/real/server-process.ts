// Runs a server of another project in its own process.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '../cli/program.ts';

/**
 * How long a server may take to end (ms). Prometheus 2.53.3 was seen to wait for itself forever when it was ended within a
 * second of its start.
 */
const GRACE_MS = 20_000;
const REQUEST_TIMEOUT_MS = 5_000;
/** How long a server may take to start (ms). Prometheus 3.5.3 was seen to answer “Service Unavailable” forever. */
const START_MS = 60_000;

export class ServerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-2_000);
      });
  }

  /**
   * Waits until the URL answers with success, and starts a program again that does not. Throws an error with the output of a
   * program that ends before.
   */
  static async start(program: string, args: readonly string[], healthUrl: string): Promise<ServerProcess> {
    for (;;) {
      const server = new ServerProcess(spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
      const until = performance.now() + START_MS;
      await waitUntil(async () => {
        if (!server.#isRunning) throw new Error(`${program} ended: ${server.#output}`);
        return performance.now() > until || isHealthy(healthUrl);
      });
      if (await isHealthy(healthUrl)) return server;
      await server[Symbol.asyncDispose]();
    }
  }

  /** Ends it in order, so that it writes what it has. */
  async end(): Promise<void> {
    this.#child.kill();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), GRACE_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  get #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

const isHealthy = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
};
