// Tests that steady traffic starts no alert in the nights in which clocks change.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { alertsOf, TRAFFIC_ONLY } from './night-world.ts';

const OCTOBER = { zone: 'Europe/Berlin', change: '2026-10-25T01:00:00Z' };
const EXPECT = { min_requests: 10, within: '15m' };

describe('when clocks go back in Berlin, steady traffic starts no alert', () => {
  it.each([
    ['with the default reread', {}, {}],
    ['with a reread of 10 minutes', { reread: '10m' }, {}],
    ['with a reread of 30 minutes', { reread: '30m' }, { empty_buckets: false }],
    ['if the provider lists the minutes of the future as zeros', {}, { future_buckets: true }],
    ['in hours', { interval: 'hour', expect: { min_requests: 10, within: '2h' } }, { empty_buckets: false }],
  ])('%s', async (_, traffic, scenario) => {
    const polled = { schedule: '*/5 * * * *', catch_up: '4h', graphs: [], expect: EXPECT, ...traffic };
    const account = { ...TRAFFIC_ONLY, traffic: polled };
    const span = { beforeMs: 1.25 * HOUR, afterMs: 1.75 * HOUR, stepMs: 5 * MINUTE };
    expect(await alertsOf({ ...OCTOBER, ...span, account, scenario })).toEqual([]);
  });
});
