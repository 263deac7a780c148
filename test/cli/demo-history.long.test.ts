// Tests that the demo begins with days of history: each hour has results, and alerts fire since their causes began.

import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { createFolder } from '../config/support.ts';
import { getText, Program } from './program.ts';

interface Strip {
  readonly id: string;
  readonly hours: readonly { readonly results: number }[];
}
interface Episode {
  readonly alert: string;
  readonly state: string;
  readonly labels: { readonly proxy_id?: string };
  readonly firing_since: string;
}

test('its plots have no gaps, and its alerts are older than the daemon', async () => {
  await using program = Program.start(['demo', '--listen', '127.0.0.1:0', '--data', createFolder({})]);
  const url = await program.url();
  const read = async <T>(path: string): Promise<readonly T[]> =>
    (JSON.parse(await getText(`${url}/api/v1/${path}`)) as { data: T[] }).data;
  const strips = await read<Strip>('uptimes?limit=1000');
  expect(strips.length).toBe(25);
  // The first runs of the daemon add the present hour.
  for (const { id, hours } of strips)
    expect([id, hours.slice(0, -1).filter(({ results }) => results === 0)]).toEqual([id, []]);
  const use = await read<{ at: string }>('accounts/demo/traffic?step=hour');
  const times = use.map(({ at }) => Date.parse(at));
  for (const [index, at] of times.slice(1).entries())
    expect(at - (times[index] ?? 0)).toBeLessThanOrEqual(HOUR);
  const episodes = await read<Episode>('alerts/history?limit=1000');
  const now = Date.now();
  const ageOf = (alert: string, proxy?: string) =>
    Math.max(
      ...episodes
        .filter((each) => each.alert === alert && each.state === 'firing' && each.labels.proxy_id === proxy)
        .map(({ firing_since: since }) => now - Date.parse(since)),
    );
  // The proxy fails and the product is sold out from before the replay on.
  expect(ageOf('ProxyFailing', 'datacenter-5')).toBeGreaterThan(2 * DAY);
  expect(ageOf('ProductOutOfStock')).toBeGreaterThan(2 * DAY);
  const about = new Set(episodes.map(({ alert }) => alert));
  for (const alert of [
    'DataStale',
    'CollectorFailing',
    'TrafficDataLate',
    'ProxyTestsStale',
    'TrafficStopped',
  ])
    expect([alert, about.has(alert)]).toEqual([alert, false]);
});
