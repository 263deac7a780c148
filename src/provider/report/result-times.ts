// Measures the age of a proxy test's results in the answer to the test, which shows the provider's zone.

import { SECOND } from '../../lib/time.ts';
import { parseLocal } from '../time.ts';
import { fieldOf, listIn, mapValuesIn, type ObservedAnswer } from './observed-answer.ts';
import { Spread, type SpreadJson } from './spread.ts';

/** The results of a test are new, so an age of hours is the offset of the provider's zone from UTC. */
export class ResultTimes {
  readonly #newestAge = new Spread();

  observe({ endpoint, json, at }: Pick<ObservedAnswer, 'endpoint' | 'json' | 'at'>): void {
    if (endpoint !== 'proxy_test_run/create') return;
    const results = mapValuesIn(json, 'data').flatMap((each) => listIn(each, 'results'));
    const times = results.slice(0, MAX_RESULTS).flatMap((result) => createdAt(result) ?? []);
    if (times.length > 0) this.#newestAge.add((at - Math.max(...times)) / SECOND);
  }

  /** Returns null if there were no tests. */
  toJson(): SpreadJson | null {
    return this.#newestAge.toJson();
  }
}

const MAX_RESULTS = 2_000;

/** Returns the time (ms) as if it were in UTC. */
const createdAt = (result: unknown): number | undefined => {
  const text = fieldOf(result, 'proxy_test_result_creation_datetime');
  return typeof text === 'string' ? parseLocal(text) : undefined;
};
