// Tests what is at fault for failing probes: proxy, access from here, target, provider, or nobody.

import { describe, expect, it } from 'vitest';
import type { AttributedFault, Attribution } from '../../../src/collectors/faults/attribution.ts';
import { attributeProbes } from '../attribute-at-once.ts';
import { evidenceOf, NOW, nameOf, type Outcome, type ProbedFleet } from './probe-evidence.ts';

const OPTIONS = { faultAfter: 2, since: NOW };
const NOTHING: Attribution = { faults: [], inconclusive: [] };

const attribute = (fleet: ProbedFleet, previous = NOTHING): Attribution =>
  attributeProbes(evidenceOf(fleet), previous, OPTIONS);

/** Returns faults as `kind subject`, and failures of an unknown cause as `inconclusive url proxies`. */
const found = (fleet: ProbedFleet, previous: readonly string[] = []): string[] => {
  const { faults, inconclusive } = attribute(fleet, attributionOf(previous));
  return [
    ...inconclusive.map(({ url, proxies }) => `inconclusive ${url} ${proxies}`),
    ...faults.map(({ kind, subject }) => `${kind} ${subject}`.trim()),
  ];
};

const attributionOf = (texts: readonly string[]): Attribution => ({
  faults: texts.map((text) => {
    const [kind = '', subject = ''] = text.split(' ');
    return { kind: kind as AttributedFault['kind'], subject, reason: 'as of before' };
  }),
  inconclusive: [],
});

const all = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, proxy) => `${kind} ${nameOf(proxy)}`);

/** The proxies below `count` fail in all their probes of the newest rounds. */
const dead =
  (count: number, code = 'connect_refused', rounds = 3): Outcome =>
  ({ proxy, round }) =>
    proxy < count && round < rounds ? code : null;
const at =
  (where: string, code: string, count = 99): Outcome =>
  ({ proxy, url }) =>
    proxy < count && url === where ? code : null;
const passing = () => true;
const failing = () => false;

interface Situation {
  readonly when: string;
  readonly because: string;
  readonly fleet: ProbedFleet;
  readonly previous?: readonly string[];
  readonly expected: readonly string[];
}

const situations: Situation[] = [
  {
    when: 'nothing fails',
    because: 'there is no fault',
    fleet: { proxies: 10, testers: passing },
    expected: [],
  },
  {
    when: 'our line is down',
    because: 'no control gets an answer and no proxy answers, so nobody else is blamed',
    fleet: { proxies: 20, fails: dead(20), failingControls: { a: 3, b: 3 }, testers: passing },
    expected: [],
  },
  {
    when: 'our line is down while a proxy and a target are at fault',
    because: 'faults neither begin nor end in that round',
    fleet: { proxies: 20, fails: dead(20), failingControls: { a: 1, b: 1 } },
    previous: ['proxy p03', 'target a'],
    expected: ['proxy p03', 'target a'],
  },
  {
    when: 'our line was down for two rounds and one proxy fails in the first round after it',
    because: 'the rounds in which the line was down do not count',
    fleet: {
      proxies: 10,
      fails: ({ proxy, round }) => (round > 0 ? 'here' : proxy === 3 ? 'connect_refused' : null),
      testers: passing,
    },
    expected: [],
  },
  {
    when: 'one proxy is down for everybody',
    because: 'it fails from both, and the proxy tests have not found it yet',
    fleet: { proxies: 10, fails: dead(1), testers: (proxy) => proxy !== 0 },
    expected: ['proxy p00'],
  },
  {
    when: 'one proxy is down for everybody, and the proxy tests have found it',
    because: 'it is not a second fault from here',
    fleet: { proxies: 10, fails: dead(1), testers: (proxy) => proxy !== 0, testedAtFault: [0] },
    expected: [],
  },
  {
    when: 'one proxy is down, and the provider tested it before that',
    because: 'nothing shows a fault of the proxy itself, and the testers passed not long ago',
    fleet: { proxies: 10, fails: dead(1), testers: passing, testedRoundsAgo: 3 },
    expected: ['access p00'],
  },
  {
    when: 'one proxy is down, and the provider tested it in the round in which it began to fail',
    because: 'it fails from here only',
    fleet: { proxies: 10, fails: dead(1), testers: passing, testedRoundsAgo: 2 },
    expected: ['access p00'],
  },
  {
    when: 'one proxy is down and the provider does not test it',
    because: 'the other proxies and the controls show that everything else works',
    fleet: { proxies: 10, fails: dead(1) },
    expected: ['proxy p00'],
  },
  {
    when: 'the only proxy is down and the provider does not test it',
    because: 'the controls show that this machine and the targets work',
    fleet: { proxies: 1, fails: dead(1) },
    expected: ['proxy p00'],
  },
  {
    when: 'the only proxy ends the connection after the tunnel at both targets',
    because: 'the controls show that both targets work',
    fleet: { proxies: 1, fails: dead(1, 'tls_reset') },
    expected: ['proxy p00'],
  },
  {
    when: 'one proxy fails from here only',
    because: 'the provider’s testers pass through it',
    fleet: { proxies: 10, fails: dead(1), testers: passing },
    expected: ['access p00'],
  },
  {
    when: 'one proxy fails from here only, for one round',
    because: 'one round is fewer than fault_after',
    fleet: { proxies: 10, fails: dead(1, 'connect_refused', 1), testers: passing },
    expected: [],
  },
  {
    when: '49 of 50 proxies fail from here only',
    because: 'the provider’s testers show that the provider works',
    fleet: { proxies: 50, fails: dead(49, 'connect_timeout'), testers: passing },
    expected: all('access', 49),
  },
  {
    when: 'the credentials are wrong and the provider does not test the proxies',
    because: 'a refusal of the credentials names their owner',
    fleet: { proxies: 12, fails: dead(12, 'tunnel_credentials') },
    expected: all('access', 12),
  },
  {
    when: 'the credentials are wrong for the provider’s testers too',
    because: 'they are the customer’s own settings, although the proxies fail everywhere',
    fleet: {
      proxies: 12,
      fails: dead(12, 'tunnel_credentials'),
      testers: failing,
      testedAtFault: Array.from({ length: 12 }, (_, proxy) => proxy),
    },
    expected: all('access', 12),
  },
  {
    when: 'the quota is used up',
    because: 'it belongs to the user’s bytes',
    fleet: { proxies: 12, fails: dead(12, 'tunnel_quota'), testers: passing },
    expected: [],
  },
  {
    when: 'the quota is used up while a proxy is at fault',
    because: 'the refusal does not show that the proxy works again',
    fleet: { proxies: 12, fails: dead(12, 'tunnel_quota') },
    previous: ['access p01', 'proxy p02'],
    expected: ['access p01', 'proxy p02'],
  },
  {
    when: 'a proxy fails once after the quota was used up',
    because: 'the refusals before it do not count as failures',
    fleet: {
      proxies: 12,
      fails: ({ proxy, round }) => (round > 0 ? 'tunnel_quota' : proxy === 3 ? 'connect_refused' : null),
      testers: passing,
    },
    expected: [],
  },
  {
    when: 'a target is blocked through proxies only',
    because: 'its control works, and the proxies pass elsewhere',
    fleet: { proxies: 10, fails: at('a', 'response_status') },
    expected: ['target a'],
  },
  {
    when: 'a target is blocked through proxies only, also from the provider’s testers',
    because: 'the proxies still pass elsewhere',
    fleet: { proxies: 10, fails: at('a', 'tls_reset'), testers: (_, url) => url !== 'a' },
    expected: ['target a'],
  },
  {
    when: 'the only target refuses all proxies, and the results name it',
    because: 'its control works',
    fleet: { proxies: 10, urls: ['a'], fails: at('a', 'response_status') },
    expected: ['target a'],
  },
  {
    when: 'the only target does not answer through any proxy',
    because: 'nothing shows whether the target or the proxies are at fault',
    fleet: { proxies: 10, urls: ['a'], fails: at('a', 'tls_timeout') },
    expected: ['inconclusive a 10'],
  },
  {
    when: 'a proxy fails at one target that works through the others',
    because: 'the target blocks the address of this proxy',
    fleet: { proxies: 10, fails: at('a', 'response_status', 1) },
    expected: ['proxy p00'],
  },
  {
    when: 'a target fails through proxies and without one',
    because: 'the failures behind the proxies agree with its control',
    fleet: { proxies: 10, fails: at('a', 'tls_reset'), failingControls: { a: 3 } },
    expected: ['target a'],
  },
  {
    when: 'a target fails through proxies and without one, in too few rounds',
    because: 'it can be over soon, and its probes show nothing',
    fleet: { proxies: 10, fails: at('a', 'tls_reset'), failingControls: { a: 1 } },
    expected: ['inconclusive a 10'],
  },
  {
    when: 'the control of a target fails, and the proxies do not get as far as the target',
    because: 'the probes show nothing about the target',
    fleet: { proxies: 10, fails: at('a', 'connect_timeout'), failingControls: { a: 3 } },
    expected: ['inconclusive a 10'],
  },
  {
    when: 'the control of a target fails, and it fails behind few proxies',
    because: 'the target works for most proxies',
    fleet: { proxies: 10, fails: at('a', 'tls_reset', 4), failingControls: { a: 3 } },
    expected: ['inconclusive a 4'],
  },
  {
    when: 'the only proxy closes each connection, and the only target answers its control wrongly',
    because: 'the proxy does not get as far as the target',
    fleet: {
      ...{ proxies: 1, urls: ['a'], fails: at('a', 'tunnel_closed') },
      ...{ failingControls: { a: 3 }, areControlsAnswered: true },
    },
    expected: ['inconclusive a 1'],
  },
  {
    when: 'a target fails through proxies, without one and from the provider’s testers',
    because: 'all three agree',
    fleet: {
      ...{ proxies: 10, fails: at('a', 'tls_reset'), failingControls: { a: 3 } },
      testers: (_, url) => url !== 'a',
    },
    expected: ['target a'],
  },
  {
    when: 'the control of a target that was at fault begins to fail',
    because: 'the fault neither ends nor changes while its probes show nothing',
    fleet: { proxies: 10, fails: at('a', 'tls_reset'), failingControls: { a: 1 } },
    previous: ['target a'],
    expected: ['target a'],
  },
  {
    when: 'every probe of a target that was at fault passes, while its control fails',
    because: 'the proxies show that the target works',
    fleet: { proxies: 10, failingControls: { a: 1 } },
    previous: ['target a'],
    expected: [],
  },
  {
    when: 'the provider’s policy refuses a target',
    because: 'the refusal belongs to the url',
    fleet: { proxies: 2, fails: at('a', 'tunnel_policy'), testers: passing },
    expected: ['target a'],
  },
  {
    when: 'the provider has no node for half of ten proxies',
    because: 'the provider says so itself',
    fleet: { proxies: 10, fails: dead(5, 'tunnel_no_node'), testers: passing },
    expected: ['provider'],
  },
  {
    when: 'the provider reports a fault of its own for one proxy',
    because: 'one is too few for a fault of the provider, and its testers pass',
    fleet: { proxies: 10, fails: dead(1, 'tunnel_provider'), testers: passing },
    expected: ['access p00'],
  },
  {
    when: 'all proxies fail in the same way and the provider does not test them',
    because: 'this machine cannot tell an outage of the provider from a firewall of its own',
    fleet: { proxies: 10, fails: dead(10) },
    expected: all('access', 10),
  },
  {
    when: 'half of the proxies fail, the provider does not test them, and there are no controls',
    because: 'this machine cannot tell an outage of the provider from a firewall of its own',
    fleet: { proxies: 10, fails: dead(5), failingControls: null },
    expected: all('access', 5),
  },
  {
    when: 'all of many proxies fail for one round',
    because: 'one round is fewer than fault_after',
    fleet: { proxies: 20, fails: dead(20, 'connect_refused', 1) },
    expected: [],
  },
  {
    when: 'fewer than ten proxies all fail, and the provider does not test them',
    because: 'they are too few to show one cause',
    fleet: { proxies: 9, fails: dead(9) },
    expected: all('proxy', 9),
  },
  {
    when: 'one more proxy fails after many failed from here',
    because: 'it is one of them',
    fleet: { proxies: 20, fails: dead(13) },
    previous: all('access', 12),
    expected: all('access', 13),
  },
  {
    when: 'many proxies fail, of which the provider’s testers see one fail too',
    because: 'this one is at fault itself',
    fleet: { proxies: 20, fails: dead(13), testers: (proxy) => (proxy === 0 ? false : undefined) },
    expected: [...all('access', 13).slice(1), 'proxy p00'],
  },
  {
    when: 'few of the many proxies that failed from here still fail, and the provider does not test them',
    because: 'they have no problem in common any more',
    fleet: { proxies: 20, fails: dead(2) },
    previous: all('access', 2),
    expected: all('proxy', 2),
  },
  {
    when: 'a quarter of the many proxies that failed from here still fail',
    because: 'a share close to half does not change the kind in every round',
    fleet: { proxies: 20, fails: dead(6) },
    previous: all('access', 5),
    expected: [...all('access', 5), 'proxy p05'],
  },
  {
    when: 'a proxy failed in too few rounds after the many proxies recovered',
    because: 'no round of its failures is without a fault',
    fleet: { proxies: 20, fails: dead(1, 'connect_refused', 1) },
    previous: all('access', 20),
    expected: ['access p00'],
  },
  {
    when: 'many proxies refuse the credentials, and few others do not answer',
    because: 'wrong credentials show nothing about the others',
    fleet: {
      proxies: 16,
      fails: ({ proxy }) => (proxy < 8 ? 'tunnel_credentials' : proxy < 10 ? 'connect_timeout' : null),
    },
    expected: [...all('access', 8), 'proxy p08', 'proxy p09'],
  },
  {
    when: 'the provider’s fault is over for one round',
    because: 'it ends only after fault_after rounds',
    fleet: { proxies: 10, fails: ({ round }) => (round > 0 ? 'tunnel_provider' : null), testers: passing },
    previous: ['provider'],
    expected: ['provider'],
  },
  {
    when: 'the provider’s fault is over, and the connections from here are refused',
    because: 'only the answers of the provider show its fault',
    fleet: { proxies: 10, fails: dead(10), testers: passing },
    previous: ['provider'],
    expected: all('access', 10),
  },
  {
    when: 'a quota is used up during a fault of the provider',
    because: 'the refusals do not show that the fault is over',
    fleet: { proxies: 10, fails: dead(10, 'tunnel_quota') },
    previous: ['provider'],
    expected: ['provider'],
  },
  {
    when: 'there are no controls',
    because: 'the provider’s testers still show that the proxy works',
    fleet: { proxies: 10, fails: dead(1), failingControls: null, testers: passing },
    expected: ['access p00'],
  },
];

describe('what is at fault', () => {
  it.each(situations)('when $when: $because', ({ fleet, previous, expected }) => {
    expect(found(fleet, previous)).toEqual(expected);
  });
});

describe('a fault that was found', () => {
  it('of access stays until fault_after rounds passed', () => {
    const foundAfter = (rounds: number) =>
      found(
        {
          proxies: 10,
          rounds: 5,
          fails: ({ proxy, round }) => (proxy === 0 && round >= rounds ? 'connect_refused' : null),
          testers: passing,
        },
        ['access p00'],
      );
    expect([foundAfter(0), foundAfter(1), foundAfter(2)]).toEqual([['access p00'], ['access p00'], []]);
  });

  it('of access stays for all of many proxies that recover together', () => {
    const fleet: ProbedFleet = {
      proxies: 20,
      fails: ({ round }) => (round > 0 ? 'connect_timeout' : null),
      testers: passing,
    };
    expect(found(fleet, all('access', 20))).toEqual(all('access', 20));
  });

  it('of access stays access while the provider’s testers have no newer results', () => {
    const fleet: ProbedFleet = { proxies: 10, fails: dead(1), testers: passing, testedRoundsAgo: 3 };
    expect(found(fleet, ['access p00'])).toEqual(['access p00']);
  });

  it('of access becomes one of the proxy when the provider’s testers have no results', () => {
    expect(found({ proxies: 10, fails: dead(1) }, ['access p00'])).toEqual(['proxy p00']);
  });

  it('of access becomes one of the proxy when the provider’s testers fail too, until the proxy tests find it', () => {
    const fleet = { proxies: 10, fails: dead(1), testers: (proxy: number) => proxy !== 0 };
    expect(found(fleet, ['access p00'])).toEqual(['proxy p00']);
    expect(found(fleet, ['proxy p00'])).toEqual(['proxy p00']);
    expect(found({ ...fleet, testedAtFault: [0] }, ['proxy p00'])).toEqual([]);
  });

  it('of a proxy that is no longer probed ends', () => {
    expect(found({ proxies: 3 }, ['access p09', 'proxy p08'])).toEqual([]);
  });

  it('stays while the run has no new results', () => {
    const evidence = evidenceOf({ proxies: 10 });
    const previous = attributionOf(['proxy p01']);
    expect(attributeProbes(evidence, previous, { ...OPTIONS, since: NOW + 1 })).toBe(previous);
  });
});

describe('the reason', () => {
  const reasonsOf = (fleet: ProbedFleet): string[] => [
    ...new Set(attribute(fleet).faults.map(({ reason }) => reason)),
  ];

  it.each([
    [
      'tunnel_credentials',
      'the proxy refuses the user name and password, or the address of this machine is not authorized',
    ],
    ['connect_refused', 'the proxy refuses the connection from here'],
    ['connect_timeout', 'no answer of the proxy arrives here'],
    ['resolve_dns', 'this machine cannot resolve the name of the proxy'],
  ])('of access names the cause by the code %s', (code, words) => {
    expect(reasonsOf({ proxies: 10, fails: dead(1, code), testers: passing })).toEqual([
      `it passes from the provider’s testers and fails from here: ${words} (${code})`,
    ]);
  });

  it('is shared by many proxies that fail from here', () => {
    expect(reasonsOf({ proxies: 50, fails: dead(49, 'resolve_dns'), testers: passing })).toEqual([
      '49 of 50 proxies fail from here in the same way: this machine cannot resolve the name of the proxy (resolve_dns)',
    ]);
  });

  it('is shared by many proxies that fail and that the provider does not test', () => {
    expect(reasonsOf({ proxies: 12, fails: dead(11, 'connect_timeout') })).toEqual([
      '11 of 12 proxies fail from here in the same way: no answer of the proxy arrives here (connect_timeout)',
    ]);
  });

  it('is shared only by the proxies that fail with the same error code', () => {
    const fails: Outcome = ({ proxy }) => (proxy < 6 ? 'tunnel_credentials' : 'connect_timeout');
    expect(reasonsOf({ proxies: 12, fails })).toEqual([
      '6 of 12 proxies fail from here in the same way: the proxy refuses the user name and password, or the address of this machine is not authorized (tunnel_credentials)',
      '6 of 12 proxies fail from here in the same way: no answer of the proxy arrives here (connect_timeout)',
    ]);
  });

  it('of a fault of the provider that is recovering says so', () => {
    const fleet: ProbedFleet = { proxies: 10, fails: ({ round }) => (round > 0 ? 'tunnel_provider' : null) };
    expect(attribute(fleet, attributionOf(['provider'])).faults.map(({ reason }) => reason)).toEqual([
      'it is recovering (the provider answers 0% of 10 proxies that it has no node for them, or that it has a fault of its own), but the fault ends only after more such rounds',
    ]);
  });

  it('of a blocked target says that it works without a proxy', () => {
    expect(reasonsOf({ proxies: 10, fails: at('a', 'response_status') })).toEqual([
      'blocked through proxies only: it works from here without a proxy (100% of 10 proxies fail at this target and pass at others)',
    ]);
  });

  it('of a policy names the product types that it refuses', () => {
    const { faults } = attribute({
      proxies: 4,
      productType: (proxy) => (proxy < 2 ? 'residential' : 'isp'),
      fails: at('a', 'tunnel_policy', 2),
    });
    expect(faults).toEqual([
      {
        ...{ kind: 'target', subject: 'a', code: 'tunnel_policy' },
        reason: 'the provider’s policy refuses this target through these proxies',
        scope: { productTypes: ['residential'], isNamed: false },
      },
    ]);
  });
});
