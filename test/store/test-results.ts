// Makes results of proxy tests, and saves them.

import type { AttributedResult } from '../../src/store/test-store.ts';
import { START, type TestStore } from './support.ts';

export const result = (values: Partial<AttributedResult> = {}): AttributedResult => ({
  proxy: 'fr-1',
  url: 'shop',
  tester: 'london-1',
  isSuccessful: true,
  errorSource: null,
  errorCode: null,
  responseTimeMs: 200,
  ...values,
});

export const failure = (values: Partial<AttributedResult> = {}): AttributedResult =>
  result({
    isSuccessful: false,
    errorSource: 'target',
    errorCode: 'dns_error',
    responseTimeMs: null,
    ...values,
  });

export const save = (test: TestStore, results: readonly AttributedResult[], now = START) =>
  test.store.tests.saveBatch('main', {
    results,
    proxies: [...new Set(results.map(({ proxy }) => proxy))],
    now,
  });
