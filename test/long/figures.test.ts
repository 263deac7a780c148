// Runs small versions of benchmarks, and fails if a size is worse than its goal by half. Times are left out, because they
// depend on the machine, and ratios of times on what else it does.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const TOLERANCE = 1.5;
const ROW = /^\| (?<what>.+) \| (?<measured>[\d.]+) (?<unit>\S+) \| (?<goal>[\d.]+) \S+ \|$/gm;
/** Sizes, and ratios of sizes. */
const COMPARED = ['×', 'MB'];

const figuresOf = async (bench: string, args: readonly string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/main.ts', bench, ...args]);
  return [...stdout.matchAll(ROW)].map(({ groups = {} }) => ({
    ...{ what: groups.what, unit: groups.unit ?? '' },
    ...{ measured: Number(groups.measured), goal: Number(groups.goal) },
  }));
};

describe('a small benchmark', { concurrent: true }, () => {
  it.each([
    ['memory', ['--minutes', '0.25', '--users', '5000'], 4],
    ['answers', ['--seconds', '4', '--kinds', '1 GB;gzip bomb (250 MB)'], 2],
  ])('of %s has figures near its goals', { timeout: 300_000 }, async (bench, args, count) => {
    const figures = (await figuresOf(bench, args)).filter(({ unit }) => COMPARED.includes(unit));
    expect(figures).toHaveLength(count);
    for (const { what, measured, goal } of figures)
      expect(measured, what).toBeLessThanOrEqual(TOLERANCE * goal);
  });
});
