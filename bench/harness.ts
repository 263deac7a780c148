// What all benchmarks share: options, figures with goals, tables, turns of contenders, and the cost of work in this process.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

export interface Figure {
  readonly what: string;
  readonly value: number;
  /** `×` for a ratio. Ratios and sizes hardly depend on the machine; times do. */
  readonly unit: '×' | 'MB' | 'ms' | '%';
  /** The value should not be higher. */
  readonly goal: number;
}

/** Returns figures with goals; nothing if the benchmark only prints its results. */
export type Bench = (args: readonly string[]) => Promise<readonly Figure[] | undefined>;

export const figure = (what: string, value: number, unit: Figure['unit'], goal: number): Figure => ({
  ...{ what, value, unit, goal },
});

type Options = Readonly<Record<string, number | string | boolean>>;
type Values<O extends Options> = {
  readonly [name in keyof O]: O[name] extends number ? number : O[name] extends string ? string : boolean;
};

/** Reads `--name value`, `--name` and `--no-name`. The type of a default is that of the option. */
export const optionsOf = <O extends Options>(args: readonly string[], defaults: O): Values<O> => {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [
      name,
      typeof value === 'boolean'
        ? ({ type: 'boolean', default: value } as const)
        : ({ type: 'string', default: String(value) } as const),
    ]),
  );
  const { values } = parseArgs({ args: [...args], options, allowNegative: true });
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [
      name,
      typeof value === 'number' ? Number(values[name]) : values[name],
    ]),
  ) as Values<O>;
};

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Of an even number of values, it is the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
};

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(share * values.length) - 1)] ??
  Number.NaN;

export const inMb = (bytes: number, digits = 0): string => `${(bytes / 1e6).toFixed(digits)} MB`;
export const inMib = (bytes: number, digits = 0): string => `${(bytes / 2 ** 20).toFixed(digits)} MiB`;
export const inMs = (ms: number, digits = 0): string => `${ms.toFixed(digits)} ms`;
export const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export const printRow = (...cells: readonly (string | number)[]): void =>
  console.log(`| ${cells.join(' | ')} |`);

export const printHead = (...columns: readonly string[]): void => {
  printRow(...columns);
  console.log(`|${'---|'.repeat(columns.length)}`);
};

export const printFigures = (figures: readonly Figure[]): void => {
  const rounded = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));
  console.log();
  printHead('figure', 'measured', 'goal');
  for (const { what, value, unit, goal } of figures)
    printRow(what, `${rounded(value)} ${unit}`, `${goal} ${unit}`);
};

export type Contenders<T> = Readonly<Record<string, () => Promise<T>>>;

/**
 * Lets the contenders take turns, so that other load and changes of the machine's speed affect all of them. Returns the
 * results of each without its first `warmUps` rounds.
 */
export const inTurns = async <T>(
  contenders: Contenders<T>,
  rounds: number,
  warmUps = 1,
): Promise<ReadonlyMap<string, readonly T[]>> => {
  const results = new Map<string, T[]>(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -warmUps; round < rounds; round += 1)
    for (const [name, run] of Object.entries(contenders)) {
      const result = await run();
      if (round >= 0) results.get(name)?.push(result);
    }
  return results;
};

/** Returns the median ratio of two results of the same round. */
export const ratioOf = <T>(
  ones: readonly T[],
  others: readonly T[],
  measure: (result: T) => number,
): number =>
  median(
    ones.flatMap((one, round) => {
      const other = others[round];
      return other === undefined ? [] : measure(one) / measure(other);
    }),
  );

export const temporaryFolder = (): Disposable & { readonly path: string } => {
  const path = mkdtempSync(join(tmpdir(), 'proxywatch-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};

/** What work in this process cost. Times are in ms; those of the CPU do not depend on other load of the machine. */
export interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The longest time between two turns of the event loop, in CPU time of its thread and by the clock. */
  readonly blockCpuMs: number;
  readonly blockMs: number;
  /** The 99th percentile of the delays of the event loop's timers. */
  readonly loopDelayP99Ms: number;
  readonly rssBytes: number;
}

/** No work may block the event loop for longer than this. */
export const MAX_BLOCK_MS = 50;
const RESOLUTION_MS = 1;

const msOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** Pass `watchesTurns: false` for work whose CPU time counts: watching each turn of the event loop takes some itself. */
export const costOf = async (work: () => Promise<unknown>, watchesTurns = true): Promise<Cost> => {
  await new Promise(setImmediate);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let [isGoing, blockMs, blockCpuMs] = [watchesTurns, 0, 0];
  let [lastAt, lastCpu] = [performance.now(), msOf(process.threadCpuUsage())];
  const turn = (): void => {
    const [at, cpu] = [performance.now(), msOf(process.threadCpuUsage())];
    blockMs = Math.max(blockMs, at - lastAt);
    blockCpuMs = Math.max(blockCpuMs, cpu - lastCpu);
    [lastAt, lastCpu] = [at, cpu];
    if (isGoing) setImmediate(turn);
  };
  if (watchesTurns) setImmediate(turn);
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  delay.enable();
  await work();
  const [cpuMs, wallMs] = [msOf(process.cpuUsage(cpu)), performance.now() - startedAt];
  delay.disable();
  await new Promise(setImmediate);
  isGoing = false;
  const loopDelayP99Ms = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
  return { cpuMs, wallMs, blockCpuMs, blockMs, loopDelayP99Ms, rssBytes: process.memoryUsage.rss() };
};

/** Runs the work and prints its cost. */
export const printCost = async (what: string, work: () => Promise<unknown>): Promise<void> => {
  const { cpuMs, wallMs, blockCpuMs, blockMs } = await costOf(work);
  const verdict = blockCpuMs > MAX_BLOCK_MS ? `, above ${MAX_BLOCK_MS} ms` : '';
  console.log(
    `${what}: CPU ${inMs(cpuMs)} in ${inMs(wallMs)}, longest block ${inMs(blockCpuMs)} of CPU${verdict} (${inMs(blockMs)} by the clock)`,
  );
};
