// Runs a small case of the benchmark, and reads its figures.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const ROW =
  /^\| (?<what>.+) \((?<unit>[^)]+)\) \| (?<value>[\d.]+)[^|]* \| (?<other>[^|]*) \| [^|]* \| (?<ratio>[^|]*) \| (?<goal>[\d.]+)[^|]* \|$/gm;

interface Figure {
  readonly what: string;
  readonly measured: number;
  readonly goal: number;
}

/**
 * Returns the sizes, and the ratios of CPU times to those of other programs, that have a goal. Times on the clock and their
 * ratios are left out, because they depend on what else the machine does. CPU times hardly do.
 */
export const figuresOf = async (name: string, args: readonly string[]): Promise<Figure[]> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/main.ts', name, '--small', ...args]);
  return [...stdout.matchAll(ROW)].flatMap(({ groups = {} }) => {
    const { what = '', unit, value, other, ratio, goal } = groups;
    if (what.startsWith('time ') || (!other && unit !== 'MB')) return [];
    return { what, measured: Number(other ? ratio : value), goal: Number(goal) };
  });
};
