// Makes a copy of the repository like a fresh clone, and runs commands in it as a contributor does.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from '../docs/documents.ts';

/** Links stay links. */
const AS_IT_IS = { recursive: true, verbatimSymlinks: true };

export class Clone implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'proxywatch-guide-'));
  readonly #children: ChildProcess[] = [];

  /** Copies the files of the repository, and its packages. */
  fill(): void {
    const files = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const file of files.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)))) {
      mkdirSync(dirname(join(this.folder, file)), { recursive: true });
      cpSync(join(ROOT, file), join(this.folder, file), AS_IT_IS);
    }
    // A copy and not a link, because tools also write to this folder.
    cpSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), AS_IT_IS);
    execFileSync('git', ['init', '--quiet'], { cwd: this.folder });
    execFileSync('git', ['add', '--all'], { cwd: this.folder });
  }

  /** Runs the command to its end. */
  async run(command: string): Promise<{ readonly code: number | null; readonly output: string }> {
    const child = this.#spawn(command, 'pipe');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data) => {
        output += data;
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    child.once('close', resolve).once('error', reject);
    return { code: await promise, output };
  }

  /** Starts a command that runs until the clone is removed. */
  start(command: string): void {
    this.#spawn(command, 'ignore');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) await end(child);
    rmSync(this.folder, { recursive: true });
  }

  #spawn(command: string, output: 'pipe' | 'ignore'): ChildProcess {
    // With a group of its own, the programs that the command starts can be ended with it.
    const child = spawn('bash', ['-euc', command], {
      ...{ cwd: this.folder, env: contributorsEnvironment(), detached: true },
      stdio: ['ignore', output, output],
    });
    this.#children.push(child);
    return child;
  }
}

const end = async (child: ChildProcess): Promise<void> => {
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  if (hasEnded || child.pid === undefined) return;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  child.once('close', resolve);
  process.kill(-child.pid, 'SIGTERM');
  await promise;
};

/** The environment without what npm and vitest have added for this test. */
const contributorsEnvironment = (): NodeJS.ProcessEnv => {
  const own = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:npm_|VITEST|CI$|NODE_ENV$|NODE_OPTIONS$|TEST$|TEST_REPORT$|DEV$|PROD$|MODE$|BASE_URL$|SSR$)/i.test(
        name,
      ),
  );
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(ROOT));
  return { ...Object.fromEntries(own), PATH: path.join(delimiter), NO_COLOR: '1' };
};
