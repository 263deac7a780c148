// Searches for worlds in which the daemon blames the wrong one, and counts what it says about each kind of truth.

import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MINUTE } from '../../src/lib/time.ts';
import { Harness } from '../support/harness.ts';
import { isAlone, type Mistake, mistakesIn, namedFor } from './oracle.ts';
import { play, type Simulation, startSimulation } from './play.ts';
import { isActive, type Truth, type World } from './truth.ts';

/** By truth and verdict: how many truths had this verdict at their end. Delays in minutes by truth. */
export interface Confusion {
  readonly counts: Map<string, Map<string, number>>;
  readonly delays: Map<string, number[]>;
}

export const newConfusion = (): Confusion => ({ counts: new Map(), delays: new Map() });

/** A store with all tables, so that no world needs to create them. */
export const emptyStore = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-worlds-'));
  const path = join(folder, 'empty.db');
  const harness = await Harness.build({
    now: '2026-07-06T00:00:00Z',
    account: {
      traffic: false,
      residential_ledger: false,
      proxy_users: false,
      reconciliation: false,
      quotes: { items: [] },
    },
  });
  await harness.stop();
  await copyFile(harness.storePath, path);
  await harness[Symbol.asyncDispose]();
  return path;
};

/** Plays a world. Returns the first mistakes, and adds what was said to `confusion`. */
export const search = async (
  world: World,
  simulation: Simulation,
  confusion?: Confusion,
): Promise<Mistake[]> => {
  const mistakes: Mistake[] = [];
  const last = new Map<Truth, string>();
  const firstRight = new Map<Truth, number>();
  await play(world, simulation, (said) => {
    mistakes.push(...mistakesIn(world, said));
    for (const truth of world.truths.filter((each) => isActive(each, said.at))) {
      const named = namedFor(world, truth, said);
      last.set(truth, named);
      if (!['unknown', 'none'].includes(named) && !firstRight.has(truth))
        firstRight.set(truth, said.at - truth.begin);
    }
  });
  if (confusion)
    for (const truth of world.truths.filter((each) => isAlone(world, each)))
      count(confusion, world, truth, last, firstRight);
  return mistakes;
};

/** What only probes can show. */
const HERE_ONLY: ReadonlySet<Truth['kind']> = new Set([
  ...(['firewall', 'wrong_here', 'options', 'no_node', 'quota', 'policy', 'line', 'control'] as const),
]);

const count = (
  { counts, delays }: Confusion,
  world: World,
  truth: Truth,
  last: ReadonlyMap<Truth, string>,
  firstRight: ReadonlyMap<Truth, number>,
): void => {
  const every =
    Math.max(world.testers > 0 ? world.testEvery : 0, world.hasProbes ? world.probeEvery : 0) * MINUTE;
  if (HERE_ONLY.has(truth.kind) && !world.hasProbes) return;
  const end = Math.min(truth.end, world.minutes * MINUTE);
  if (end - truth.begin < (world.faultAfter + 1) * every) return;
  const row = counts.get(truth.kind) ?? new Map<string, number>();
  counts.set(truth.kind, row);
  const verdict = last.get(truth) ?? 'none';
  row.set(verdict, (row.get(verdict) ?? 0) + 1);
  const delay = firstRight.get(truth);
  if (delay !== undefined) delays.set(truth.kind, [...(delays.get(truth.kind) ?? []), delay / MINUTE]);
};

export const COLUMNS = ['proxy', 'access', 'target', 'tester', 'provider', 'unknown', 'none'];

export const tableOf = ({ counts, delays }: Confusion): string =>
  [
    `| truth | ${COLUMNS.join(' | ')} | median delay (minutes) |`,
    `|---|${'---|'.repeat(COLUMNS.length + 1)}`,
    ...[...counts].sort().map(([truth, row]) => {
      const sorted = (delays.get(truth) ?? []).sort((a, b) => a - b);
      const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? '';
      return `| ${truth} | ${COLUMNS.map((column) => row.get(column) ?? 0).join(' | ')} | ${median} |`;
    }),
  ].join('\n');

export const removeStore = (path: string): Promise<void> =>
  rm(join(path, '..'), { recursive: true, force: true });
export { startSimulation };
