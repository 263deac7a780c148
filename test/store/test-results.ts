// Makes results of proxy tests, and saves them.

import type { ProxyTestResult } from '../../src/store/test-store.ts';
import { START, type TestStore } from './support.ts';

export const result = (values: Partial<ProxyTestResult> = {}): ProxyTestResult => ({
  proxy: 'fr-1',
  url: 'shop',
  tester: 'london-1',
  isSuccessful: true,
  errorSource: null,
  errorCode: null,
  responseTimeMs: 200,
  ...values,
});

export const failure = (values: Partial<ProxyTestResult> = {}): ProxyTestResult =>
  result({
    isSuccessful: false,
    errorSource: 'target',
    errorCode: 'dns_error',
    responseTimeMs: null,
    ...values,
  });

export const save = (test: TestStore, results: readonly ProxyTestResult[], now = START) =>
  test.store.tests.saveBatch('main', {
    results,
    proxies: [...new Set(results.map(({ proxy }) => proxy))],
    now,
  });
