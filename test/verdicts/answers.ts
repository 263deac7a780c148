// Says what tests and probes see of a world: the outages of the simulated provider, and the answers of a scripted prober.

import type { Cause, Phase, ProbeResult } from '../../src/prober/probe.ts';
import type { ScenarioInput } from '../../src/simulator/simulator.ts';
import { failed, type MadeProbe, passed } from '../collectors/probes/fake-probe.ts';
import { hostOf } from '../collectors/proxy-tests/tests-harness.ts';
import { isActive, type Truth, targetOf, testerOf, typeOf, type World } from './truth.ts';

type OutageInput = NonNullable<NonNullable<ScenarioInput>['outages']>[number];

const hostOfTarget = (target: number): string => `${targetOf(target)}.example`;
const pathOf = (target: number): string => `/${targetOf(target)}`;
export const addressOf = (target: number): string => `https://${hostOfTarget(target)}${pathOf(target)}`;

/** What is down for the provider's testers at `at` (ms since the world began). */
export const outagesOf = ({ truths }: World, at: number): OutageInput[] =>
  truths.filter((truth) => isActive(truth, at)).flatMap(outageOf);

const outageOf = (truth: Truth): OutageInput[] => {
  switch (truth.kind) {
    case 'dead':
      return [proxyOutage(hostOf(truth.proxy), deadCodeOf(truth.ends))];
    case 'credentials':
      return [proxyOutage(hostOf(truth.proxy), truth.code)];
    case 'password':
      return [proxyOutage('*', truth.code)];
    case 'exhausted':
      return [proxyOutage('*', '4221')];
    case 'target':
    case 'blocked':
      return [{ kind: 'target', subject: hostOfTarget(truth.target) }];
    case 'tester':
      return [{ kind: 'tester', subject: testerOf(truth.tester) }];
    case 'provider':
    case 'answering':
      return [proxyOutage('*', 'connection_timeout')];
    default:
      return [];
  }
};

const proxyOutage = (subject: string, error_code: string): OutageInput => ({
  kind: 'proxy',
  subject,
  error_code,
});

const deadCodeOf = (ends: string): string =>
  ends === 'connect_refused' ? 'connection_refused' : 'connection_timeout';

/** From this machine to the target. The first broken part is the failure. */
const ORDER: readonly Truth['kind'][] = [
  ...(['line', 'provider', 'dead', 'firewall', 'answering'] as const),
  ...(['password', 'credentials', 'wrong_here', 'options', 'exhausted', 'quota', 'no_node'] as const),
  ...(['policy', 'blocked', 'target', 'control'] as const),
];

/** What a probe gets at `at` (ms since the world began). */
export const answerTo = (world: World, made: Pick<MadeProbe, 'at' | 'target'>, at: number): ProbeResult => {
  const proxy = Array.from({ length: world.proxies }, (_, index) => hostOf(index)).indexOf(made.at);
  const [code] = world.truths
    .filter((truth) => isActive(truth, at))
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
    .flatMap((truth) => {
      const isAtTarget = 'target' in truth && made.target === pathOf(truth.target);
      return (proxy < 0 ? codeOfControl(truth, isAtTarget) : codeThrough(truth, proxy, isAtTarget)) ?? [];
    });
  return code === undefined ? passed : failureOf(code, proxy >= 0);
};

/** Ends of the tunnel without an answer of the proxy. Later phases begin with its answer. */
const SILENT = /^(connect|tunnel_closed)/;

/** Whether at `at` (ms since the world began) no target answers this machine without a proxy, and no proxy answers it. */
export const isCutOff = (world: World, at: number): boolean =>
  ['direct', ...Array.from({ length: world.proxies }, (_, index) => hostOf(index))].every((from) =>
    Array.from({ length: world.targets }, (_, target) =>
      answerTo(world, { at: from, target: pathOf(target) }, at),
    ).every(
      ({ failure, proxyAnswer }) => failure !== null && failure.phase !== 'response' && proxyAnswer === null,
    ),
  );

const failureOf = (code: string, isThroughProxy: boolean): ProbeResult => {
  const [phase, ...cause] = code.split('_');
  const hasAnswer = isThroughProxy && !SILENT.test(code);
  return failed(phase as Phase, cause.join('_') as Cause, hasAnswer ? {} : { proxyAnswer: null });
};

/** How a connection without a proxy fails; undefined if this truth does not make it fail. */
const codeOfControl = (truth: Truth, isAtTarget: boolean): string | undefined => {
  if (truth.kind === 'line') return 'connect_unreachable';
  if (!isAtTarget) return undefined;
  if (truth.kind === 'control') return 'response_status';
  if (truth.kind !== 'target') return undefined;
  return truth.ends.startsWith('tunnel') ? 'connect_refused' : truth.ends;
};

const codeThrough = (truth: Truth, proxy: number, isAtTarget: boolean): string | undefined => {
  if (truth.kind === 'line' || truth.kind === 'provider') return 'connect_timeout';
  if (truth.kind === 'answering') return 'tunnel_provider';
  if (truth.kind === 'password') return 'tunnel_credentials';
  if (truth.kind === 'exhausted') return 'tunnel_quota';
  if ('proxy' in truth) return truth.proxy === proxy ? codeOfProxy(truth) : undefined;
  if (!isAtTarget) return undefined;
  if (truth.kind === 'policy') return truth.type === typeOf(proxy) ? 'tunnel_policy' : undefined;
  if (truth.kind === 'blocked') return 'response_status';
  return truth.kind === 'target' ? truth.ends : undefined;
};

const codeOfProxy = (truth: Extract<Truth, { readonly proxy: number }>): string => {
  if (truth.kind === 'dead' || truth.kind === 'firewall') return truth.ends;
  return `tunnel_${truth.kind === 'wrong_here' ? 'credentials' : truth.kind}`;
};
