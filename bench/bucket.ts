// Makes buckets of traffic that have all values.

import type { Bucket } from '../src/store/traffic-store.ts';

export const bucketAt = (at: number): Bucket => ({
  at,
  bytes: 1e9 + (at % 1e7),
  requests: 1e5,
  successful: 9e4,
  failed: 1e4,
  smartpathBytes: 1e6,
  smartpathRequests: 1e3,
  smartpathMoneySaved: 1.5,
  concurrencyAverage: 12.5,
  concurrencyMax: 40,
});
