// Limits the number of error sources and codes of an account: they are open sets, and each costs rows and series.

import type { ProxyTestResult } from '../../test-store.ts';
import { OVERFLOW_NAME } from './test-batch.ts';

/** The limit of an account. The provider has over a hundred codes, but few of them occur. */
const MAX_ERRORS = 50;
const MAX_SOURCES = 10;
const UNKNOWN = 'unknown';

export interface TestError {
  readonly source: string;
  readonly code: string;
}

/**
 * Returns a function that names the error of a result. The first errors keep their own names, also the `known` ones.
 * Errors beyond the limits share one name.
 */
export const createErrorLimit = (
  known: readonly TestError[],
): ((result: Pick<ProxyTestResult, 'errorSource' | 'errorCode'>) => TestError) => {
  const sources = new Set(known.map(({ source }) => source));
  const errors = new Set(known.map(keyOf));
  return ({ errorSource, errorCode }) => {
    const source = limitName(errorSource ?? UNKNOWN, errorSource ?? UNKNOWN, sources, MAX_SOURCES);
    const code = errorCode ?? UNKNOWN;
    return { source, code: limitName(code, keyOf({ source, code }), errors, MAX_ERRORS) };
  };
};

const keyOf = ({ source, code }: TestError): string => `${source} ${code}`;

const limitName = (name: string, key: string, known: Set<string>, max: number): string => {
  if (!known.has(key) && known.size >= max) return OVERFLOW_NAME;
  known.add(key);
  return name;
};
