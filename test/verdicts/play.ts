// Plays a world: a daemon on a driven clock, whose proxies the simulated provider tests and a scripted prober probes.

import { probesAccount } from '../../src/collectors/probes-account.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { MINUTE } from '../../src/lib/time.ts';
import type { Cause, Phase, ProbeResult } from '../../src/prober/probe.ts';
import { type ScenarioInput, type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import type { Fault, InconclusiveFailures } from '../../src/store/test-store.ts';
import { FakeProber, failed, type MadeProbe, passed } from '../collectors/probes/fake-probe.ts';
import { entryOf, hostOf } from '../collectors/proxy-tests/tests-harness.ts';
import { Harness, QuickClock } from '../support/harness.ts';
import { isActive, proxyOf, type Truth, targetOf, testerOf, typeOf, type World } from './truth.ts';

/** What the daemon says after a minute. */
export interface Said {
  /** Minutes since the start (ms). */
  readonly at: number;
  readonly tests: readonly Fault[];
  readonly here: readonly Fault[];
  readonly inconclusive: readonly InconclusiveFailures[];
  readonly harness: Harness;
}

const MIDNIGHT = Date.parse('2026-07-06T12:00:00Z');
const addressOf = (target: number): string => `https://${targetOf(target)}.example/${targetOf(target)}`;
const cronOf = (minutes: number): string =>
  minutes === 1 ? '* * * * *' : minutes === 60 ? '0 * * * *' : `*/${minutes} * * * *`;

/** What several worlds use one after another, because its start costs more than a world. */
export interface Simulation extends AsyncDisposable {
  readonly simulator: Simulator;
  /** A store with all tables. */
  readonly storeFile: string;
  clock: Clock;
}

const TESTERS = 3;

export const startSimulation = async (storeFile: string): Promise<Simulation> => {
  const simulation = { storeFile, clock: new QuickClock(new Date(MIDNIGHT).toISOString()) as Clock };
  const simulator = await startSimulator({
    scenario: {
      pace: null,
      users: 1,
      test_runs_per_day: 1_000_000_000,
      testers: Array.from({ length: TESTERS }, (_, index) => placeOf(index)),
    },
    now: () => simulation.clock.now(),
  });
  return Object.assign(simulation, {
    simulator,
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  });
};

/** Calls `judge` after each minute in which something is tested or probed: in between, the daemon learns nothing. */
export const play = async (
  world: World,
  simulation: Simulation,
  judge: (said: Said) => void | Promise<void>,
): Promise<void> => {
  const start = MIDNIGHT + world.startsAt * MINUTE + 30_000;
  const prober = new FakeProber();
  const clock = new QuickClock(new Date(start).toISOString());
  simulation.clock = clock;
  simulation.simulator.outages.replace([]);
  let now = 0;
  prober.answer = (made) => answerTo(world, made, now);
  await using harness = await Harness.build({
    now: new Date(start).toISOString(),
    firstStepHold: '0s',
    probe: prober.probe,
    ...{ simulator: simulation.simulator, storeFile: simulation.storeFile, clock },
    account: accountOf(world),
  });
  let last = 0;
  for (const minute of minutesOf(world)) {
    now = minute * MINUTE;
    harness.simulator.outages.replace(outagesOf(world, now));
    await harness.advance((minute - last) * MINUTE);
    last = minute;
    const { tests } = harness.app.store;
    const [ofTests, here] = [await tests.faults('main'), await tests.faults(probesAccount('main'))];
    const inconclusive = [
      ...(await tests.inconclusiveFailures('main')),
      ...(await tests.inconclusiveFailures(probesAccount('main'))),
    ];
    await judge({ at: now, tests: ofTests, here, inconclusive, harness });
  }
};

const minutesOf = (world: World): number[] => {
  // Runs begin up to a minute after their slot.
  const isDue = (minute: number, every: number): boolean => (world.startsAt + minute) % every <= 1;
  return Array.from({ length: world.minutes }, (_, index) => index + 1).filter(
    (minute) =>
      (world.testers > 0 && isDue(minute, world.testEvery)) ||
      (world.hasProbes && isDue(minute, world.probeEvery)),
  );
};

const placeOf = (index: number) => ({
  ...{ id: testerOf(index), city_id: 100, city_name: testerOf(index), country_id: 'gb' },
});

const accountOf = (world: World): Record<string, unknown> => {
  const urls = Array.from({ length: world.targets }, (_, index) => ({
    name: targetOf(index),
    url: addressOf(index),
  }));
  const proxies = Array.from({ length: world.proxies }, (_, index) =>
    entryOf(index, { product_type: typeOf(index) }),
  );
  const common = { urls, fault_after: world.faultAfter };
  return {
    ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
    proxy_tests: world.testers > 0 && {
      ...common,
      schedule: cronOf(world.testEvery),
      proxies,
      max_runs_per_day: 1_000_000,
      tester_servers: Array.from({ length: world.testers }, (_, index) => testerOf(index)),
    },
    ...(world.hasProbes && {
      probes: {
        ...{ ...common, schedule: cronOf(world.probeEvery), proxies },
        ...(!world.hasControls && { control: false }),
      },
    }),
  };
};

type OutageInput = NonNullable<NonNullable<ScenarioInput>['outages']>[number];

const outagesOf = ({ truths }: World, at: number) =>
  truths.filter((truth) => isActive(truth, at)).flatMap(outageOf);

const outageOf = (truth: Truth): OutageInput[] => {
  switch (truth.kind) {
    case 'dead':
      return [
        {
          kind: 'proxy',
          subject: hostOf(truth.proxy),
          error_code: truth.ends === 'connect_refused' ? 'connection_refused' : 'connection_timeout',
        },
      ];
    case 'credentials':
      return [{ kind: 'proxy', subject: hostOf(truth.proxy), error_code: truth.code }];
    case 'target':
    case 'blocked':
      return [{ kind: 'target', subject: `${targetOf(truth.target)}.example` }];
    case 'tester':
      return [{ kind: 'tester', subject: testerOf(truth.tester) }];
    case 'provider':
    case 'answering':
      return [{ kind: 'proxy', subject: '*', error_code: 'connection_timeout' }];
    default:
      return [];
  }
};

/** The first broken part from this machine to the target is the failure. */
const ORDER: readonly Truth['kind'][] = [
  ...([
    'line',
    'provider',
    'dead',
    'firewall',
    'answering',
    'credentials',
    'wrong_here',
    'options',
    'quota',
  ] as const),
  ...(['no_node', 'policy', 'blocked', 'target', 'control'] as const),
];

const answerTo = (world: World, { at: host, target }: MadeProbe, now: number): ProbeResult => {
  const proxy = Array.from({ length: world.proxies }, (_, index) => index).find(
    (index) => hostOf(index) === host,
  );
  const active = world.truths
    .filter((truth) => isActive(truth, now))
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  for (const truth of active) {
    const code = proxy === undefined ? codeWithoutProxy(truth, target) : codeThrough(truth, proxy, target);
    if (code !== undefined) return failureOf(code);
  }
  return passed;
};

const failureOf = (code: string): ProbeResult => {
  const [phase, ...cause] = code.split('_');
  const hasAnswer = /^tunnel_(credentials|options|quota|no_node|policy|provider|target)/.test(code);
  return failed(phase as Phase, cause.join('_') as Cause, hasAnswer ? {} : { proxyAnswer: null });
};

const codeWithoutProxy = (truth: Truth, path: string): string | undefined => {
  if (truth.kind === 'line') return 'connect_unreachable';
  const isAbout = 'target' in truth && path === `/${targetOf(truth.target)}`;
  if (truth.kind === 'control' && isAbout) return 'response_status';
  if (truth.kind !== 'target' || !isAbout) return undefined;
  return truth.ends.startsWith('tunnel') ? 'connect_refused' : truth.ends;
};

const codeThrough = (truth: Truth, proxy: number, path: string): string | undefined => {
  if (truth.kind === 'line') return 'connect_timeout';
  if (truth.kind === 'provider') return 'connect_timeout';
  if (truth.kind === 'answering') return 'tunnel_provider';
  if ('proxy' in truth) {
    if (truth.proxy !== proxy) return undefined;
    if (truth.kind === 'dead' || truth.kind === 'firewall') return truth.ends;
    return `tunnel_${truth.kind === 'wrong_here' ? 'credentials' : truth.kind}`;
  }
  if (!('target' in truth) || path !== `/${targetOf(truth.target)}`) return undefined;
  if (truth.kind === 'policy') return truth.type === typeOf(proxy) ? 'tunnel_policy' : undefined;
  if (truth.kind === 'blocked') return 'response_status';
  return truth.kind === 'target' ? truth.ends : undefined;
};

export const proxyName = proxyOf;
