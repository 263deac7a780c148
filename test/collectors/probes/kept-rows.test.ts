// Tests which rows of probes the daemon keeps, and that a reload notices every change of what an answer must have.

import { expect, it } from 'vitest';
import { probeOptions } from '../../../src/collectors/probes/options.ts';
import { isUnchanged } from '../../../src/config/unchanged.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { FakeProber } from './fake-probe.ts';
import { buildProbes, staticProxies } from './probes-harness.ts';

it('a changed expectation is a change of the settings', () => {
  const optionsWith = (body: string) =>
    probeOptions.parse({ urls: [{ url: 'https://www.example.com/', depth: 'http', expect: { body } }] });
  expect(isUnchanged(optionsWith('in stock'), optionsWith('in stock'))).toBe(true);
  expect(isUnchanged(optionsWith('in stock'), optionsWith('sold out'))).toBe(false);
});

it('probed proxies stay however old they are, and removed ones are deleted after the retention', async () => {
  const prober = new FakeProber();
  const retention = { raw: '8d', hourly: '31d', daily: '91d' };
  await using harness = await buildProbes(prober, {
    retention,
    probes: { schedule: '0 0 * * *', proxies: staticProxies(2) },
  });
  await harness.restart({ probes: { ...onlyFirst(), schedule: '0 0 * * *' } });
  for (let days = 0; days < 200; days += 10) await harness.advance(10 * DAY);
  // The maintenance runs once an hour.
  for (let hour = 0; hour < 2; hour += 1) await harness.advance(HOUR);
  const kept = await harness.app.store.tests.proxies('probes/main');
  expect(kept.map(({ proxy }) => proxy)).toEqual(['p1']);
});

const onlyFirst = () => ({
  urls: [{ name: 'check', url: 'https://www.example.com/check' }],
  proxies: staticProxies(1),
  control: false,
});
