// Tests that no alert fires in the nights in which clocks change, while everything is well and everything is watched.

import { describe, expect, it } from 'vitest';
import { optionalSections } from '../../src/collectors/index.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { alertsOf } from './night-world.ts';

/** In two of the zones, it is midnight that is skipped or comes twice. In another, clocks change by half an hour. */
const NIGHTS: readonly Readonly<Record<string, string>>[] = [
  { zone: 'Europe/Berlin', forward: '2026-03-29T01:00:00Z', back: '2026-10-25T01:00:00Z' },
  { zone: 'America/New_York', forward: '2026-03-08T07:00:00Z', back: '2026-11-01T06:00:00Z' },
  { zone: 'Australia/Sydney', forward: '2026-10-03T16:00:00Z', back: '2026-04-04T16:00:00Z' },
  { zone: 'Australia/Lord_Howe', forward: '2026-10-03T15:30:00Z', back: '2026-04-04T15:00:00Z' },
  { zone: 'America/Santiago', forward: '2026-09-06T04:00:00Z', back: '2026-04-05T03:00:00Z' },
  { zone: 'Africa/Cairo', forward: '2026-04-23T22:00:00Z', back: '2026-10-29T21:00:00Z' },
];

const everything = (zone: string) => {
  const EVERY = '*/10 * * * *';
  return {
    ...optionalSections({ schedule: EVERY }),
    schedule_time_zone: zone,
    traffic: {
      schedule: EVERY,
      catch_up: '6h',
      reread: '30m',
      deep_reread: { schedule: '35 4 * * *', span: '26h' },
      expect: { min_requests: 10, within: '30m' },
      graphs: [
        {
          name: 'residential',
          product_type: 'residential',
          expect: { min_requests: 1, within: '1h', hours: '00-05' },
        },
        { name: 'host', hostname: 'shop.example' },
      ],
    },
    residential_ledger: { schedule: EVERY },
    proxy_users: { schedule: EVERY },
    proxy_tests: { schedule: '*/30 * * * *', urls: ['https://www.example.com/'], proxies: [{ search: {} }] },
    quotes: { schedule: EVERY, items: [{ name: 'isp', product_code: 'isp_gb', quantity: 1 }] },
    geography: { schedule: EVERY, asns: [64_500], cities: [200], subdivisions: ['gb-eng'] },
    probes: false,
  };
};

describe.each(NIGHTS)('in $zone no alert fires', ({ zone = '', ...changes }) => {
  it.each(Object.entries(changes))('when clocks go %s', async (_, change) => {
    // The day that ends a day later is compared too.
    const span = { beforeMs: 4 * HOUR, afterMs: 28 * HOUR, stepMs: 10 * MINUTE };
    expect(await alertsOf({ zone, change, ...span, account: everything(zone) })).toEqual([]);
  });
});
