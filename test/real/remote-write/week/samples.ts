// Compares sample by sample what an engine has with what it took.

import { DAY } from '../../../../src/lib/time.ts';
import type { Engine } from '../engines.ts';
import { END, MIDNIGHTS } from './account.ts';

/** Values by series and time (ms). */
export type Samples = ReadonlyMap<string, ReadonlyMap<number, number>>;

type Labels = Readonly<Record<string, string>>;

export const seriesOf = (labels: Labels): string =>
  JSON.stringify(Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))));

/** Longer than the week and the history before it. */
const QUERIED_DAYS = MIDNIGHTS.length + 7;

export const storedIn = async (engine: Engine): Promise<Samples> => {
  const samples = new Map<string, ReadonlyMap<number, number>>();
  for (const name of await engine.names())
    for (const { labels, points } of await engine.stored(name, END + DAY, QUERIED_DAYS))
      samples.set(seriesOf(labels), new Map(points));
  return samples;
};

/** Describes the series of which an engine has other samples than it took. */
export const notAsTaken = (stored: Samples, taken: Samples): string[] =>
  [...new Set([...stored.keys(), ...taken.keys()])].flatMap((series) => {
    const [had, took] = [stored.get(series) ?? NONE, taken.get(series) ?? NONE];
    const missing = [...took.keys()].filter((at) => !had.has(at));
    const wrong = [...had].filter(([at, value]) => took.get(at) !== value);
    if (wrong.length === 0 && missing.length === 0) return [];
    return [`${series} lacks ${missing.length}, and has ${wrong.length} others: ${missing[0] ?? wrong[0]}`];
  });

const NONE: ReadonlyMap<number, number> = new Map();
