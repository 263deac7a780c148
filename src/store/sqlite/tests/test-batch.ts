// Resolves the names of a batch of test results to subject ids, and limits the number of testers.

import type {
  AttributedResult,
  ProxyObservation,
  ProxyTestResult,
  TestBatch,
  TesterPlace,
} from '../../test-store.ts';
import type { KnownSubjects, Subjects } from './subjects.ts';

/** The limit of testers of an account. The provider names them, and each costs a cell of every proxy and URL. */
const MAX_TESTERS = 200;
/** The shared name of everything beyond a limit. */
export const OVERFLOW_NAME = 'other';

/** A result whose proxy, URL and tester are subject ids. */
export interface ResolvedResult extends Omit<AttributedResult, 'proxy' | 'url' | 'tester'> {
  readonly proxy: number;
  readonly url: number;
  readonly tester: number;
}

export interface ResolvedBatch {
  readonly accountId: number;
  readonly results: readonly ResolvedResult[];
  readonly proxies: readonly number[];
  /** Observations by proxy, and places by tester. Testers beyond the limit have no place. */
  readonly observations: ReadonlyMap<number, ProxyObservation>;
  readonly places: ReadonlyMap<number, TesterPlace>;
  readonly now: number;
  /** Counters that the batch creates show 0 until then (ms). */
  readonly heldUntil: number;
  /** The subjects known before the batch, and those of the batch. */
  readonly known: KnownSubjects;
}

/** Resolves the names of a batch to ids; `known` are the subjects before it. Must run outside of transactions. */
export const resolveBatch = (
  { results, proxies, observations = new Map(), places = new Map() }: TestBatch,
  known: KnownSubjects,
  subjects: Subjects,
): Pick<ResolvedBatch, 'results' | 'proxies' | 'observations' | 'places' | 'known'> => {
  const testers = limitTesters(results, known, subjects);
  const [urls, names] = [new Set<string>(), new Set(proxies)];
  for (const { proxy, url } of results) {
    names.add(proxy);
    urls.add(url);
  }
  const idOf = subjects.assignIds([...names, ...urls, ...testers.values()]);
  return {
    results: results.map((result) => ({
      proxy: idOf(result.proxy),
      url: idOf(result.url),
      tester: idOf(testers.get(result.tester) ?? OVERFLOW_NAME),
      isSuccessful: result.isSuccessful,
      errorSource: result.errorSource,
      errorCode: result.errorCode,
      responseTimeMs: result.responseTimeMs,
      cause: result.cause ?? null,
    })),
    proxies: proxies.map(idOf),
    observations: new Map([...observations].map(([proxy, observation]) => [idOf(proxy), observation])),
    places: new Map(
      [...places].flatMap(([tester, place]) =>
        testers.get(tester) === tester ? [[idOf(tester), place] as const] : [],
      ),
    ),
    known: {
      urls: new Set([...known.urls, ...[...urls].map(idOf)]),
      testers: new Set([...known.testers, ...[...testers.values()].map(idOf)]),
    },
  };
};

/** Returns the name under which each tester of the results is stored. Testers beyond the limit share a name. */
const limitTesters = (
  results: readonly ProxyTestResult[],
  known: KnownSubjects,
  subjects: Subjects,
): Map<string, string> => {
  const names = new Map<string, string>();
  let count = known.testers.size;
  for (const { tester } of results) {
    if (names.has(tester)) continue;
    const isKnown = known.testers.has(subjects.idOf(tester));
    names.set(tester, isKnown || count < MAX_TESTERS ? tester : OVERFLOW_NAME);
    if (!isKnown) count += 1;
  }
  return names;
};

/** Groups results by key. Groups are in the order of their first result. */
export const groupResults = <R extends ResolvedResult>(
  results: readonly R[],
  keyOf: (result: R) => string | number,
): [R, ...R[]][] => {
  const groups = new Map<string | number, [R, ...R[]]>();
  for (const result of results) {
    const key = keyOf(result);
    const group = groups.get(key);
    if (group) group.push(result);
    else groups.set(key, [result]);
  }
  return [...groups.values()];
};
