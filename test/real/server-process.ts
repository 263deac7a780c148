// Runs a server of another project in its own process.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { afterEach } from 'vitest';
import { waitUntil } from '../cli/program.ts';

const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Prometheus 2.53.3 and 3.5.3 have a fault: rarely, a request that stores old samples panics with this text. It keeps a lock, so
 * that later requests, and the end of the process, wait forever.
 */
const PANIC = 'expected newly cut file to have sequence';
let hasPanicked = false;

const { TEST_REPORT } = process.env;

/**
 * Options of a suite that calls `failAfterPanic`: a test whose engine panicked by its known fault runs again. vitest 5.1 ignores
 * a function as the condition, and reads only the message of the last error.
 */
export const AGAIN_AFTER_PANIC = { retry: { count: 2, condition: new RegExp(PANIC) } };

export const failAfterPanic = (): void => {
  afterEach(() => {
    if (!hasPanicked) return;
    hasPanicked = false;
    throw new Error(PANIC);
  });
};

export class ServerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        const output = this.#output + text;
        if (output.includes(PANIC)) this.#panic();
        this.#output = hasPanicked ? '' : output.slice(-2_000);
      });
  }

  /** Waits until the URL answers with success. Throws an error with the output of a program that ends before. */
  static async start(program: string, args: readonly string[], healthUrl: string): Promise<ServerProcess> {
    const server = new ServerProcess(spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
    await waitUntil(async () => {
      if (!server.#isRunning) throw new Error(`${program} ended: ${server.#output}`);
      return isHealthy(healthUrl);
    });
    return server;
  }

  /** Ends it in order, so that it writes what it has. */
  async end(): Promise<void> {
    this.#child.kill();
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Kills it, so that no request waits for it. */
  #panic(): void {
    hasPanicked = true;
    if (TEST_REPORT) appendFileSync(`${TEST_REPORT}.panics`, '!');
    this.#child.kill('SIGKILL');
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
