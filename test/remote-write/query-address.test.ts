// Tests at which address `remote-write verify` queries a receiver.

import { expect, test } from 'vitest';
import { queryAddress } from '../../src/remote-write/querier.ts';

const WRITE = 'http://192.0.2.1:9009/api/v1/push';

test.each([
  ['http://192.0.2.1:9009/prometheus', 'http://192.0.2.1:9009/prometheus/api/v1/query'],
  ['http://192.0.2.1:9009', 'http://192.0.2.1:9009/api/v1/query'],
  ['http://192.0.2.1:9009/prometheus/api/v1/query', 'http://192.0.2.1:9009/prometheus/api/v1/query'],
  ['http://192.0.2.1:9009/api/v1/query/', 'http://192.0.2.1:9009/api/v1/query'],
  ['http://192.0.2.1:9009/api/v1/query?token=a', 'http://192.0.2.1:9009/api/v1/query?token=a'],
  ['http://192.0.2.1:9009/api/v1/query_range', 'http://192.0.2.1:9009/api/v1/query'],
  ['http://192.0.2.1:9009/api/v1/', 'http://192.0.2.1:9009/api/v1/query'],
  ['http://192.0.2.1:9009/api/v1/write', 'http://192.0.2.1:9009/api/v1/query'],
  // A prefix is no path of the HTTP API.
  ['http://192.0.2.1:9009/my-api/v1', 'http://192.0.2.1:9009/my-api/v1/api/v1/query'],
])('query_url %s: %s', (queryUrl, expected) => {
  expect(queryAddress(WRITE, queryUrl)).toBe(expected);
});

test.each([
  ['http://192.0.2.1:9090/api/v1/write', 'http://192.0.2.1:9090/api/v1/query'],
  ['http://192.0.2.1:9090/prefix/api/v1/otlp/v1/metrics', 'http://192.0.2.1:9090/prefix/api/v1/query'],
  ['http://192.0.2.1:8428/opentelemetry/v1/metrics', 'http://192.0.2.1:8428/api/v1/query'],
  ['http://192.0.2.1:4318/v1/metrics', undefined],
  [WRITE, undefined],
])('without query_url, the url %s: %s', (url, expected) => {
  expect(queryAddress(url, undefined)).toBe(expected);
});
