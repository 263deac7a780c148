// The program as an operator has it: a process of its own, what it says, and how it ends.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const POLL_MS = 20;

/** Most of a start is compiling: the first process that ends by itself leaves it to those that follow. */
const ENVIRONMENT = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'proxywatch-compiled') };

export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly ended: Promise<Ending>;
  stdout = '';
  stderr = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** `main` is the program's file, that of the checkout unless given. */
  static start(args: readonly string[], { main = MAIN } = {}): Program {
    return new Program(spawn(process.execPath, [main, ...args], { env: ENVIRONMENT, stdio: 'pipe' }));
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Where the daemon serves, once it does. */
  async url(): Promise<string> {
    const find = () => /serves (https?:\S+)\/metrics/.exec(this.stdout)?.[1];
    await until(() => find() !== undefined || !this.isRunning);
    const url = find();
    if (url === undefined) throw new Error(`it ended without serving: ${this.stdout}${this.stderr}`);
    return url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) this.kill('SIGTERM');
    await this.ended;
  }
}

/** Runs a command to its end. */
export const runToEnd = async (...args: string[]): Promise<Ending & Pick<Program, 'stdout' | 'stderr'>> => {
  await using program = Program.start(args);
  const ending = await program.ended;
  return { ...ending, stdout: program.stdout, stderr: program.stderr };
};

export const getText = async (url: string): Promise<string> => {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return text;
};

/** Waits for another process, whose time is its own; the test's own timeout bounds it. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await delay(POLL_MS);
};
