// Starts the simulated providers of the benchmarks of many accounts, in processes of their own.

import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { cpuMsOf } from './daemon-process.ts';
import { messageOf } from './pinned.ts';

/** A process of Node.js has one core, so it serves at most this many accounts. */
const ACCOUNTS_PER_PROCESS = 100;

/** The provider's default limit of requests. Its documentation names no times of answers, so these are assumptions. */
export const PACED = { pace: 10, response_delay_ms: 200, test_run_delay_ms: 5_000 };

export interface Providers extends Disposable {
  /** The base urls of the accounts. */
  readonly urls: readonly string[];
  /** CPU time of all processes so far. */
  readonly cpuMs: number;
  /** Sets how far the clocks of the providers are behind (ms). */
  setBehind(ms: number): void;
}

export const startProviders = async (
  accounts: number,
  scenario: object,
  behindMs = 0,
): Promise<Providers> => {
  const children: ChildProcess[] = [];
  const urls: Promise<string[]>[] = [];
  for (let first = 0; first < accounts; first += ACCOUNTS_PER_PROCESS) {
    const count = Math.min(ACCOUNTS_PER_PROCESS, accounts - first);
    const args = [String(count), String(first + 1), JSON.stringify(scenario)];
    const env = { ...process.env, CLOCK_BEHIND_MS: String(behindMs) };
    const child = fork(join(import.meta.dirname, 'scale-simulators.ts'), args, { env });
    children.push(child);
    urls.push(messageOf<string[]>(child));
  }
  return {
    urls: (await Promise.all(urls)).flat(),
    get cpuMs() {
      return children.reduce((sum, child) => sum + cpuMsOf(child), 0);
    },
    setBehind: (ms) => {
      for (const child of children) child.send(ms);
    },
    [Symbol.dispose]: () => {
      for (const child of children) child.kill('SIGKILL');
    },
  };
};
