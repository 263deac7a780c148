// Runs small cases of the benchmark, and fails if a figure is worse than its goal by half. Times on the clock and their ratios
// are left out, because they depend on what else the machine does. CPU times hardly do.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const TOLERANCE = 1.5;
/** Polls and scrapes do not reach their goals (docs/how-to/size-a-machine.md). These are the ratios that a daemon reaches. */
const POLL_RATIO = 5;
const SCRAPE_RATIO = 6;
const ROW =
  /^\| (?<what>.+) \((?<unit>[^)]+)\) \| (?<value>[\d.]+)[^|]* \| (?<other>[^|]*) \| [^|]* \| (?<ratio>[^|]*) \| (?<goal>[\d.]+)[^|]* \|$/gm;

interface Figure {
  readonly what: string;
  readonly measured: number;
  readonly goal: number;
}

/** Returns the sizes, and the ratios of CPU times to those of other programs, that have a goal. */
const figuresOf = async (name: string, args: readonly string[]): Promise<Figure[]> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/main.ts', name, ...args]);
  return [...stdout.matchAll(ROW)].flatMap(({ groups = {} }) => {
    const { what = '', unit, value, other, ratio, goal } = groups;
    if (what.startsWith('time ') || (!other && unit !== 'MB')) return [];
    return { what, measured: Number(other ? ratio : value), goal: Number(goal) };
  });
};

describe('a small case of the benchmark', () => {
  it.each([
    ['memory', [], 1],
    ['answers', [], 3],
    ['exposition', [], 1, SCRAPE_RATIO],
    ['poll', ['--rounds', '5'], 2, POLL_RATIO],
  ] as const)(
    '%s has figures near its goals',
    { timeout: 600_000 },
    async (name, args, count, reached?: number) => {
      const figures = await figuresOf(name, ['--small', ...args]);
      expect(figures).toHaveLength(count);
      for (const { what, measured, goal } of figures)
        expect(measured, what).toBeLessThanOrEqual(TOLERANCE * (reached ?? goal));
    },
  );
});
