// Builds the evidence of probes from a description of which probes fail, for tests of fault attribution.

import type { EvidenceCell, ProbeEvidence } from '../../../src/collectors/probes/evidence.ts';
import { errorSourceOf } from '../../../src/collectors/probes/evidence.ts';
import type { Cause, Phase } from '../../../src/prober/probe.ts';
import type { StoredControl } from '../../../src/store/probe-store.ts';
import { ERROR_SOURCE_CODES } from '../../../src/store/test-store.ts';

export const VANTAGE = 'local';
/** The time of the newest round, in which each run begins. */
export const NOW = 1_000_000;
/** The time between two rounds. */
export const INTERVAL = 1_000;

export interface ProbeOutcome {
  readonly proxy: number;
  readonly url: string;
  /** 0 is the newest round. */
  readonly round: number;
}

/** The error code of a failure, such as `connect_refused`; null for a success. */
export type Outcome = (probe: ProbeOutcome) => string | null;

export interface ProbedFleet {
  readonly proxies: number;
  readonly urls?: readonly string[];
  readonly rounds?: number;
  readonly fails?: Outcome;
  readonly productType?: (proxy: number) => string;
  /** The urls whose control fails, and for how many rounds. By default, no control fails. Null has no controls. */
  readonly failingControls?: Readonly<Record<string, number>> | null;
  /** The failing controls get an answer, which is not the expected one. */
  readonly areControlsAnswered?: boolean;
  /** What the provider's testers see of a proxy; undefined has no results of it. */
  readonly testers?: (proxy: number, url: string) => boolean | undefined;
  /** Rounds since the testers' results. */
  readonly testedRoundsAgo?: number;
  /** The proxies that the proxy tests have found at fault. */
  readonly testedAtFault?: readonly number[];
}

export const nameOf = (proxy: number): string => `p${String(proxy).padStart(2, '0')}`;

export const evidenceOf = ({ testers = () => undefined, ...fleet }: ProbedFleet): ProbeEvidence => {
  const { proxies, urls = ['a', 'b'], rounds = 3, fails = () => null, failingControls = {} } = fleet;
  const each = <T>(make: (proxy: number, url: string) => readonly T[]): T[] =>
    Array.from({ length: proxies }, (_, proxy) => urls.flatMap((url) => make(proxy, url))).flat();
  const codesOf = (proxy: number, url: string): (string | null)[] =>
    Array.from({ length: rounds }, (_, round) => fails({ proxy, url, round }));
  const typeOf = (proxy: number): string => fleet.productType?.(proxy) ?? 'isp';
  return {
    vantage: VANTAGE,
    intervalMs: INTERVAL,
    testFaults: (fleet.testedAtFault ?? []).map((proxy) => ({ kind: 'proxy', subject: nameOf(proxy) })),
    testIntervalMs: 2 * INTERVAL,
    now: NOW,
    probes: each((proxy, url) => [
      cellOf({ proxy: nameOf(proxy), url, productType: typeOf(proxy) }, VANTAGE, codesOf(proxy, url)),
    ]),
    controls:
      failingControls === null
        ? []
        : urls.map((url) => controlOf(url, failingControls[url] ?? 0, fleet.areControlsAnswered)),
    providerTests: each((proxy, url) => {
      const passes = testers(proxy, url);
      const identity = { proxy: nameOf(proxy), url, productType: typeOf(proxy) };
      if (passes === undefined) return [];
      const cell = cellOf(identity, 'london', [passes ? null : 'connect_timeout']);
      return [{ ...cell, at: NOW - (fleet.testedRoundsAgo ?? 0) * INTERVAL }];
    }),
  };
};

type Identity = Pick<EvidenceCell, 'proxy' | 'url' | 'productType'>;

/** `codes` are the error codes of the rounds, the newest first. */
export const cellOf = (
  identity: Identity,
  tester: string,
  codes: readonly (string | null)[],
): EvidenceCell => {
  const [newest = null] = codes;
  return {
    ...{ ...identity, tester, isSuccessful: newest === null, errorCode: newest },
    ...{ errorSource: newest === null ? null : sourceOf(newest), responseTimeMs: null, at: NOW },
    ...{ results: codes.length, successes: codes.filter((code) => code === null).length, heldUntil: 0 },
    history: codes.reduce((bits, code, round) => bits | (Number(code !== null) << round), 0),
    rounds: codes.length,
    sources: codes.reduce((bits, code, round) => bits | (sourceCodeOf(code) << (2 * round)), 0),
  };
};

const sourceOf = (code: string): string | null => {
  const end = code.indexOf('_');
  return code === 'here' ? 'here' : errorSourceOf(code.slice(0, end) as Phase, code.slice(end + 1) as Cause);
};

const sourceCodeOf = (code: string | null): number => {
  const source = code === null ? null : sourceOf(code);
  return Object.entries(ERROR_SOURCE_CODES).find(([name]) => name === source)?.[1] ?? 0;
};

const controlOf = (url: string, failingRounds: number, isAnswered = false): StoredControl => ({
  ...{ url, failingRounds, isSuccessful: failingRounds === 0, at: NOW },
  unreachedRounds: isAnswered ? 0 : failingRounds,
  error: failingRounds === 0 ? null : isAnswered ? 'response_status' : 'connect_refused',
});
