// A batch of test results as its tables take it: names as numbers, error codes bounded.

import type { ProxyTestResult, TestBatch } from '../test-store.ts';

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
  readonly now: number;
  /** Until when (ms) counters that the batch makes show 0. */
  readonly heldUntil: number;
}

/** Names that a batch refers to. */
export const namesIn = function* ({ results, proxies }: TestBatch): Generator<string> {
  yield* proxies;
  for (const { proxy, url, tester } of results) {
    yield proxy;
    yield url;
    yield tester;
  }
};

/** Results with the same key, made of numbers and texts, in the order of their first. */
export const grouped = (
  results: readonly NumberedResult[],
  keyOf: (result: NumberedResult) => string | number,
): [NumberedResult, ...NumberedResult[]][] => {
  const groups = new Map<string | number, [NumberedResult, ...NumberedResult[]]>();
  for (const result of results) {
    const key = keyOf(result);
    const group = groups.get(key);
    if (group) group.push(result);
    else groups.set(key, [result]);
  }
  return [...groups.values()];
};
