// Draws small worlds for the search over verdicts: their proxies, targets, testers and schedules, and what is broken when.

import fc from 'fast-check';
import { MINUTE } from '../../src/lib/time.ts';

/** How a connection through a broken part ends, as the prober names it. */
const DEAD_ENDS = ['connect_refused', 'connect_timeout', 'tunnel_closed'] as const;
const TARGET_ENDS = [
  ...(['response_status', 'tunnel_target_unreachable', 'tunnel_target_refused'] as const),
  ...(['tls_timeout', 'tls_reset'] as const),
] as const;
/** The words by which the provider's testers may name refused credentials. Their list is not published. */
const CREDENTIAL_CODES = ['authentication_failed', '2011', '407'] as const;

/**
 * - dead: the proxy answers nobody. credentials: its user name or password is wrong for everybody. password: the same of
 *   all proxies.
 * - firewall, wrong_here, options, no_node: the proxy fails from this machine only.
 * - quota: the user of the proxy has no bytes left, from here. Nobody is to blame. exhausted: the same of all proxies, for
 *   everybody.
 * - target: the target is down for everybody. blocked: it refuses all proxies, and answers without a proxy.
 * - policy: the provider refuses the target through proxies of one product type.
 * - tester: all tests from it fail. line: this machine has no connection. control: one target refuses this machine.
 * - provider: all proxies are down. answering: they answer with a fault of the provider.
 */
export type Truth = {
  /** Milliseconds since the world began. */
  readonly begin: number;
  readonly end: number;
} & (
  | { readonly kind: 'dead' | 'firewall'; readonly proxy: number; readonly ends: (typeof DEAD_ENDS)[number] }
  | { readonly kind: 'credentials'; readonly proxy: number; readonly code: (typeof CREDENTIAL_CODES)[number] }
  | { readonly kind: 'password'; readonly code: (typeof CREDENTIAL_CODES)[number] }
  | { readonly kind: 'wrong_here' | 'options' | 'no_node' | 'quota'; readonly proxy: number }
  | { readonly kind: 'target'; readonly target: number; readonly ends: (typeof TARGET_ENDS)[number] }
  | { readonly kind: 'blocked' | 'control'; readonly target: number }
  | { readonly kind: 'policy'; readonly target: number; readonly type: string }
  | { readonly kind: 'tester'; readonly tester: number }
  | { readonly kind: 'line' | 'provider' | 'answering' | 'exhausted' }
);

export interface World {
  readonly proxies: number;
  readonly targets: number;
  /** 0 has no tests by the provider. */
  readonly testers: number;
  readonly hasProbes: boolean;
  readonly hasControls: boolean;
  /** Minutes between two rounds. */
  readonly testEvery: number;
  readonly probeEvery: number;
  readonly faultAfter: number;
  /** The minute of the hour in which the daemon starts. */
  readonly startsAt: number;
  readonly minutes: number;
  readonly truths: readonly Truth[];
}

const TYPES = ['isp', 'datacenter'];
export const typeOf = (proxy: number): string => TYPES[proxy % TYPES.length] ?? '';
export const proxyOf = (proxy: number): string => `p${proxy}`;
export const targetOf = (target: number): string => `t${target}`;
export const testerOf = (tester: number): string => `tester-${tester}`;

type Shape = Omit<World, 'truths'>;

/** By minutes between tests: the least minutes between probes. Fewer rounds in between keep a world small. */
const LEAST_PROBE_EVERY: Readonly<Record<number, number>> = { 30: 3, 60: 5 };

const anyShape: fc.Arbitrary<Shape> = fc
  .record({
    proxies: fc.oneof(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 5, max: 9 }),
      fc.integer({ min: 10, max: 13 }),
    ),
    targets: fc.constantFrom(1, 2, 2, 3),
    testers: fc.constantFrom(0, 1, 2, 2, 3),
    hasProbes: fc.constantFrom(true, true, true, false),
    hasControls: fc.constantFrom(true, true, true, false),
    testEvery: fc.constantFrom(5, 10, 10, 12, 30, 60),
    probeEvery: fc.constantFrom(1, 2, 5, 5, 10),
    faultAfter: fc.constantFrom(1, 2, 2, 2, 3),
    startsAt: fc.integer({ min: 0, max: 59 }),
  })
  .map((drawn) => {
    const hasTests = drawn.testers > 0;
    const hasProbes = drawn.hasProbes || !hasTests;
    const probeEvery = Math.max(drawn.probeEvery, hasTests ? (LEAST_PROBE_EVERY[drawn.testEvery] ?? 0) : 0);
    const slowest = Math.max(hasTests ? drawn.testEvery : 0, hasProbes ? probeEvery : 0);
    const minutes = Math.min(300, Math.max(60, (2 * drawn.faultAfter + 4) * slowest));
    return { ...drawn, hasProbes, probeEvery, minutes };
  });

/** The kinds of truths that concern one thing of the world, each with that thing. */
const kindsOf = ({ proxies, targets, testers }: Shape): fc.Arbitrary<object>[] => {
  const proxy = fc.nat(proxies - 1);
  const target = fc.nat(targets - 1);
  const of = (kinds: readonly Truth['kind'][], more: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
    fc.record({ kind: fc.constantFrom(...kinds), ...more });
  return [
    of(['dead', 'firewall'], { proxy, ends: fc.constantFrom(...DEAD_ENDS) }),
    of(['credentials'], { proxy, code: fc.constantFrom(...CREDENTIAL_CODES) }),
    of(['password'], { code: fc.constantFrom(...CREDENTIAL_CODES) }),
    of(['wrong_here', 'options', 'no_node', 'quota'], { proxy }),
    of(['target'], { target, ends: fc.constantFrom(...TARGET_ENDS) }),
    of(['blocked', 'control'], { target }),
    of(['policy'], { target, type: fc.constantFrom(...TYPES) }),
    of(['line', 'provider', 'answering', 'exhausted'], {}),
    ...(testers > 0 ? [of(['tester'], { tester: fc.nat(testers - 1) })] : []),
  ];
};

const periodIn = ({ minutes }: Shape): fc.Arbitrary<Pick<Truth, 'begin' | 'end'>> =>
  fc
    .tuple(fc.integer({ min: 1, max: Math.floor(minutes * 0.6) }), fc.integer({ min: 1, max: minutes }))
    .map(([begin, length]) => ({ begin: begin * MINUTE, end: (begin + length) * MINUTE }));

const truthOf = (shape: Shape): fc.Arbitrary<Truth> =>
  fc
    .tuple(fc.oneof(...kindsOf(shape)), periodIn(shape))
    .map(([what, when]) => ({ ...what, ...when }) as Truth);

/** Up to three truths, which may overlap. */
export const anyWorld: fc.Arbitrary<World> = anyShape.chain((shape) =>
  fc.array(truthOf(shape), { maxLength: 3 }).map((truths) => ({ ...shape, truths })),
);

/** `at` is in milliseconds since the world began. */
export const isActive = ({ begin, end }: Truth, at: number): boolean => begin <= at && at < end;
