import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attributeFaults,
  type Blame,
  type Judgement,
} from '../../../src/collectors/proxy-tests/faults/faults.ts';
import { cellsOf, type Fleet, nameOf } from './fleet.ts';

const OPTIONS = { faultAfter: 2, since: 0 };
const NOTHING: Judgement = { faults: [], inconclusive: [] };

/** Faults as `kind subject`, and what nobody is blamed for as `inconclusive url proxies`. */
const blamed = (fleet: Fleet, standing = NOTHING, options = OPTIONS): string[] =>
  shown(attributeFaults(cellsOf(fleet), standing, options));

const shown = ({ faults, inconclusive }: Judgement): string[] => [
  ...inconclusive.map(({ url, proxies }) => `inconclusive ${url} ${proxies}`),
  ...faults.map(({ kind, subject }) => `${kind} ${subject}`.trim()),
];

const proxies = (...numbers: number[]): string[] => numbers.map((number) => `proxy ${nameOf(number)}`);
const upTo = (end: number): number[] => [...Array(end).keys()];
const REASON = 'as of before';
const stood = (texts: readonly string[]): Judgement => {
  const all = texts.map((text) => text.split(' '));
  return {
    faults: all
      .filter(([kind]) => kind !== 'inconclusive')
      .map(([kind, subject = '']) => ({ kind: kind as Blame['kind'], subject, reason: REASON })),
    inconclusive: all
      .filter(([kind]) => kind === 'inconclusive')
      .map(([, url = '', proxies]) => ({ url, proxies: Number(proxies), reason: REASON })),
  };
};

interface Situation {
  readonly when: string;
  readonly because: string;
  readonly fleet: Fleet;
  readonly standing?: readonly string[];
  readonly faultAfter?: number;
  readonly blame: readonly string[];
}

const TESTERS_10 = upTo(10).map((number) => `t${number}`);

const situations: Situation[] = [
  {
    when: 'nothing fails',
    because: 'there is nothing to blame',
    fleet: { proxies: 20 },
    blame: [],
  },
  {
    when: 'there are no results',
    because: 'there is nothing to judge',
    fleet: { proxies: 0 },
    blame: [],
  },
  {
    when: 'the only proxy fails everywhere',
    because: 'one proxy is too few to judge anything else',
    fleet: { proxies: 1, fails: () => true },
    blame: proxies(0),
  },
  {
    when: 'the only proxy fails from one of two testers',
    because: 'a tester is not judged from one proxy, so the failure remains the proxy’s',
    fleet: { proxies: 1, fails: ({ tester }) => tester === 't1' },
    blame: proxies(0),
  },
  {
    when: 'one of ten fails everywhere for one round',
    because: 'one round is fewer than fault_after',
    fleet: { proxies: 10, fails: ({ proxy, round }) => proxy === 3 && round === 0 },
    blame: [],
  },
  {
    when: 'one of ten fails everywhere for two rounds',
    because: 'testers and targets are sound for the other nine',
    fleet: { proxies: 10, fails: ({ proxy, round }) => proxy === 3 && round < 2 },
    blame: proxies(3),
  },
  {
    when: 'one of ten fails in its only round and fault_after is 1',
    because: 'one round is enough then',
    fleet: { proxies: 10, rounds: 1, fails: ({ proxy }) => proxy === 3 },
    faultAfter: 1,
    blame: proxies(3),
  },
  {
    when: 'one of ten cannot reach one target from any tester',
    because: 'the target is sound for the others: it is that proxy’s address',
    fleet: { proxies: 10, fails: ({ proxy, url }) => proxy === 3 && url === 'a' },
    blame: proxies(3),
  },
  {
    when: 'a tester is dead',
    because: 'every proxy gets through from the other tester',
    fleet: { proxies: 10, fails: ({ tester }) => tester === 't1' },
    blame: ['tester t1'],
  },
  {
    when: 'a tester is dead for five proxies',
    because: 'five are enough to judge it',
    fleet: { proxies: 5, fails: ({ tester }) => tester === 't1' },
    blame: ['tester t1'],
  },
  {
    when: 'a tester is dead for four proxies',
    because: 'four are too few to judge it, and what remains is the proxies’',
    fleet: { proxies: 4, fails: ({ tester }) => tester === 't1' },
    blame: proxies(0, 1, 2, 3),
  },
  {
    when: 'the newest round is a dead tester’s first',
    because: 'many proxies say it at once: no second round is needed',
    fleet: { proxies: 10, fails: ({ tester, round }) => tester === 't1' && round === 0 },
    blame: ['tester t1'],
  },
  {
    when: 'the only tester fails for nine proxies',
    because: 'there is no other tester to compare it with, and nine are too few for an outage',
    fleet: { proxies: 9, testers: ['t1'], fails: () => true },
    blame: proxies(...upTo(9)),
  },
  {
    when: 'the only tester fails for ten proxies',
    because: 'all proxies failing on all testers is an outage as far as anyone can tell',
    fleet: { proxies: 10, testers: ['t1'], fails: () => true },
    blame: ['provider'],
  },
  {
    when: 'nine of ten testers are dead',
    because: 'the tenth vouches for the proxies',
    fleet: { proxies: 10, testers: TESTERS_10, fails: ({ tester }) => tester !== 't9' },
    blame: TESTERS_10.slice(0, 9).map((tester) => `tester ${tester}`),
  },
  {
    when: 'a target fails for all',
    because: 'every proxy gets through to the other target',
    fleet: { proxies: 10, fails: ({ url }) => url === 'a' },
    blame: ['target a'],
  },
  {
    when: 'a target fails for all from the only tester',
    because: 'the tester gets through to the other target',
    fleet: { proxies: 10, testers: ['t1'], fails: ({ url }) => url === 'a' },
    blame: ['target a'],
  },
  {
    when: 'the only target fails from one tester',
    because: 'the other tester gets through to it',
    fleet: { proxies: 10, urls: ['a'], fails: ({ tester }) => tester === 't1' },
    blame: ['tester t1'],
  },
  {
    when: 'the only target fails for nine proxies from all testers',
    because: 'there is no other target to compare it with',
    fleet: { proxies: 9, urls: ['a'], fails: () => true },
    blame: proxies(...upTo(9)),
  },
  {
    when: 'a target blocks half of the proxies',
    because: 'half is enough, and it explains them',
    fleet: { proxies: 10, fails: ({ proxy, url }) => url === 'a' && proxy < 5 },
    blame: ['target a'],
  },
  {
    when: 'a target blocks all datacenter proxies, a fifth of the fleet',
    because: 'a target is judged for each product type too',
    fleet: {
      proxies: 30,
      productType: (proxy) => (proxy < 6 ? 'datacenter' : 'residential'),
      fails: ({ proxy, url }) => url === 'a' && proxy < 6,
    },
    blame: ['target a'],
  },
  {
    when: 'one target blocks datacenter proxies, the other residential ones',
    because: 'each is sound for the type that the other blocks',
    fleet: {
      proxies: 20,
      productType: (proxy) => (proxy < 10 ? 'datacenter' : 'residential'),
      fails: ({ proxy, url }) => (url === 'a') === proxy < 10,
    },
    blame: ['target a', 'target b'],
  },
  {
    when: 'a tester is dead and a target blocks',
    because: 'the tests that neither is in vouch for the rest',
    fleet: { proxies: 10, fails: ({ url, tester }) => url === 'a' || tester === 't1' },
    blame: ['target a', 'tester t1'],
  },
  {
    when: 'a tester is dead, a target blocks and two proxies are dead',
    because: 'a dead proxy fails where all others get through',
    fleet: {
      proxies: 20,
      fails: ({ proxy, url, tester }) => proxy < 2 || url === 'a' || tester === 't1',
    },
    blame: [...proxies(0, 1), 'target a', 'tester t1'],
  },
  {
    when: 'half of ten proxies fail everywhere',
    because: 'half of ten is an outage',
    fleet: { proxies: 10, fails: ({ proxy }) => proxy < 5 },
    blame: ['provider'],
  },
  {
    when: 'four of ten proxies fail everywhere',
    because: 'that is fewer than half',
    fleet: { proxies: 10, fails: ({ proxy }) => proxy < 4 },
    blame: proxies(0, 1, 2, 3),
  },
  {
    when: 'half of the proxies fail everywhere and one more at one target',
    because: 'the outage explains dead proxies, not this one',
    fleet: { proxies: 20, fails: ({ proxy, url }) => proxy < 10 || (proxy === 15 && url === 'a') },
    blame: ['provider', ...proxies(15)],
  },
  {
    when: 'a gateway’s hundred ports of three hundred proxies fail together',
    because: 'dead proxies vote on no tester and no target, and they are fewer than half',
    fleet: { proxies: 300, fails: ({ proxy }) => proxy < 100 },
    blame: proxies(...upTo(100)),
  },
  {
    when: 'sources and codes are unknown',
    because: 'the pattern decides, not what the provider calls it',
    fleet: {
      proxies: 10,
      fails: ({ proxy, tester }) => proxy === 3 || tester === 't1',
      error: { errorSource: null, errorCode: null },
    },
    blame: [...proxies(3), 'tester t1'],
  },
  {
    when: 'a dead tester calls it the target’s fault',
    because: 'the other tester gets through to that target',
    fleet: {
      proxies: 10,
      fails: ({ tester }) => tester === 't1',
      error: { errorSource: 'target', errorCode: 'bad_request' },
    },
    blame: ['tester t1'],
  },
  {
    when: 'one tester alone cannot reach one of three targets',
    because: 'it fails for every proxy alike, which says nothing of any of them',
    fleet: {
      proxies: 20,
      urls: ['a', 'b', 'c'],
      testers: ['t1', 't2', 't3'],
      fails: ({ url, tester }) => url === 'a' && tester === 't1',
    },
    blame: [],
  },
  {
    when: 'a tester fails every third proxy, each time another third',
    because: 'two failures in a row are chance there',
    fleet: {
      proxies: 27,
      rounds: 3,
      fails: ({ proxy, tester, round }) => tester === 't1' && Math.floor(proxy / 3 ** round) % 3 === 0,
    },
    blame: [],
  },
  {
    when: 'a proxy fails every other round',
    because: 'it never fails fault_after rounds in a row',
    fleet: { proxies: 10, rounds: 8, fails: ({ proxy, round }) => proxy === 3 && round % 2 === 0 },
    blame: [],
  },
  {
    when: 'a blamed proxy fails every other round',
    because: 'its blame does not flap with it',
    fleet: { proxies: 10, rounds: 8, fails: ({ proxy, round }) => proxy === 3 && round % 2 === 1 },
    standing: proxies(3),
    blame: proxies(3),
  },
  {
    when: 'a blamed proxy was sound for two rounds',
    because: 'its blame ends after fault_after of them',
    fleet: { proxies: 10, fails: ({ proxy, round }) => proxy === 3 && round === 2 },
    standing: proxies(3),
    blame: [],
  },
  {
    when: 'proxies were blamed for what a tester is now known for',
    because: 'what the tester explains is not said again per proxy',
    fleet: { proxies: 10, fails: ({ tester }) => tester === 't1' },
    standing: [...proxies(1, 2), 'tester t1'],
    blame: ['tester t1'],
  },
  {
    when: 'a blamed tester fails for a third of the proxies',
    because: 'it is not sound until fewer than a quarter fail',
    fleet: { proxies: 12, fails: ({ proxy, tester }) => tester === 't1' && proxy % 3 === 0 },
    standing: ['tester t1'],
    blame: ['tester t1'],
  },
  {
    when: 'a blamed tester fails every other round',
    because: 'its blame does not flap with it',
    fleet: { proxies: 12, fails: ({ tester, round }) => tester === 't1' && round % 2 === 1 },
    standing: ['tester t1'],
    blame: ['tester t1'],
  },
  {
    when: 'a blamed tester was sound for two rounds',
    because: 'it has recovered',
    fleet: { proxies: 12, fails: ({ tester, round }) => tester === 't1' && round === 2 },
    standing: ['tester t1'],
    blame: [],
  },
  {
    when: 'a fifth is still down after an outage',
    because: 'the outage is over below a quarter, once for two rounds, and they are the proxies’ own again',
    fleet: { proxies: 20, fails: ({ proxy }) => proxy < 4 },
    standing: ['provider'],
    blame: proxies(0, 1, 2, 3),
  },
  {
    when: 'a tester died in a long cycle, and a batch of 20 in 1,000 has been tested since',
    because: 'the newest votes count, not the older ones',
    fleet: {
      proxies: 1_000,
      at: (proxy) => -proxy,
      fails: ({ proxy, tester, round }) => tester === 't1' && proxy < 20 && round === 0,
    },
    blame: ['tester t1'],
  },
  {
    when: 'a tester died in a long cycle, and four of the batch were tested twice since',
    because: 'the tester explains the second failure too',
    fleet: {
      proxies: 1_000,
      at: (proxy) => (proxy < 20 ? 0 : -proxy),
      fails: ({ proxy, tester, round }) => tester === 't1' && proxy < 36 && round <= Number(proxy < 4),
    },
    standing: ['tester t1'],
    blame: ['tester t1'],
  },
  {
    when: 'a tester recovered in a long cycle, and a batch of 20 in 1,000 has been tested since',
    because: 'the others’ failures are from the time when it was dead',
    fleet: {
      proxies: 1_000,
      at: (proxy) => (proxy < 20 ? 0 : -proxy),
      fails: ({ proxy, tester }) => tester === 't1' && proxy >= 20,
    },
    standing: ['tester t1'],
    blame: [],
  },
  {
    when: 'a blamed proxy waits for its turn in a long cycle',
    because: 'blame ends with new results of its own alone',
    fleet: { proxies: 100, at: (proxy) => (proxy < 20 ? 0 : -proxy) },
    standing: proxies(50),
    blame: proxies(50),
  },
  {
    when: 'the newest batch of a long cycle failed everywhere, twice',
    because: 'that looks like an outage, but one batch is not half of all',
    fleet: { proxies: 1_000, at: (proxy) => (proxy < 20 ? 0 : -proxy), fails: ({ proxy }) => proxy < 20 },
    blame: [],
  },
  {
    when: 'four batches of a long cycle failed everywhere',
    because: 'the newest hundred proxies tell of an outage',
    fleet: { proxies: 1_000, at: (proxy) => -proxy, fails: ({ proxy }) => proxy < 80 },
    blame: ['provider'],
  },
  {
    when: 'half of a batch in a long cycle is dead, four of them tested again for that',
    because: 'a sample holds more dead proxies than the fleet, so half of it is not half of all',
    fleet: { proxies: 1_000, at: (proxy) => (proxy < 20 ? 0 : -proxy), fails: ({ proxy }) => proxy < 10 },
    blame: proxies(...upTo(10)),
  },
  {
    when: 'a proxy fails in the round after a tester has recovered',
    because: 'what the tester explained before does not count for the row',
    fleet: {
      proxies: 20,
      rounds: 8,
      fails: ({ proxy, tester, round }) => tester === 't1' && (round > 0 || proxy === 3),
    },
    blame: [],
  },
  {
    when: 'a proxy fails everywhere in the round after an outage',
    because: 'what the outage explained before does not count for the row',
    fleet: { proxies: 20, rounds: 8, fails: ({ proxy, round }) => round > 0 || proxy === 3 },
    blame: [],
  },
];

/** What results call the source of their error, where one target or one tester leaves nothing to compare. */
const says = (errorSource: string | null) => ({ errorSource, errorCode: errorSource && 'timeout' });
const ONE_TARGET = { urls: ['a'], fails: () => true };
const ONE_TESTER = { testers: ['t1'], fails: () => true };
const SINGLE = { urls: ['a'], testers: ['t1'], fails: () => true };

const uncompared: Situation[] = [
  ...[12, 8, 5, 4, 1].map((count) => ({
    when: `the only target is dead for ${count} proxies and the results say so`,
    because: 'the error source decides where there is nothing to compare',
    fleet: { ...ONE_TARGET, proxies: count, error: says('target') },
    blame: ['target a'],
  })),
  {
    when: 'the only target fails for four proxies in one round',
    because: 'few proxies say it for sure after fault_after rounds',
    fleet: { ...ONE_TARGET, proxies: 4, fails: ({ round }) => round === 0, error: says('target') },
    blame: [],
  },
  {
    when: 'the only target fails for five proxies in one round',
    because: 'many proxies say it at once',
    fleet: { ...ONE_TARGET, proxies: 5, fails: ({ round }) => round === 0, error: says('target') },
    blame: ['target a'],
  },
  {
    when: 'half of the proxies fail at the only target and the results blame it',
    because: 'half is enough',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ proxy }) => proxy < 6, error: says('target') },
    blame: ['target a'],
  },
  {
    when: 'three of twelve fail at the only target and the results blame it',
    because: 'the other proxies are a comparison too: it is those proxies’ addresses',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ proxy }) => proxy < 3, error: says('target') },
    blame: proxies(0, 1, 2),
  },
  {
    when: 'eight fail at the only target and the results blame the proxies',
    because: 'the error source decides',
    fleet: { ...ONE_TARGET, proxies: 8, error: says('proxy') },
    blame: proxies(...upTo(8)),
  },
  {
    when: 'twelve fail at the only target and the results blame the proxies',
    because: 'half of ten or more proxies is an outage',
    fleet: { ...ONE_TARGET, proxies: 12, error: says('proxy') },
    blame: ['provider'],
  },
  ...['client', 'unknown', null, 'a_new_one'].flatMap((source) => [
    {
      when: `twelve fail at the only target and the error source is ${source}`,
      because: 'that tells target and proxies from each other for nobody',
      fleet: { ...ONE_TARGET, proxies: 12, error: says(source) },
      blame: ['inconclusive a 12'],
    },
    {
      when: `the only proxy fails at the only target from the only tester and the error source is ${source}`,
      because: 'nothing vouches for any of the three',
      fleet: { ...SINGLE, proxies: 1, error: says(source) },
      blame: ['inconclusive a 1'],
    },
    {
      when: `twelve fail from the only tester and the error source is ${source}`,
      because: 'it may be the tester as well as the proxies',
      fleet: { ...ONE_TESTER, proxies: 12, error: says(source) },
      blame: ['inconclusive a 12', 'inconclusive b 12'],
    },
    {
      when: `three of twelve fail at the only target and the error source is ${source}`,
      because: 'nine proxies vouch for the target and the testers',
      fleet: {
        ...ONE_TARGET,
        proxies: 12,
        fails: ({ proxy }: { proxy: number }) => proxy < 3,
        error: says(source),
      },
      blame: proxies(0, 1, 2),
    },
  ]),
  {
    when: 'the only proxy fails everywhere, from the only tester at the only target, and the results blame it',
    because: 'the error source decides',
    fleet: { ...SINGLE, proxies: 1, error: says('proxy') },
    blame: proxies(0),
  },
  {
    when: 'twelve fail at both targets from the only tester and the results blame the targets',
    because: 'no other tester says otherwise',
    fleet: { ...ONE_TESTER, proxies: 12, error: says('target') },
    blame: ['target a', 'target b'],
  },
  {
    when: 'sources are mixed: seven of twelve say target, five say proxy',
    because: 'the target explains those that name it, and no more',
    fleet: { ...ONE_TARGET, proxies: 12, error: ({ proxy }) => says(proxy < 7 ? 'target' : 'proxy') },
    blame: [...proxies(7, 8, 9, 10, 11), 'target a'],
  },
  {
    when: 'sources are mixed: four say target, four say proxy, four say nothing',
    because: 'each proxy is told of by its own results, and a third is too few for the target',
    fleet: {
      ...ONE_TARGET,
      proxies: 12,
      error: ({ proxy }) => says(['target', 'proxy', null][proxy % 3] ?? null),
    },
    blame: ['inconclusive a 8', ...proxies(1, 4, 7, 10)],
  },
  {
    when: 'a proxy’s own results contradict each other',
    because: 'half of them is no majority',
    fleet: { ...ONE_TARGET, proxies: 8, error: ({ tester }) => says(tester === 't1' ? 'target' : 'proxy') },
    blame: ['inconclusive a 8'],
  },
  {
    when: 'every result of several targets and testers blames the target',
    because: 'the matrix decides where there is a comparison: the proxies fail everywhere',
    fleet: { proxies: 12, fails: () => true, error: says('target') },
    blame: ['provider'],
  },
  {
    when: 'the only target fails from one tester, which blames the target',
    because: 'the other tester gets through to it',
    fleet: { proxies: 10, urls: ['a'], fails: ({ tester }) => tester === 't1', error: says('target') },
    blame: ['tester t1'],
  },
  {
    when: 'a blamed only target fails for a third of the proxies',
    because: 'it is not sound until fewer than a quarter fail',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ proxy }) => proxy < 4, error: says('target') },
    standing: ['target a'],
    blame: ['target a'],
  },
  {
    when: 'a blamed only target was sound for one round',
    because: 'its blame does not flap',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ round }) => round > 0, error: says('target') },
    standing: ['target a'],
    blame: ['target a'],
  },
  {
    when: 'a blamed only target was sound for two rounds',
    because: 'it has recovered',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ round }) => round > 1, error: says('target') },
    standing: ['target a'],
    blame: [],
  },
  {
    when: 'failures that nothing attributed were over for one round',
    because: 'that does not flap either',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ round }) => round > 0, error: says(null) },
    standing: ['inconclusive a'],
    blame: ['inconclusive a 12'],
  },
  {
    when: 'failures that nothing attributed were over for two rounds',
    because: 'all is sound again',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ round }) => round > 1, error: says(null) },
    standing: ['inconclusive a'],
    blame: [],
  },
  {
    when: 'the only target has died after the proxies were blamed',
    because: 'the newest results blame it, and it explains what they failed of before',
    fleet: {
      ...ONE_TARGET,
      proxies: 8,
      rounds: 8,
      error: ({ round }) => says(round < 2 ? 'target' : 'proxy'),
    },
    standing: proxies(...upTo(8)),
    blame: ['target a'],
  },
];

describe('attributeFaults', () => {
  it.each([...situations, ...uncompared])(
    'when $when: $because',
    ({ fleet, standing = [], faultAfter = 2, blame }) => {
      expect(blamed(fleet, stood(standing), { ...OPTIONS, faultAfter })).toEqual(blame);
    },
  );

  it('leaves out a tester that the newest rounds did not use', () => {
    const retired = cellsOf({ proxies: 10, testers: ['old'], fails: () => true, at: () => -1 });
    expect(attributeFaults([...retired, ...cellsOf({ proxies: 10 })], NOTHING, OPTIONS)).toEqual(NOTHING);
  });

  it('starts and ends nothing without new results', () => {
    const old: Fleet = { proxies: 10, fails: ({ tester }) => tester === 't1', at: () => -1 };
    const standing = [...proxies(3), 'target a'];
    expect(blamed(old)).toEqual([]);
    expect(blamed(old, stood(standing))).toEqual(standing);
  });

  it('says why', () => {
    const reasons = (fleet: Fleet): string[] =>
      attributeFaults(cellsOf(fleet), NOTHING, OPTIONS).faults.map(({ reason }) => reason);
    const isp = { proxies: 20, productType: (proxy: number) => (proxy < 5 ? 'isp' : 'mobile') };
    expect(reasons({ proxies: 10, fails: ({ proxy, url }) => proxy === 3 && url === 'a' })).toEqual([
      '2 of 4 tests fail at a, 3 rounds in a row; proxy: timeout',
    ]);
    expect(reasons({ proxies: 1, fails: () => true, error: { errorSource: null, errorCode: null } })).toEqual(
      ['4 of 4 tests fail, 3 rounds in a row; no error given'],
    );
    expect(reasons({ proxies: 10, fails: ({ tester }) => tester === 't1' })).toEqual([
      '100 % of 10 proxies fail from it that other testers get through',
    ]);
    expect(reasons({ ...isp, fails: ({ proxy, url }) => url === 'a' && proxy < 5 })).toEqual([
      '100 % of 5 proxies of type isp fail at it and get through to other targets',
    ]);
    expect(reasons({ proxies: 10, fails: () => true })).toEqual([
      '100 % of 10 proxies fail in all their tests',
    ]);
  });

  const someOf = (all: readonly string[]): fc.Arbitrary<string[]> =>
    fc.subarray([...all], { maxLength: all.length - 1 });
  const URLS = ['a', 'b', 'c'];
  const TESTERS = ['t1', 't2', 't3'];

  it('never blames a healthy proxy for bad testers or targets, and always a dead one', () => {
    const world = fc.record({
      healthy: fc.integer({ min: 5, max: 60 }),
      dead: fc.integer({ min: 0, max: 4 }),
      badTesters: someOf(TESTERS),
      badUrls: someOf(URLS),
      rounds: fc.integer({ min: 2, max: 8 }),
      faultAfter: fc.integer({ min: 1, max: 2 }),
      badFor: fc.integer({ min: 1, max: 8 }),
    });
    fc.assert(
      fc.property(world, ({ healthy, dead, badTesters, badUrls, rounds, faultAfter, badFor }) => {
        const fleet: Fleet = {
          proxies: healthy + dead,
          urls: URLS,
          testers: TESTERS,
          rounds,
          fails: ({ proxy, url, tester, round }) =>
            proxy >= healthy || (round < badFor && (badTesters.includes(tester) || badUrls.includes(url))),
        };
        const expected = [
          ...proxies(...upTo(dead).map((index) => healthy + index)),
          ...badUrls.map((url) => `target ${url}`),
          ...badTesters.map((tester) => `tester ${tester}`),
        ];
        expect(blamed(fleet, NOTHING, { ...OPTIONS, faultAfter })).toEqual(expected);
      }),
    );
  });

  const anything = fc
    .array(
      fc.record({
        at: fc.integer({ min: -2, max: 2 }),
        histories: fc.array(fc.nat({ max: 7 }), { minLength: 4, maxLength: 4 }),
      }),
      {
        maxLength: 30,
      },
    )
    .map((fleet) =>
      cellsOf({ proxies: fleet.length, at: (proxy) => fleet[proxy]?.at ?? 0 }).map((cell, index) => {
        const history = fleet[Math.floor(index / 4)]?.histories[index % 4] ?? 0;
        return { ...cell, history };
      }),
    );

  it('does not depend on the order of the cells', () => {
    const shuffled = anything.chain((cells) =>
      fc.tuple(
        fc.constant(cells),
        fc.shuffledSubarray(cells, { minLength: cells.length, maxLength: cells.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([cells, others]) => {
        expect(attributeFaults(others, NOTHING, OPTIONS)).toEqual(attributeFaults(cells, NOTHING, OPTIONS));
      }),
    );
  });

  it('finds the same again when asked again', () => {
    fc.assert(
      fc.property(anything, (cells) => {
        const found = attributeFaults(cells, NOTHING, OPTIONS);
        expect(shown(attributeFaults(cells, found, OPTIONS))).toEqual(shown(found));
      }),
    );
  });

  /** What lives through rounds with one target, in which all fail in the first ones of each row. */
  const livedWith = (sources: readonly (string | null)[], count: number, faultAfter: number): string[][] => {
    let judgement = NOTHING;
    return sources.map((_, newest) => {
      const fleet: Fleet = {
        proxies: count,
        urls: ['a'],
        rounds: Math.min(8, newest + 1),
        fails: () => true,
        error: ({ round }) => says(sources[newest - round] ?? null),
      };
      judgement = attributeFaults(cellsOf(fleet), judgement, { ...OPTIONS, faultAfter });
      return shown(judgement);
    });
  };
  const source = fc.constantFrom('proxy', 'target', 'client', 'unknown', 'a_new_one', null);

  it('blames nobody but whom the error source names, where one target leaves nothing to compare', () => {
    fc.assert(
      fc.property(
        source,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 4 }),
        (each, count, after) => {
          const expected =
            each === 'target'
              ? ['target a']
              : each !== 'proxy'
                ? [`inconclusive a ${count}`]
                : count >= 10
                  ? ['provider']
                  : proxies(...upTo(count));
          expect(livedWith(Array(after + 2).fill(each), count, after).at(-1)).toEqual(expected);
        },
      ),
    );
  });

  it('leaves no failing proxy unsaid after fault_after rounds, whatever the sources are', () => {
    fc.assert(
      fc.property(
        fc.array(source, { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 1, max: 14 }),
        (sources, count) => {
          for (const said of livedWith(sources, count, 2).slice(1)) expect(said).not.toEqual([]);
        },
      ),
    );
  });

  it('does not flap where sources alternate', () => {
    fc.assert(
      fc.property(source, source, fc.integer({ min: 1, max: 14 }), (one, other, count) => {
        const lived = livedWith(
          Array.from({ length: 16 }, (_, round) => (round % 2 === 0 ? one : other)),
          count,
          2,
        ).map((said) => said.join(' '));
        expect(new Set(lived.slice(8)).size).toBe(1);
      }),
    );
  });
});
