// Searches drawn worlds for verdicts that blame something that works, and for faults about which nothing is said.

import fc from 'fast-check';
import { MINUTE } from '../../src/lib/time.ts';
import { type Confusion, mustBeTold, type Verdicts } from './confusion.ts';
import { type Mistake, mistakesIn, type Verdict, verdictOn } from './oracle.ts';
import { play } from './play.ts';
import type { Simulation } from './simulation.ts';
import { anyWorld, isActive, type Truth, type World } from './truth.ts';

/** Draws worlds, plays them one after another, and yields the text of each world with a mistake. */
export async function* search(
  count: number,
  seed: number,
  simulation: Simulation,
  confusion: Confusion,
): AsyncGenerator<string> {
  for (const world of fc.sample(anyWorld, { seed, numRuns: count })) {
    const mistakes = await mistakesOf(world, simulation, confusion);
    if (mistakes.length > 0) yield textOf(world, mistakes);
  }
}

/** Plays a world, and adds the verdicts on its truths to `confusion`. */
export const mistakesOf = async (
  world: World,
  simulation: Simulation,
  confusion: Confusion,
): Promise<Mistake[]> => {
  const mistakes: Mistake[] = [];
  const verdicts = new Map<Truth, Verdicts>();
  await play(world, simulation, (said) => {
    mistakes.push(...mistakesIn(world, said));
    for (const truth of world.truths.filter((each) => isActive(each, said.at))) {
      const last = verdictOn(world, truth, said);
      const delay = verdicts.get(truth)?.delay ?? (isNamed(last) ? said.at - truth.begin : undefined);
      verdicts.set(truth, { last, delay });
    }
  });
  for (const [truth, said] of verdicts) {
    confusion.add(world, truth, said);
    if (said.last === 'none' && mustBeTold(world, truth))
      mistakes.push({ at: truth.end, text: `nothing is said about ${truth.kind}` });
  }
  return mistakes;
};

const isNamed = (verdict: Verdict): boolean => verdict !== 'unknown' && verdict !== 'none';

/** The world as JSON, with up to three of its mistakes, and the minutes of the first and the last. */
export const textOf = (world: World, mistakes: readonly Mistake[]): string => {
  const all = mistakes.map(({ text }) => text);
  const minuteOf = (mistake: Mistake | undefined): number => (mistake?.at ?? 0) / MINUTE;
  const when = `at ${minuteOf(mistakes[0])}..${minuteOf(mistakes.at(-1))}`;
  return [JSON.stringify(world), ...[...new Set(all)].slice(0, 3), when].join('\n    ');
};
