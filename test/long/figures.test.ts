// Runs small versions of benchmarks, and fails if a figure is worse than its bound by half. Times and ratios of times that
// pass on the clock are left out, because they depend on what else the machine does. CPU times hardly do.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const TOLERANCE = 1.5;
/** A poll does not reach its goal (docs/how-to/size-a-machine.md). This is the ratio that it reaches. */
const POLL_RATIO = 4;
const ROW = /^\| (?<what>.+) \| (?<measured>[\d.]+) (?<unit>\S+) \| (?<goal>[\d.]+) \S+ \|$/gm;
/** Sizes, and ratios of sizes. */
const COMPARED = ['×', 'MB'];

const isCompared = ({ what, unit }: { readonly what: string; readonly unit: string }): boolean =>
  COMPARED.includes(unit) && !what.startsWith('time ');

const figuresOf = async (bench: string, args: readonly string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/main.ts', bench, ...args]);
  return [...stdout.matchAll(ROW)].map(({ groups = {} }) => ({
    ...{ what: groups.what ?? '', unit: groups.unit ?? '' },
    ...{ measured: Number(groups.measured), goal: Number(groups.goal) },
  }));
};

describe('a small benchmark', { concurrent: true }, () => {
  it.each([
    ['memory', ['--minutes', '0.25', '--users', '5000'], 4],
    ['answers', ['--seconds', '4', '--kinds', '1 GB;gzip bomb (250 MB)'], 2],
    ['exposition', ['--no-others'], 1],
    ['poll', ['--users', '5000', '--rounds', '5'], 1, POLL_RATIO],
  ] as const)(
    'of %s has figures near its bounds',
    { timeout: 300_000 },
    async (bench, args, count, reached?: number) => {
      const figures = (await figuresOf(bench, args)).filter(isCompared);
      expect(figures).toHaveLength(count);
      for (const { what, measured, goal } of figures)
        expect(measured, what).toBeLessThanOrEqual(TOLERANCE * (reached ?? goal));
    },
  );
});
