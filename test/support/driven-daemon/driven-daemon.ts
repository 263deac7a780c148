// Starts a daemon in a process of its own, moves its clock, and asks what it holds.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Held } from './held.ts';

export type Order =
  | { readonly kind: 'advance'; readonly to: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'snapshot'; readonly file: string };

const PROGRAM = join(import.meta.dirname, 'daemon-process.ts');

export class DrivenDaemon implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #url = Promise.withResolvers<string>();
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
    this.#ended.then(() => this.#url.reject(new Error('the daemon ended without serving')));
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.#findUrl(line));
  }

  /**
   * `temporaryFolder` is where the daemon may put temporary files. Sleeps shorter than `shortMs` end at once. `env` is added
   * to the few variables that a process needs.
   */
  static start(
    configFile: string,
    now: number,
    temporaryFolder: string,
    shortMs?: number,
    env: Readonly<Record<string, string>> = {},
  ): DrivenDaemon {
    const options = {
      // A quick month creates many short-lived objects, which a larger young generation collects cheaply.
      execArgv: ['--expose-gc', '--max-semi-space-size=32'],
      env: { PATH: process.env.PATH, TMPDIR: temporaryFolder, NODE_NO_WARNINGS: '1', ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'] as const,
    };
    const args = [configFile, new Date(now).toISOString(), ...(shortMs === undefined ? [] : [`${shortMs}`])];
    return new DrivenDaemon(fork(PROGRAM, args, { ...options, stdio: [...options.stdio] }));
  }

  get url(): Promise<string> {
    return this.#url.promise;
  }

  /** Advances the clock to the time (ms), and resolves when all runs that are due have ended. */
  async advanceTo(time: number): Promise<void> {
    await this.#order({ kind: 'advance', to: time });
  }

  async held(): Promise<Held> {
    return (await this.#order({ kind: 'held' })) as Held;
  }

  /** Kills the process, which gets no chance to end in order. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async writeHeapSnapshot(file: string): Promise<void> {
    await this.#order({ kind: 'snapshot', file });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  async #order(order: Order): Promise<unknown> {
    if (!this.#child.connected) throw new Error('the daemon has ended');
    const answer = once(this.#child, 'message');
    this.#child.send(order);
    const [first] = await Promise.race([
      answer,
      this.#ended.then(() => {
        throw new Error('the daemon has ended');
      }),
    ]);
    return first;
  }

  #findUrl(line: string): void {
    if (!line.startsWith('{')) return void console.log(line);
    const { url } = JSON.parse(line) as { url?: string };
    if (url !== undefined) this.#url.resolve(url);
  }
}
