// Tests the negotiation with the headers that real clients send.

import { expect, it } from 'vitest';
import { negotiate } from '../../src/metrics/negotiate.ts';

const PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

it.each([
  [undefined, 'text'],
  ['', 'text'],
  ['*/*', 'text'],
  [BROWSER, 'text'],
  [PROMETHEUS_2, 'openmetrics'],
  [PROMETHEUS_3, 'openmetrics'],
  ['application/openmetrics-text', 'openmetrics'],
  ['Application/OpenMetrics-Text; Version="1.0.0"; charset=utf-8', 'openmetrics'],
  ['application/openmetrics-text; version=0.0.1', 'text'],
  ['application/openmetrics-text; version=2.0.0', 'text'],
  ['application/openmetrics-text;q=0, text/plain', 'text'],
  ['application/openmetrics-text;q=0.4, text/plain;q=0.5', 'text'],
  ['application/openmetrics-text;q=0.5, text/plain;q=0.4', 'openmetrics'],
  ['application/openmetrics-text;q=0.5, text/*;q=0.6', 'text'],
  ['application/openmetrics-text;q=0.5, text/plain;q=0.4, */*', 'openmetrics'],
  ['application/openmetrics-text;q=nonsense', 'text'],
  ['application/openmetrics-text;x="a,b";q=0, text/plain', 'text'],
  ['application/openmetrics-text;x="a;q=1,b\\"";q=0.1, text/plain;q=0.2', 'text'],
  ['application/*', 'openmetrics'],
  ['text/plain;q=0, */*', 'openmetrics'],
  ['text/plain;version=1.0.0, application/*;q=0.1', 'openmetrics'],
])('Accept: %s is answered in %s', (accept, format) => {
  expect(negotiate(accept, undefined)).toEqual({ format, encoding: 'identity' });
});

it.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['deflate, gzip, br, zstd', 'gzip'],
  ['GZIP;q=0.1', 'gzip'],
  ['*', 'gzip'],
  ['*;q=0', 'identity'],
  ['gzip;q=0, *', 'identity'],
  ['identity', 'identity'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.5, gzip', 'gzip'],
  ['br', 'identity'],
  ['x-gzip', 'gzip'],
  ['gzip;q=0.3, *;q=0.5', 'identity'],
  ['identity;q=0, *;q=0.5', 'gzip'],
])('Accept-Encoding: %s is answered in %s', (acceptEncoding, encoding) => {
  expect(negotiate(undefined, acceptEncoding)).toEqual({ format: 'text', encoding });
});
