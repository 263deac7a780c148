// Runs the program as an operator does, in its own process, and captures its output and exit status.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const POLL_MS = 20;

/** Most of a start is compilation: the first process that exits normally leaves a compile cache for later ones. */
export const ENVIRONMENT = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'proxywatch-compiled') };

interface StartOptions {
  readonly main?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly within?: readonly string[];
  readonly cwd?: string;
}

export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly ended: Promise<ExitStatus>;
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

  /**
   * `main` is the program's file; by default that of the checkout. `env` is added to the environment. `within` is a command
   * that runs another one.
   */
  static start(
    args: readonly string[],
    { main = MAIN, env = {}, within = [], cwd = process.cwd() }: StartOptions = {},
  ): Program {
    const [command = process.execPath, ...rest] = [...within, process.execPath, main, ...args];
    return new Program(spawn(command, rest, { env: { ...ENVIRONMENT, ...env }, stdio: 'pipe', cwd }));
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the program could not be started');
    return this.#child.pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves to the daemon's URL once it serves. */
  async url(): Promise<string> {
    const find = () => /serves (https?:\S+)\/metrics/.exec(this.stdout)?.[1];
    await waitUntil(() => find() !== undefined || !this.isRunning);
    const url = find();
    if (url === undefined) throw new Error(`it ended without serving: ${this.stdout}${this.stderr}`);
    return url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) this.kill('SIGTERM');
    await this.ended;
  }
}

/** Runs a command until it ends. */
export const runToEnd = async (
  ...args: string[]
): Promise<ExitStatus & Pick<Program, 'stdout' | 'stderr'>> => {
  await using program = Program.start(args);
  const exit = await program.ended;
  return { ...exit, stdout: program.stdout, stderr: program.stderr };
};

export const getText = async (url: string): Promise<string> => {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return text;
};

/** Waits in real time for a condition of another process; the test's timeout limits it. */
export const waitUntil = async (isDone: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isDone())) await delay(POLL_MS);
};
