// What all cases share: turns of contenders in a shuffled order, the median of their readings, and the table of ratios.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Version } from './versions.ts';

/** The unit is that of the readings. Times and sizes depend on the machine; ratios hardly do. */
export interface Figure {
  readonly unit: string;
  /** Goals: at most so many times the other version, at most so many times a peer, and at most this value. */
  readonly against?: number;
  readonly peers?: Readonly<Record<string, number>>;
  readonly most?: number;
}

/** The values of one turn by the name of the figure. A peer may lack some. */
export type Reading = Readonly<Record<string, number>>;

export type Turn = () => Promise<Reading>;
export type Turns = Readonly<Record<string, Turn>>;

export interface Setup {
  /** This version, and the one that is compared with it. */
  readonly versions: readonly Version[];
  /** Disposes of what the contenders share, when the case is over. */
  readonly stack: AsyncDisposableStack;
  readonly isSmall: boolean;
  /** How many times as fast as that of the machine the clocks of the daemons are, unless the case says otherwise. */
  readonly speed: number | undefined;
}

export interface Case {
  readonly title: string;
  readonly figures: Readonly<Record<string, Figure>>;
  /** 3 by default. */
  readonly rounds?: number;
  /** The first rounds do not count; 0 by default. */
  readonly warmUps?: number;
  /** Returns the turns of both versions, and of the programs with which they are compared, by name. */
  readonly contenders: (setup: Setup) => Promise<Turns> | Turns;
}

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

/** Returns a generator of numbers in [0, 1), the same for the same seed (mulberry32). */
export const randomNumbers = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Every order is equally likely. */
export const shuffled = <T>(items: readonly T[], random: () => number): T[] => {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
};

/** Makes a turn of each version, which disposes of what it starts. */
export const turnsOf = (
  versions: readonly Version[],
  turn: (version: Version, stack: AsyncDisposableStack) => Promise<Reading>,
): Turns =>
  Object.fromEntries(
    versions.map((version) => [
      version.name,
      async () => {
        await using stack = new AsyncDisposableStack();
        return await turn(version, stack);
      },
    ]),
  );

/** The folder is removed with the stack. */
export const temporaryFolder = (stack: AsyncDisposableStack): string =>
  stack.adopt(mkdtempSync(join(tmpdir(), 'proxywatch-bench-')), (path) =>
    rmSync(path, { recursive: true, force: true }),
  );

type Readings = ReadonlyMap<string, readonly Reading[]>;

export interface RunOptions extends Omit<Setup, 'stack'> {
  readonly rounds: number | undefined;
  readonly random: () => number;
}

/** Runs a case and returns the rows of its table. */
export const runCase = async (it: Case, { rounds, random, ...setup }: RunOptions): Promise<Row[]> => {
  await using stack = new AsyncDisposableStack();
  const contenders = await it.contenders({ ...setup, stack });
  const readings = new Map<string, Reading[]>(Object.keys(contenders).map((name) => [name, []]));
  const count = rounds ?? (setup.isSmall ? 1 : (it.rounds ?? 3));
  for (let round = -(it.warmUps ?? 0); round < count; round += 1)
    for (const [name, turn] of shuffled(Object.entries(contenders), random)) {
      const reading = await turn();
      console.error(`round ${round + 1}, ${name}: ${describe(reading)}`);
      if (round >= 0) readings.get(name)?.push(reading);
    }
  const [ours = '', other] = setup.versions.map(({ name }) => name);
  return Object.entries(it.figures).flatMap((entry) => rowsOf(entry, readings, ours, other));
};

const describe = (reading: Reading): string =>
  Object.entries(reading)
    .map(([name, value]) => `${name}: ${rounded(value)}`)
    .join('; ');

/** Figure, value of this version, other, its value, ratio, goal. */
type Row = readonly [string, string, string, string, string, string];

const rowsOf = (
  [name, { unit, against, peers = {}, most }]: readonly [string, Figure],
  readings: Readings,
  ours: string,
  other: string | undefined,
): Row[] => {
  const valuesOf = (contender: string): number[] =>
    (readings.get(contender) ?? []).flatMap((reading) => reading[name] ?? []);
  const own = valuesOf(ours);
  if (own.length === 0) return [];
  const start = [`${name} (${unit})`, spread(own)] as const;
  const compared = [...readings.keys()].flatMap((contender): Row[] => {
    const its = valuesOf(contender);
    if (contender === ours || its.length === 0) return [];
    const goal = contender === other ? against : peers[contender];
    return [[...start, contender, spread(its), rounded(median(own) / median(its), 2), String(goal ?? '')]];
  });
  if (most === undefined && compared.length > 0) return compared;
  return [...compared, [...start, '', '', '', most === undefined ? '' : `${most} ${unit}`]];
};

const spread = (values: readonly number[]): string => {
  const ends = `${rounded(Math.min(...values))} to ${rounded(Math.max(...values))}`;
  return values.length === 1 ? rounded(median(values)) : `${rounded(median(values))} (${ends})`;
};

const rounded = (value: number, digits = value < 10 ? 2 : value < 100 ? 1 : 0): string =>
  value.toFixed(digits);

export const printRows = (rows: readonly Row[]): void => {
  console.log('\n| figure | this version | other | its value | ratio | goal |');
  console.log(`|${'---|'.repeat(6)}`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
};
