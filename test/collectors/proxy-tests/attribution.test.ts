import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributedFault, Attribution } from '../../../src/collectors/faults/attribution.ts';
import { attributeFaults } from '../attribute-at-once.ts';
import { cellsOf, type Fleet, nameOf } from './fleet.ts';

const OPTIONS = { faultAfter: 2, since: 0 };
const NO_FAULTS: Attribution = { faults: [], inconclusive: [] };

/** Returns faults as `kind subject`, and failures of an unknown cause as `inconclusive url proxies`. */
const found = (fleet: Fleet, previous = NO_FAULTS, options = OPTIONS): string[] =>
  shown(attributeFaults(cellsOf(fleet), previous, options));

const shown = ({ faults, inconclusive }: Attribution): string[] => [
  ...inconclusive.map(({ url, proxies }) => `inconclusive ${url} ${proxies}`),
  ...faults.map(({ kind, subject }) => `${kind} ${subject}`.trim()),
];

const proxies = (...numbers: number[]): string[] => numbers.map((number) => `proxy ${nameOf(number)}`);
const upTo = (end: number): number[] => [...Array(end).keys()];
const REASON = 'as of before';
const attributionOf = (texts: readonly string[]): Attribution => {
  const all = texts.map((text) => text.split(' '));
  return {
    faults: all
      .filter(([kind]) => kind !== 'inconclusive')
      .map(([kind, subject = '']) => ({ kind: kind as AttributedFault['kind'], subject, reason: REASON })),
    inconclusive: all
      .filter(([kind]) => kind === 'inconclusive')
      .map(([, url = '', proxies]) => ({ url, proxies: Number(proxies), reason: REASON })),
  };
};

interface Situation {
  readonly when: string;
  readonly because: string;
  readonly fleet: Fleet;
  readonly previous?: readonly string[];
  readonly faultAfter?: number;
  readonly expected: readonly string[];
}

const TESTERS_10 = upTo(10).map((number) => `t${number}`);

const situations: Situation[] = [
  {
    when: 'nothing fails',
    because: 'there is no fault',
    fleet: { proxies: 20 },
    expected: [],
  },
  {
    when: 'there are no results',
    because: 'there is nothing to assess',
    fleet: { proxies: 0 },
    expected: [],
  },
  {
    when: 'the only proxy fails everywhere',
    because: 'one proxy is too few to assess anything else',
    fleet: { proxies: 1, fails: () => true },
    expected: proxies(0),
  },
  {
    when: 'the only proxy fails from one of two testers',
    because: 'no other proxy shows whether the tester or the proxy is at fault',
    fleet: { proxies: 1, fails: ({ tester }) => tester === 't1' },
    expected: ['inconclusive a 1', 'inconclusive b 1'],
  },
  {
    when: 'one of ten fails everywhere for one round',
    because: 'one round is fewer than fault_after',
    fleet: { proxies: 10, fails: ({ proxy, round }) => proxy === 3 && round === 0 },
    expected: [],
  },
  {
    when: 'one of ten fails everywhere for two rounds',
    because: 'testers and targets work for the other nine',
    fleet: { proxies: 10, fails: ({ proxy, round }) => proxy === 3 && round < 2 },
    expected: proxies(3),
  },
  {
    when: 'one of ten fails in its only round and fault_after is 1',
    because: 'one round is enough then',
    fleet: { proxies: 10, rounds: 1, fails: ({ proxy }) => proxy === 3 },
    faultAfter: 1,
    expected: proxies(3),
  },
  {
    when: 'one of ten cannot reach one target from any tester',
    because: 'the target works for the others, so the cause is that proxy’s address',
    fleet: { proxies: 10, fails: ({ proxy, url }) => proxy === 3 && url === 'a' },
    expected: proxies(3),
  },
  {
    when: 'a tester is dead',
    because: 'every proxy gets through from the other tester',
    fleet: { proxies: 10, fails: ({ tester }) => tester === 't1' },
    expected: ['tester t1'],
  },
  {
    when: 'a tester is dead for five proxies',
    because: 'five are enough to assess it',
    fleet: { proxies: 5, fails: ({ tester }) => tester === 't1' },
    expected: ['tester t1'],
  },
  {
    when: 'a tester is dead for four proxies',
    because: 'all of them agree in each round',
    fleet: { proxies: 4, fails: ({ tester }) => tester === 't1' },
    expected: ['tester t1'],
  },
  {
    when: 'a tester is dead in the newest round for the first time',
    because: 'many proxies show it at once, so no second round is needed',
    fleet: { proxies: 10, fails: ({ tester, round }) => tester === 't1' && round === 0 },
    expected: ['tester t1'],
  },
  {
    when: 'the only tester fails for nine proxies',
    because: 'there is no other tester to compare it with, and nine are too few for an outage',
    fleet: { proxies: 9, testers: ['t1'], fails: () => true },
    expected: proxies(...upTo(9)),
  },
  {
    when: 'the only tester fails for ten proxies',
    because: 'it looks like an outage if all proxies fail from all testers',
    fleet: { proxies: 10, testers: ['t1'], fails: () => true },
    expected: ['provider'],
  },
  {
    when: 'nine of ten testers are dead',
    because: 'the tenth shows that the proxies work',
    fleet: { proxies: 10, testers: TESTERS_10, fails: ({ tester }) => tester !== 't9' },
    expected: TESTERS_10.slice(0, 9).map((tester) => `tester ${tester}`),
  },
  {
    when: 'a target fails for all',
    because: 'every proxy gets through to the other target',
    fleet: { proxies: 10, fails: ({ url }) => url === 'a' },
    expected: ['target a'],
  },
  {
    when: 'a target fails for all from the only tester',
    because: 'the tester gets through to the other target',
    fleet: { proxies: 10, testers: ['t1'], fails: ({ url }) => url === 'a' },
    expected: ['target a'],
  },
  {
    when: 'the only target fails from one tester',
    because: 'the other tester gets through to it',
    fleet: { proxies: 10, urls: ['a'], fails: ({ tester }) => tester === 't1' },
    expected: ['tester t1'],
  },
  {
    when: 'the only target fails for nine proxies from all testers',
    because: 'there is no other target to compare it with',
    fleet: { proxies: 9, urls: ['a'], fails: () => true },
    expected: proxies(...upTo(9)),
  },
  {
    when: 'a target blocks half of the proxies',
    because: 'half is enough, and the target explains their failures',
    fleet: { proxies: 10, fails: ({ proxy, url }) => url === 'a' && proxy < 5 },
    expected: ['target a'],
  },
  {
    when: 'a target blocks all datacenter proxies, a fifth of the fleet',
    because: 'a target is also assessed for each product type',
    fleet: {
      proxies: 30,
      productType: (proxy) => (proxy < 6 ? 'datacenter' : 'residential'),
      fails: ({ proxy, url }) => url === 'a' && proxy < 6,
    },
    expected: ['target a'],
  },
  {
    when: 'one target blocks datacenter proxies, the other residential ones',
    because: 'each works for the type that the other blocks',
    fleet: {
      proxies: 20,
      productType: (proxy) => (proxy < 10 ? 'datacenter' : 'residential'),
      fails: ({ proxy, url }) => (url === 'a') === proxy < 10,
    },
    expected: ['target a', 'target b'],
  },
  {
    when: 'a tester is dead and a target blocks',
    because: 'the tests without that tester and target show that the rest works',
    fleet: { proxies: 10, fails: ({ url, tester }) => url === 'a' || tester === 't1' },
    expected: ['target a', 'tester t1'],
  },
  {
    when: 'a tester is dead, a target blocks and two proxies are dead',
    because: 'a dead proxy fails where all others get through',
    fleet: {
      proxies: 20,
      fails: ({ proxy, url, tester }) => proxy < 2 || url === 'a' || tester === 't1',
    },
    expected: [...proxies(0, 1), 'target a', 'tester t1'],
  },
  {
    when: 'half of ten proxies fail everywhere',
    because: 'half of ten is an outage',
    fleet: { proxies: 10, fails: ({ proxy }) => proxy < 5 },
    expected: ['provider'],
  },
  {
    when: 'four of ten proxies fail everywhere',
    because: 'that is fewer than half',
    fleet: { proxies: 10, fails: ({ proxy }) => proxy < 4 },
    expected: proxies(0, 1, 2, 3),
  },
  {
    when: 'half of the proxies fail everywhere and one more at one target',
    because: 'the outage explains the dead proxies, but not this one',
    fleet: { proxies: 20, fails: ({ proxy, url }) => proxy < 10 || (proxy === 15 && url === 'a') },
    expected: ['provider', ...proxies(15)],
  },
  {
    when: 'the hundred ports of a gateway fail together, among three hundred proxies',
    because: 'dead proxies do not vote on testers or targets, and they are fewer than half',
    fleet: { proxies: 300, fails: ({ proxy }) => proxy < 100 },
    expected: proxies(...upTo(100)),
  },
  {
    when: 'sources and codes are unknown',
    because: 'the pattern decides, not the provider’s error source',
    fleet: {
      proxies: 10,
      fails: ({ proxy, tester }) => proxy === 3 || tester === 't1',
      error: { errorSource: null, errorCode: null },
    },
    expected: [...proxies(3), 'tester t1'],
  },
  {
    when: 'a dead tester names the target as the error source',
    because: 'the other tester gets through to that target',
    fleet: {
      proxies: 10,
      fails: ({ tester }) => tester === 't1',
      error: { errorSource: 'target', errorCode: 'bad_request' },
    },
    expected: ['tester t1'],
  },
  {
    when: 'one tester alone cannot reach one of three targets',
    because: 'it fails for every proxy, and both the tester and the target work otherwise',
    fleet: {
      proxies: 20,
      urls: ['a', 'b', 'c'],
      testers: ['t1', 't2', 't3'],
      fails: ({ url, tester }) => url === 'a' && tester === 't1',
    },
    expected: ['inconclusive a 20'],
  },
  {
    when: 'a tester fails every third proxy, each time another third',
    because: 'two failures in a row are likely by chance there',
    fleet: {
      proxies: 27,
      rounds: 3,
      fails: ({ proxy, tester, round }) => tester === 't1' && Math.floor(proxy / 3 ** round) % 3 === 0,
    },
    expected: [],
  },
  {
    when: 'a proxy fails every other round',
    because: 'it never fails fault_after rounds in a row',
    fleet: { proxies: 10, rounds: 8, fails: ({ proxy, round }) => proxy === 3 && round % 2 === 0 },
    expected: [],
  },
  {
    when: 'a proxy at fault fails every other round',
    because: 'its fault does not flap with it',
    fleet: { proxies: 10, rounds: 8, fails: ({ proxy, round }) => proxy === 3 && round % 2 === 1 },
    previous: proxies(3),
    expected: proxies(3),
  },
  {
    when: 'a proxy at fault succeeded for two rounds',
    because: 'its fault ends after fault_after such rounds',
    fleet: { proxies: 10, fails: ({ proxy, round }) => proxy === 3 && round === 2 },
    previous: proxies(3),
    expected: [],
  },
  {
    when: 'proxies were at fault for failures that a tester explains now',
    because: 'failures that the tester explains do not count against proxies',
    fleet: { proxies: 10, fails: ({ tester }) => tester === 't1' },
    previous: [...proxies(1, 2), 'tester t1'],
    expected: ['tester t1'],
  },
  {
    when: 'a tester at fault fails for a third of the proxies',
    because: 'it is not healthy until fewer than a quarter fail',
    fleet: { proxies: 12, fails: ({ proxy, tester }) => tester === 't1' && proxy % 3 === 0 },
    previous: ['tester t1'],
    expected: ['tester t1'],
  },
  {
    when: 'a tester at fault fails every other round',
    because: 'its fault does not flap with it',
    fleet: { proxies: 12, fails: ({ tester, round }) => tester === 't1' && round % 2 === 1 },
    previous: ['tester t1'],
    expected: ['tester t1'],
  },
  {
    when: 'a tester at fault worked for two rounds',
    because: 'it has recovered',
    fleet: { proxies: 12, fails: ({ tester, round }) => tester === 't1' && round === 2 },
    previous: ['tester t1'],
    expected: [],
  },
  {
    when: 'a fifth is still down after an outage',
    because:
      'the outage ends below a quarter after two rounds, and the proxies are at fault themselves again',
    fleet: { proxies: 20, fails: ({ proxy }) => proxy < 4 },
    previous: ['provider'],
    expected: proxies(0, 1, 2, 3),
  },
  {
    when: 'a tester died in a long cycle, and a batch of 20 in 1,000 has been tested since',
    because: 'the newest votes count, not the older ones',
    fleet: {
      proxies: 1_000,
      at: (proxy) => -proxy,
      fails: ({ proxy, tester, round }) => tester === 't1' && proxy < 20 && round === 0,
    },
    expected: ['tester t1'],
  },
  {
    when: 'a tester died in a long cycle, and four of the batch were tested twice since',
    because: 'the tester explains the second failure as well',
    fleet: {
      proxies: 1_000,
      at: (proxy) => (proxy < 20 ? 0 : -proxy),
      fails: ({ proxy, tester, round }) => tester === 't1' && proxy < 36 && round <= Number(proxy < 4),
    },
    previous: ['tester t1'],
    expected: ['tester t1'],
  },
  {
    when: 'a tester recovered in a long cycle, and a batch of 20 in 1,000 has been tested since',
    because: 'the others’ failures are from the time when it was dead',
    fleet: {
      proxies: 1_000,
      at: (proxy) => (proxy < 20 ? 0 : -proxy),
      fails: ({ proxy, tester }) => tester === 't1' && proxy >= 20,
    },
    previous: ['tester t1'],
    expected: [],
  },
  {
    when: 'a proxy at fault waits for its turn in a long cycle',
    because: 'its fault ends only with its own new results',
    fleet: { proxies: 100, at: (proxy) => (proxy < 20 ? 0 : -proxy) },
    previous: proxies(50),
    expected: proxies(50),
  },
  {
    when: 'the newest batch of a long cycle failed everywhere, twice',
    because: 'that looks like an outage, but one batch is not half of all',
    fleet: { proxies: 1_000, at: (proxy) => (proxy < 20 ? 0 : -proxy), fails: ({ proxy }) => proxy < 20 },
    expected: [],
  },
  {
    when: 'four batches of a long cycle failed everywhere',
    because: 'the newest hundred proxies show an outage',
    fleet: { proxies: 1_000, at: (proxy) => -proxy, fails: ({ proxy }) => proxy < 80 },
    expected: ['provider'],
  },
  {
    when: 'half of a batch in a long cycle is dead, and four of those are retests',
    because: 'a sample contains more dead proxies than the fleet, so half of it is not half of all',
    fleet: { proxies: 1_000, at: (proxy) => (proxy < 20 ? 0 : -proxy), fails: ({ proxy }) => proxy < 10 },
    expected: proxies(...upTo(10)),
  },
  {
    when: 'a proxy fails in the round after a tester has recovered',
    because: 'earlier failures that the tester explained do not count for the row',
    fleet: {
      proxies: 20,
      rounds: 8,
      fails: ({ proxy, tester, round }) => tester === 't1' && (round > 0 || proxy === 3),
    },
    expected: [],
  },
  {
    when: 'a proxy fails everywhere in the round after an outage',
    because: 'earlier failures that the outage explained do not count for the row',
    fleet: { proxies: 20, rounds: 8, fails: ({ proxy, round }) => round > 0 || proxy === 3 },
    expected: [],
  },
];

/** The error source of the results, where one target or one tester leaves nothing to compare. */
const withSource = (errorSource: string | null) => ({ errorSource, errorCode: errorSource && 'timeout' });
const ONE_TARGET = { urls: ['a'], fails: () => true };
const ONE_TESTER = { testers: ['t1'], fails: () => true };
const SINGLE = { urls: ['a'], testers: ['t1'], fails: () => true };

const uncompared: Situation[] = [
  ...[12, 8, 5, 4, 1].map((count) => ({
    when: `the only target is dead for ${count} proxies and the results name it`,
    because: 'the error source decides where there is nothing to compare',
    fleet: { ...ONE_TARGET, proxies: count, error: withSource('target') },
    expected: ['target a'],
  })),
  {
    when: 'the only target fails for four proxies in one round',
    because: 'few proxies are enough only after fault_after rounds',
    fleet: { ...ONE_TARGET, proxies: 4, fails: ({ round }) => round === 0, error: withSource('target') },
    expected: [],
  },
  {
    when: 'the only target fails for five proxies in one round',
    because: 'many proxies show it at once',
    fleet: { ...ONE_TARGET, proxies: 5, fails: ({ round }) => round === 0, error: withSource('target') },
    expected: ['target a'],
  },
  {
    when: 'half of the proxies fail at the only target and the results name it',
    because: 'half is enough',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ proxy }) => proxy < 6, error: withSource('target') },
    expected: ['target a'],
  },
  {
    when: 'three of twelve fail at the only target and the results name it',
    because: 'the other proxies are a comparison too, so the cause is those proxies’ addresses',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ proxy }) => proxy < 3, error: withSource('target') },
    expected: proxies(0, 1, 2),
  },
  {
    when: 'eight fail at the only target and the results name the proxies',
    because: 'the error source decides',
    fleet: { ...ONE_TARGET, proxies: 8, error: withSource('proxy') },
    expected: proxies(...upTo(8)),
  },
  {
    when: 'twelve fail at the only target and the results name the proxies',
    because: 'half of ten or more proxies is an outage',
    fleet: { ...ONE_TARGET, proxies: 12, error: withSource('proxy') },
    expected: ['provider'],
  },
  ...['client', 'unknown', null, 'a_new_one'].flatMap((source) => [
    {
      when: `twelve fail at the only target and the error source is ${source}`,
      because: 'it does not distinguish the target from the proxies',
      fleet: { ...ONE_TARGET, proxies: 12, error: withSource(source) },
      expected: ['inconclusive a 12'],
    },
    {
      when: `the only proxy fails at the only target from the only tester and the error source is ${source}`,
      because: 'nothing shows that any of the three works',
      fleet: { ...SINGLE, proxies: 1, error: withSource(source) },
      expected: ['inconclusive a 1'],
    },
    {
      when: `twelve fail from the only tester and the error source is ${source}`,
      because: 'the cause may be the tester or the proxies',
      fleet: { ...ONE_TESTER, proxies: 12, error: withSource(source) },
      expected: ['inconclusive a 12', 'inconclusive b 12'],
    },
    {
      when: `three of twelve fail at the only target and the error source is ${source}`,
      because: 'nine proxies show that the target and the testers work',
      fleet: {
        ...ONE_TARGET,
        proxies: 12,
        fails: ({ proxy }: { proxy: number }) => proxy < 3,
        error: withSource(source),
      },
      expected: proxies(0, 1, 2),
    },
  ]),
  {
    when: 'the only proxy fails everywhere, from the only tester at the only target, and the results name it',
    because: 'the error source decides',
    fleet: { ...SINGLE, proxies: 1, error: withSource('proxy') },
    expected: proxies(0),
  },
  {
    when: 'twelve fail at both targets from the only tester and the results name the targets',
    because: 'no other tester contradicts them',
    fleet: { ...ONE_TESTER, proxies: 12, error: withSource('target') },
    expected: ['target a', 'target b'],
  },
  {
    when: 'sources are mixed: seven of twelve name the target, five the proxy',
    because: 'the target explains only the failures that name it',
    fleet: { ...ONE_TARGET, proxies: 12, error: ({ proxy }) => withSource(proxy < 7 ? 'target' : 'proxy') },
    expected: [...proxies(7, 8, 9, 10, 11), 'target a'],
  },
  {
    when: 'sources are mixed: four name the target, four the proxy, four nothing',
    because: 'each proxy is assessed by its own results, and a third is too few for the target',
    fleet: {
      ...ONE_TARGET,
      proxies: 12,
      error: ({ proxy }) => withSource(['target', 'proxy', null][proxy % 3] ?? null),
    },
    expected: ['inconclusive a 8', ...proxies(1, 4, 7, 10)],
  },
  {
    when: 'a proxy’s own results contradict each other',
    because: 'half of them is no majority',
    fleet: {
      ...ONE_TARGET,
      proxies: 8,
      error: ({ tester }) => withSource(tester === 't1' ? 'target' : 'proxy'),
    },
    expected: ['inconclusive a 8'],
  },
  {
    when: 'every result of several targets and testers names the target',
    because: 'either both targets or the provider can be down',
    fleet: { proxies: 12, fails: () => true, error: withSource('target') },
    expected: ['inconclusive a 12', 'inconclusive b 12'],
  },
  {
    when: 'the only target fails from one tester, which names the target',
    because: 'the other tester gets through to it',
    fleet: { proxies: 10, urls: ['a'], fails: ({ tester }) => tester === 't1', error: withSource('target') },
    expected: ['tester t1'],
  },
  {
    when: 'the only target is at fault and fails for a third of the proxies',
    because: 'it is not healthy until fewer than a quarter fail',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ proxy }) => proxy < 4, error: withSource('target') },
    previous: ['target a'],
    expected: ['target a'],
  },
  {
    when: 'the only target is at fault and worked for one round',
    because: 'its fault does not flap',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ round }) => round > 0, error: withSource('target') },
    previous: ['target a'],
    expected: ['target a'],
  },
  {
    when: 'the only target is at fault and worked for two rounds',
    because: 'it has recovered',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ round }) => round > 1, error: withSource('target') },
    previous: ['target a'],
    expected: [],
  },
  {
    when: 'failures of an unknown cause stopped one round ago',
    because: 'inconclusive urls do not flap either',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ round }) => round > 0, error: withSource(null) },
    previous: ['inconclusive a'],
    expected: ['inconclusive a 12'],
  },
  {
    when: 'failures of an unknown cause stopped two rounds ago',
    because: 'everything works again',
    fleet: { ...ONE_TARGET, proxies: 12, fails: ({ round }) => round > 1, error: withSource(null) },
    previous: ['inconclusive a'],
    expected: [],
  },
  {
    when: 'the only target has died after the proxies were at fault',
    because: 'the newest results name the target, which then explains the earlier failures too',
    fleet: {
      ...ONE_TARGET,
      proxies: 8,
      rounds: 8,
      error: ({ round }) => withSource(round < 2 ? 'target' : 'proxy'),
    },
    previous: proxies(...upTo(8)),
    expected: ['target a'],
  },
];

describe('attributeFaults', () => {
  it.each([...situations, ...uncompared])(
    'when $when: $because',
    ({ fleet, previous = [], faultAfter = 2, expected }) => {
      expect(found(fleet, attributionOf(previous), { ...OPTIONS, faultAfter })).toEqual(expected);
    },
  );

  it('leaves out a tester that the newest rounds did not use', () => {
    const retired = cellsOf({ proxies: 10, testers: ['old'], fails: () => true, at: () => -1 });
    expect(attributeFaults([...retired, ...cellsOf({ proxies: 10 })], NO_FAULTS, OPTIONS)).toEqual(NO_FAULTS);
  });

  it('starts and ends no fault without new results', () => {
    const old: Fleet = { proxies: 10, fails: ({ tester }) => tester === 't1', at: () => -1 };
    const previous = [...proxies(3), 'target a'];
    expect(found(old)).toEqual([]);
    expect(found(old, attributionOf(previous))).toEqual(previous);
  });

  it('gives the reason of each fault', () => {
    const reasons = (fleet: Fleet): string[] =>
      attributeFaults(cellsOf(fleet), NO_FAULTS, OPTIONS).faults.map(({ reason }) => reason);
    const isp = { proxies: 20, productType: (proxy: number) => (proxy < 5 ? 'isp' : 'mobile') };
    expect(reasons({ proxies: 10, fails: ({ proxy, url }) => proxy === 3 && url === 'a' })).toEqual([
      '2 of 4 tests fail at a, 3 rounds in a row; the testers report an error of the proxy: timeout',
    ]);
    expect(reasons({ proxies: 1, fails: () => true, error: { errorSource: null, errorCode: null } })).toEqual(
      ['4 of 4 tests fail, 3 rounds in a row; the testers report an error without a code'],
    );
    expect(reasons({ proxies: 10, fails: ({ tester }) => tester === 't1' })).toEqual([
      '100% of 10 proxies fail from this tester and pass from others',
    ]);
    expect(reasons({ ...isp, fails: ({ proxy, url }) => url === 'a' && proxy < 5 })).toEqual([
      '100% of 5 proxies of type isp fail at this target and pass at others',
    ]);
    const blocked: Fleet = { ...isp, fails: ({ proxy, url }) => url === 'a' && proxy < 5 };
    expect(attributeFaults(cellsOf(blocked), NO_FAULTS, OPTIONS).faults).toMatchObject([
      { kind: 'target', subject: 'a', scope: { productTypes: ['isp'], isNamed: false } },
    ]);
    expect(reasons({ proxies: 10, fails: () => true })).toEqual(['100% of 10 proxies fail all their tests']);
  });

  it('counts all failing tests of a dead proxy in its reason, and says which failures of another do not count', () => {
    const reasonOf = (fails: Fleet['fails'] & {}): string | undefined =>
      attributeFaults(
        cellsOf({ proxies: 12, fails: (each) => each.url === 'b' || (each.proxy === 3 && fails(each)) }),
        NO_FAULTS,
        OPTIONS,
      ).faults.find(({ kind }) => kind === 'proxy')?.reason;
    expect(reasonOf(() => true)).toBe(
      '4 of 4 tests fail, 3 rounds in a row; the testers report an error of the proxy: timeout',
    );
    expect(reasonOf(({ tester }) => tester === 't1')).toBe(
      '1 of 4 tests fail at a from t1, 3 rounds in a row; the testers report an error of the proxy: timeout; 2 more failing tests do not count against the proxy',
    );
  });

  it('says of a recovering fault what keeps it', () => {
    const reasonOf = (fails: Fleet['fails'] & {}): string | undefined =>
      attributeFaults(cellsOf({ proxies: 12, fails }), attributionOf(['target a']), OPTIONS).faults[0]
        ?.reason;
    expect(reasonOf(({ url, round }) => url === 'a' && round === 1)).toBe(
      'it is recovering (0% of 12 proxies fail at this target and pass at others), but the fault ends only after more such rounds',
    );
    expect(reasonOf(({ url, proxy }) => url === 'a' && proxy % 3 === 0)).toBe(
      'it is recovering (33% of 12 proxies fail at this target and pass at others), but the fault ends only below 25%',
    );
  });

  const someOf = (all: readonly string[]): fc.Arbitrary<string[]> =>
    fc.subarray([...all], { maxLength: all.length - 1 });
  const URLS = ['a', 'b', 'c'];
  const TESTERS = ['t1', 't2', 't3'];

  it('never attributes a bad tester or target to a healthy proxy, and always finds a dead one', () => {
    const situation = fc.record({
      healthy: fc.integer({ min: 5, max: 60 }),
      dead: fc.integer({ min: 0, max: 4 }),
      badTesters: someOf(TESTERS),
      badUrls: someOf(URLS),
      rounds: fc.integer({ min: 2, max: 8 }),
      faultAfter: fc.integer({ min: 1, max: 2 }),
      badFor: fc.integer({ min: 1, max: 8 }),
    });
    fc.assert(
      fc.property(situation, ({ healthy, dead, badTesters, badUrls, rounds, faultAfter, badFor }) => {
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
        expect(found(fleet, NO_FAULTS, { ...OPTIONS, faultAfter })).toEqual(expected);
      }),
    );
  });

  const anyCells = fc
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
    const shuffled = anyCells.chain((cells) =>
      fc.tuple(
        fc.constant(cells),
        fc.shuffledSubarray(cells, { minLength: cells.length, maxLength: cells.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([cells, others]) => {
        expect(attributeFaults(others, NO_FAULTS, OPTIONS)).toEqual(
          attributeFaults(cells, NO_FAULTS, OPTIONS),
        );
      }),
    );
  });

  it('finds the same faults when it is repeated with the same cells', () => {
    fc.assert(
      fc.property(anyCells, (cells) => {
        const first = attributeFaults(cells, NO_FAULTS, OPTIONS);
        expect(shown(attributeFaults(cells, first, OPTIONS))).toEqual(shown(first));
      }),
    );
  });

  /** Returns the result of each of several rounds with one target in which all proxies fail, with these error sources. */
  const simulate = (sources: readonly (string | null)[], count: number, faultAfter: number): string[][] => {
    let attribution = NO_FAULTS;
    return sources.map((_, newest) => {
      const fleet: Fleet = {
        proxies: count,
        urls: ['a'],
        rounds: Math.min(8, newest + 1),
        fails: () => true,
        error: ({ round }) => withSource(sources[newest - round] ?? null),
      };
      attribution = attributeFaults(cellsOf(fleet), attribution, { ...OPTIONS, faultAfter });
      return shown(attribution);
    });
  };
  const source = fc.constantFrom('proxy', 'target', 'client', 'unknown', 'a_new_one', null);

  it('attributes failures only to what the error source names, if one target leaves nothing to compare', () => {
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
          expect(simulate(Array(after + 2).fill(each), count, after).at(-1)).toEqual(expected);
        },
      ),
    );
  });

  it('reports every failing proxy after fault_after rounds, whatever the error sources are', () => {
    fc.assert(
      fc.property(
        fc.array(source, { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 1, max: 14 }),
        (sources, count) => {
          for (const result of simulate(sources, count, 2).slice(1)) expect(result).not.toEqual([]);
        },
      ),
    );
  });

  it('does not flap if error sources alternate', () => {
    fc.assert(
      fc.property(source, source, fc.integer({ min: 1, max: 14 }), (one, other, count) => {
        const results = simulate(
          Array.from({ length: 16 }, (_, round) => (round % 2 === 0 ? one : other)),
          count,
          2,
        ).map((result) => result.join(' '));
        expect(new Set(results.slice(8)).size).toBe(1);
      }),
    );
  });
});
