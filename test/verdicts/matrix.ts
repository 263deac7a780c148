// Draws rounds of results for a matrix of proxies, targets and testers, with a known truth, and judges what is said about them.
//
// This search has no daemon and no provider, so that it plays thousands of worlds a second. It draws what `truth.ts` does not:
// error sources that are wrong or change, results that are lost, and failures of one way from a tester to a target.

import fc from 'fast-check';
import type { Attribution } from '../../src/collectors/faults/attribution.ts';
import type { FaultCell } from '../../src/collectors/faults/proxy-round.ts';
import { attributeTests } from '../../src/collectors/proxy-tests/attribute-tests.ts';
import { runAtOnce } from '../../src/lib/steps.ts';
import { ERROR_SOURCE_CODES } from '../../src/store/test-store.ts';

/** What fails from round `begin` on, for `length` rounds. Undefined stands for all proxies, targets or testers. */
export interface Broken {
  readonly proxy?: number | undefined;
  readonly target?: number | undefined;
  readonly tester?: number | undefined;
  readonly begin: number;
  readonly length: number;
  /** The error sources of its rounds, which take turns. */
  readonly sources: readonly (string | null)[];
}

export interface Matrix {
  readonly proxies: number;
  readonly targets: number;
  readonly testers: number;
  readonly faultAfter: number;
  readonly broken: readonly Broken[];
  /** Rounds in which a tester has no results. */
  readonly lost: readonly { readonly round: number; readonly tester: number }[];
}

export const ROUNDS = 24;
const SOURCES = ['proxy', 'target', 'client', 'network', null] as const;

const part = (count: number): fc.Arbitrary<number | undefined> =>
  fc.option(fc.nat(count - 1), { nil: undefined });

export const anyMatrix: fc.Arbitrary<Matrix> = fc
  .record({
    proxies: fc.constantFrom(1, 2, 3, 4, 6, 12),
    targets: fc.integer({ min: 1, max: 3 }),
    testers: fc.integer({ min: 1, max: 3 }),
    faultAfter: fc.integer({ min: 1, max: 3 }),
  })
  .chain((shape) =>
    fc.record({
      ...{ proxies: fc.constant(shape.proxies), targets: fc.constant(shape.targets) },
      ...{ testers: fc.constant(shape.testers), faultAfter: fc.constant(shape.faultAfter) },
      broken: fc.array(
        fc.record({
          ...{ proxy: part(shape.proxies), target: part(shape.targets), tester: part(shape.testers) },
          begin: fc.integer({ min: 2, max: 8 }),
          length: fc.integer({ min: 1, max: ROUNDS }),
          sources: fc.array(fc.constantFrom(...SOURCES), { minLength: 1, maxLength: 3 }),
        }),
        { maxLength: 2 },
      ),
      lost: fc.array(
        fc.record({ round: fc.integer({ min: 2, max: ROUNDS }), tester: fc.nat(shape.testers - 1) }),
        { maxLength: shape.testers > 1 ? 2 : 0 },
      ),
    }),
  );

type Place = readonly [proxy: number, target: number, tester: number];

export const isHit = ({ proxy, target, tester }: Broken, [p, u, t]: Place): boolean =>
  (proxy ?? p) === p && (target ?? u) === u && (tester ?? t) === t;

export const isActiveIn = ({ begin, length }: Broken, round: number): boolean =>
  begin <= round && round < begin + length;

/** Says what the attribution says after each round. */
export function* playMatrix(
  matrix: Matrix,
): Generator<{ readonly round: number; readonly said: Attribution }> {
  const cells = new Map<string, FaultCell>();
  let said: Attribution = { faults: [], inconclusive: [] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const place of placesOf(matrix)) {
      if (matrix.lost.some((lost) => lost.round === round && lost.tester === place[2])) continue;
      const broken = matrix.broken.find((each) => isActiveIn(each, round) && isHit(each, place));
      cells.set(place.join(), cellAfter(cells.get(place.join()), place, round, broken));
    }
    const options = { faultAfter: matrix.faultAfter, since: round, cycleMs: 1 };
    said = runAtOnce(attributeTests([...cells.values()], said, [], options));
    yield { round, said };
  }
}

export const placesOf = ({ proxies, targets, testers }: Matrix): Place[] =>
  [...Array(proxies).keys()].flatMap((p) =>
    [...Array(targets).keys()].flatMap((u) => [...Array(testers).keys()].map((t) => [p, u, t] as const)),
  );

const cellAfter = (
  before: FaultCell | undefined,
  [p, u, t]: Place,
  round: number,
  broken?: Broken,
): FaultCell => {
  const source = broken?.sources[round % broken.sources.length] ?? null;
  const codes: Readonly<Record<string, number>> = ERROR_SOURCE_CODES;
  return {
    ...{ proxy: `p${p}`, url: `u${u}`, tester: `t${t}`, productType: 'isp', at: round },
    errorSource: source,
    errorCode: broken ? 'failure' : null,
    history: (((before?.history ?? 0) << 1) | Number(broken !== undefined)) & 0xff,
    rounds: Math.min(8, (before?.rounds ?? 0) + 1),
    sources: (((before?.sources ?? 0) << 2) | (codes[source ?? ''] ?? 0)) & 0xffff,
  };
};
