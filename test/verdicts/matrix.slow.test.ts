// Searches matrices of results for faults that blame something that works, for silence, and for verdicts that change.

import fc from 'fast-check';
import { test } from 'vitest';
import { anyMatrix, type Broken, isActiveIn, isHit, type Matrix, placesOf, playMatrix } from './matrix.ts';

const MANY = 10;

type Place = ReturnType<typeof placesOf>[number];

/** Whether the newest result of the place, of this round or of the two before, is a failure. */
const fails = (matrix: Matrix, place: Place, round: number): boolean => {
  const isLost = (each: number): boolean =>
    matrix.lost.some((lost) => lost.round === each && lost.tester === place[2]);
  const known = [round, round - 1, round - 2].find((each) => !isLost(each)) ?? round;
  return matrix.broken.some((broken) => isActiveIn(broken, known) && isHit(broken, place));
};

const wayOf = ([, target, tester]: Place): string => `${target} ${tester}`;

const FAULTY_SHARE = 0.5;
/** A fault that was found ends only below this share of the proxies. */
const LASTING_SHARE = 0.25;

/** Whether at least half of what is about the subject failed in a round that counts, or much of it since. */
const hasFailed = (matrix: Matrix, round: number, isAbout: (place: Place) => boolean): boolean => {
  const places = placesOf(matrix).filter(isAbout);
  const shareIn = (each: number): number =>
    places.filter((place) => fails(matrix, place, each)).length / places.length;
  const ways = new Set(places.map(wayOf));
  /** A target or a tester of which only one way fails is not at fault. */
  const isShown = (each: number): boolean => {
    const failing = new Set(places.filter((place) => fails(matrix, place, each)).map(wayOf));
    return shareIn(each) >= FAULTY_SHARE && failing.size >= Math.min(2, ways.size);
  };
  for (let each = round, since = 0; each > 0 && since < matrix.faultAfter + 4; each -= 1) {
    if (isShown(each)) return true;
    since = shareIn(each) >= LASTING_SHARE ? 0 : since + 1;
  }
  return false;
};

const isRight = (matrix: Matrix, round: number, kind: string, subject: string): boolean => {
  const index = Number(subject.slice(1));
  if (kind === 'target') return hasFailed(matrix, round, ([, target]) => target === index);
  if (kind === 'tester') return hasFailed(matrix, round, ([, , tester]) => tester === index);
  if (kind === 'provider') return matrix.proxies >= MANY && hasFailed(matrix, round, () => true);
  const isNamed = matrix.broken.some(({ proxy, begin }) => proxy === index && begin <= round);
  return isNamed || hasFailed(matrix, round, ([proxy]) => proxy === index);
};

/** What is broken alone for so long that something must be said, and always the same. */
const lastingIn = ({ broken, lost, faultAfter }: Matrix, round: number): Broken | undefined => {
  const [only, ...others] = broken;
  if (!only || others.length > 0 || lost.length > 0 || !isActiveIn(only, round)) return undefined;
  return round - only.begin > 2 * faultAfter ? only : undefined;
};

test('nothing that works is blamed, and what lasts is told, always in the same way', () => {
  fc.assert(
    fc.property(anyMatrix, (matrix) => {
      let told: string | undefined;
      for (const { round, said } of playMatrix(matrix)) {
        for (const { kind, subject } of said.faults)
          if (!isRight(matrix, round, kind, subject)) throw new Error(`${kind} ${subject} in round ${round}`);
        if (!lastingIn(matrix, round)) continue;
        const all = [
          ...said.faults,
          ...said.inconclusive.map(({ url }) => ({ kind: 'unknown', subject: url })),
        ];
        const text = all.map(({ kind, subject }) => `${kind} ${subject}`).join();
        if (text === '') throw new Error(`nothing is said in round ${round}`);
        // Where only the error source can decide, another source says something else.
        if (told !== undefined && told !== text && new Set(matrix.broken[0]?.sources).size === 1)
          throw new Error(`${told} becomes ${text} in round ${round}`);
        told = text;
      }
    }),
    { numRuns: Number(process.env['MATRICES'] ?? 1_000), seed: 7 },
  );
});
