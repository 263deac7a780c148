// A batch of test results as its tables take it: names as numbers, testers bounded.

import type { ProxyObservation, ProxyTestResult, TestBatch, TesterPlace } from '../../test-store.ts';
import type { KnownSubjects, Subjects } from './subjects.ts';

/** Testers told apart for an account; the provider names them, and each costs a cell of every proxy and url. */
const MAX_TESTERS = 200;
/** The name of all that is beyond a bound. */
export const OTHER = 'other';

/** A result whose proxy, url and tester are subjects' numbers. */
export interface NumberedResult extends Omit<ProxyTestResult, 'proxy' | 'url' | 'tester'> {
  readonly proxy: number;
  readonly url: number;
  readonly tester: number;
}

export interface NumberedBatch {
  readonly accountId: number;
  readonly results: readonly NumberedResult[];
  readonly proxies: readonly number[];
  /** By proxy, and by tester: those beyond the bound have no place. */
  readonly sightings: ReadonlyMap<number, ProxyObservation>;
  readonly places: ReadonlyMap<number, TesterPlace>;
  readonly now: number;
  /** Until when (ms) counters that the batch makes show 0. */
  readonly heldUntil: number;
  /** With those of the batch. */
  readonly known: KnownSubjects;
}

/** Gives numbers to a batch's names, `known` being those of before it. Outside of transactions. */
export const numbered = (
  { results, proxies, sightings = new Map(), places = new Map() }: TestBatch,
  known: KnownSubjects,
  subjects: Subjects,
): Pick<NumberedBatch, 'results' | 'proxies' | 'sightings' | 'places' | 'known'> => {
  const testers = boundedTesters(results, known, subjects);
  const [urls, names] = [new Set<string>(), new Set(proxies)];
  for (const { proxy, url } of results) {
    names.add(proxy);
    urls.add(url);
  }
  const idOf = subjects.learn([...names, ...urls, ...testers.values()]);
  return {
    results: results.map((result) => ({
      proxy: idOf(result.proxy),
      url: idOf(result.url),
      tester: idOf(testers.get(result.tester) ?? OTHER),
      isSuccessful: result.isSuccessful,
      errorSource: result.errorSource,
      errorCode: result.errorCode,
      responseTimeMs: result.responseTimeMs,
    })),
    proxies: proxies.map(idOf),
    sightings: new Map([...sightings].map(([proxy, sighting]) => [idOf(proxy), sighting])),
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

/** What each tester of the results is called: those beyond the bound share a name. */
const boundedTesters = (
  results: readonly ProxyTestResult[],
  known: KnownSubjects,
  subjects: Subjects,
): Map<string, string> => {
  const names = new Map<string, string>();
  let count = known.testers.size;
  for (const { tester } of results) {
    if (names.has(tester)) continue;
    const isKnown = known.testers.has(subjects.find(tester));
    names.set(tester, isKnown || count < MAX_TESTERS ? tester : OTHER);
    if (!isKnown) count += 1;
  }
  return names;
};

/** Results with the same key, made of numbers and texts, in the order of their first. */
export const grouped = <R extends NumberedResult>(
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
