// Makes a network namespace for the daemon, whose only line to this machine a test can cut.

import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

/** The programs that this needs. It also needs root. */
export const PROGRAMS = ['ip', 'curl'] as const;
/** This machine, as the daemon in the namespace reaches it. The addresses are for documentation. */
export const HERE = '203.0.113.1';
const THERE = '203.0.113.2';
const PREFIX = 30;

export interface Namespace extends Disposable {
  /** The command that runs another command in the namespace. */
  readonly command: readonly string[];
  /** Runs a command in the namespace, and returns its output. */
  run(...command: readonly string[]): Promise<string>;
  /** Shuts the interface in the namespace down, so that it has no route. */
  shutDown(): void;
  /** Unplugs the line at the other end, so that packets get lost. */
  unplug(): void;
  mend(): void;
}

const execFileOf = promisify(execFile);
const ip = (text: string): void => {
  execFileSync('ip', text.split(' '), { stdio: 'pipe' });
};

export const createNamespace = (): Namespace => {
  const name = `proxywatch-${process.pid}`;
  // The name of an interface has 15 characters at most.
  const [near, far] = [`pwn${process.pid}`, `pwf${process.pid}`];
  ip(`netns add ${name}`);
  const exec = ['netns', 'exec', name];
  const inside = (text: string): void => ip(`-n ${name} ${text}`);
  ip(`link add ${near} type veth peer name ${far} netns ${name}`);
  ip(`addr add ${HERE}/${PREFIX} dev ${near}`);
  ip(`link set ${near} up`);
  inside('link set lo up');
  inside(`addr add ${THERE}/${PREFIX} dev ${far}`);
  inside(`link set ${far} up`);
  return {
    command: ['ip', ...exec],
    // The daemon needs the simulated provider of this process meanwhile.
    run: async (...rest) => (await execFileOf('ip', [...exec, ...rest])).stdout,
    shutDown: () => inside(`link set ${far} down`),
    unplug: () => ip(`link set ${near} down`),
    mend: () => {
      ip(`link set ${near} up`);
      inside(`link set ${far} up`);
    },
    // The pair of interfaces goes with the namespace.
    [Symbol.dispose]: () => ip(`netns delete ${name}`),
  };
};
