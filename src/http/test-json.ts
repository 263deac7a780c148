// The proxy tests for programs: names as the labels of the metrics, times as RFC 3339. docs/api.md describes it.

import type { ProxyReading, SubjectReading, Uptimes } from '../collectors/proxy-tests/reading.ts';
import { SECOND } from '../lib/time.ts';
import type { RecentFailure, TestCell, Uptime } from '../store/test-store.ts';
import { rfc3339 } from './rfc3339.ts';

export const proxyJson = (account: string, proxy: ProxyReading): object => ({
  account,
  proxy_id: proxy.id,
  name: proxy.name || null,
  product_type: proxy.productType || null,
  protocol: proxy.protocol,
  last_tested_at: rfc3339(proxy.lastTestedAt),
  failing_rounds: proxy.failingRounds,
  ...faultJson(proxy),
  tests: proxy.tests.map(testJson),
  uptime: uptimesJson(proxy.uptime),
});

export const testerJson = (account: string, tester: SubjectReading): object => ({
  account,
  tester_server: tester.id,
  ...faultJson(tester),
  uptime: uptimesJson(tester.uptime),
});

export const targetJson = (account: string, target: SubjectReading): object => ({
  account,
  url: target.id,
  ...faultJson(target),
  uptime: uptimesJson(target.uptime),
});

export const failureJson = (account: string, failure: RecentFailure): object => ({
  account,
  at: rfc3339(failure.at),
  proxy_id: failure.proxy,
  url: failure.url,
  tester_server: failure.tester,
  error_source: failure.errorSource,
  error_code: failure.errorCode,
});

const faultJson = ({ faultSince }: SubjectReading): object => ({
  fault: faultSince !== null,
  fault_since: rfc3339(faultSince),
});

const testJson = (test: TestCell): object => ({
  url: test.url,
  tester_server: test.tester,
  success: test.isSuccessful,
  error_source: test.errorSource,
  error_code: test.errorCode,
  response_time_seconds: test.responseTimeMs === null ? null : test.responseTimeMs / SECOND,
  at: rfc3339(test.at),
});

const uptimesJson = (uptimes: Uptimes): object =>
  Object.fromEntries(Object.entries(uptimes).map(([span, uptime]) => [span, uptimeJson(uptime)]));

const uptimeJson = ({ results, successes, sumMs }: Uptime): object => ({
  results,
  successes,
  ratio: results === 0 ? null : successes / results,
  mean_response_time_seconds: successes === 0 ? null : sumMs / successes / SECOND,
});
