// Errors of tests as they are told apart: their sources and codes are open sets, and each costs rows and series.

import type { ProxyTestResult } from '../../test-store.ts';
import { OTHER } from './test-batch.ts';

/** Of an account. The provider knows over a hundred codes, few of which are ever met. */
const MAX_ERRORS = 50;
const MAX_SOURCES = 10;
const UNKNOWN = 'unknown';

export interface TestError {
  readonly source: string;
  readonly code: string;
}

/** Names a result's error: as it is while few are `known`, which it adds to; those beyond share one name. */
export const boundedErrors = (
  known: readonly TestError[],
): ((result: Pick<ProxyTestResult, 'errorSource' | 'errorCode'>) => TestError) => {
  const sources = new Set(known.map(({ source }) => source));
  const errors = new Set(known.map(keyOf));
  return ({ errorSource, errorCode }) => {
    const source = bounded(errorSource ?? UNKNOWN, errorSource ?? UNKNOWN, sources, MAX_SOURCES);
    const code = errorCode ?? UNKNOWN;
    return { source, code: bounded(code, keyOf({ source, code }), errors, MAX_ERRORS) };
  };
};

const keyOf = ({ source, code }: TestError): string => `${source} ${code}`;

const bounded = (name: string, key: string, known: Set<string>, max: number): string => {
  if (!known.has(key) && known.size >= max) return OTHER;
  known.add(key);
  return name;
};
