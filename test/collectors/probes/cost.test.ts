// Tests what check-config says about the cost of probes, and its warnings about targets and the byte budget.

import { describe, expect, it } from 'vitest';
import { MOST_BYTES } from '../../../src/collectors/probes/budget/byte-prices.ts';
import { costOf } from '../../../src/collectors/probes/cost.ts';
import { probeOptions } from '../../../src/collectors/probes/options.ts';
import { gateways, staticProxies } from './probes-harness.ts';

const NOON = Date.parse('2026-07-06T12:00:00Z');
/** At the default schedule. */
const SLOTS = 288;

const CONTROL = { urls: ['https://a.example.com/', 'https://b.example.com/'] };

const cost = (options: Record<string, unknown>) =>
  costOf(
    probeOptions.parse({ urls: ['https://www.example.com/'], control: CONTROL, ...options }),
    'UTC',
    NOON,
  );

describe('the cost of probes', () => {
  it('counts bytes by depth, and those of metered proxies up to the budget', () => {
    const free = cost({ proxies: staticProxies(10) });
    expect(free.proxyBytesPerDay).toBe(SLOTS * 10 * 5_500);
    expect(free.warnings).toEqual([]);
    expect(free.testRunsPerDay).toBeUndefined();
    const tunnel = cost({
      proxies: staticProxies(10),
      urls: [{ url: 'https://www.example.com/', depth: 'tunnel' }],
    });
    expect(tunnel.proxyBytesPerDay).toBe(SLOTS * 10 * 300);
    const metered = cost({ proxies: [...staticProxies(10), ...gateways(10)], max_bytes_per_day: '5MB' });
    expect(metered.proxyBytesPerDay).toBe(SLOTS * 10 * 5_500 + 5e6);
    expect(metered.warnings).toEqual([expect.stringContaining('so they take turns')]);
    expect(metered.assumptions[0]).toContain('15.8 MB through datacenter and ISP proxies, 5 MB through');
  });

  it('includes controls and exits in the connections', () => {
    const { assumptions } = cost({
      proxies: staticProxies(10),
      exit: { url: 'https://echo.example.com/', every: '1h' },
    });
    expect(assumptions[0]).toMatch(/^3,696 connections a day/);
  });

  it('takes the type of the proxies of a search from its filter', () => {
    const searchOf = (proxy_type: string) => [{ search: { proxy_type } }];
    const [isp, mobile] = ['isp', 'mobile'].map((type) => cost({ proxies: searchOf(type) }).assumptions[0]);
    expect(isp).toContain('158.4 MB through datacenter and ISP proxies, 0 bytes through');
    expect(mobile).toContain('; 0 bytes through datacenter and ISP proxies, 158.4 MB through');
  });

  it('warns about a budget that allows no probe of a metered proxy', () => {
    const { warnings } = cost({ proxies: gateways(1), max_bytes_per_day: '100kB' });
    expect(warnings).toEqual([expect.stringContaining('does not probe residential and mobile proxies')]);
  });

  it.each([
    ['300KiB', '(300 KiB)', /\([\d.]+ KiB\)/],
    ['100kB', '(100 kB)', /\([\d.]+ kB\)/],
    [500, '(500 bytes)', /\([\d,]+ bytes\)/],
  ])('shows the limit %s and what is compared with it in the unit of the limit', (limit, shown, other) => {
    const { warnings } = cost({ proxies: gateways(1), max_bytes_per_day: limit });
    expect(warnings[0]).toContain(shown);
    expect(warnings[0]?.replace(shown, '')).toMatch(other);
  });

  it('shows small amounts in kB', () => {
    const { assumptions } = cost({ proxies: gateways(1), schedule: '0 4 * * *' });
    expect(assumptions[0]).toContain('5.5 kB through residential and mobile proxies');
  });

  it('warns about targets that gateways refuse, if there are gateways', () => {
    const urls = [
      { name: 'plain', url: 'http://www.example.com/' },
      { name: 'port', url: 'https://www.example.com:8443/' },
      { name: 'allowed', url: 'http://ip-api.com/json' },
      { name: 'good', url: 'https://www.example.com/' },
    ];
    const warned = cost({ urls, proxies: gateways(1) }).warnings.join('\n');
    expect(warned).toContain('"plain"');
    expect(warned).toContain('"port"');
    expect(warned).not.toMatch(/"allowed"|"good"/);
    expect(cost({ urls, proxies: staticProxies(1) }).warnings).toEqual([]);
  });

  it('warns about an exit url that gateways refuse, or that the budget does not allow', () => {
    const options = { proxies: gateways(1), schedule: '0 * * * *' };
    const exit = { url: 'http://echo.example.com/ip' };
    expect(cost({ ...options, exit }).warnings).toEqual([
      'the exit url "http://echo.example.com/ip" is not on port 443 (https), and the provider\'s residential and mobile gateways refuse such targets; use an https:// url',
    ]);
    const secure = { url: 'https://echo.example.com/ip' };
    const max_bytes_per_day = MOST_BYTES.tls + MOST_BYTES.http - 1;
    expect(cost({ ...options, exit: secure, max_bytes_per_day }).warnings).toEqual([
      expect.stringContaining('does not check the exits of residential and mobile proxies'),
    ]);
    expect(cost({ ...options, exit: secure, max_bytes_per_day: max_bytes_per_day + 1 }).warnings).toEqual([]);
    expect(cost({ ...options, proxies: staticProxies(1), exit }).warnings).toEqual([]);
  });

  it.each([
    ['the only url', undefined, '"https://www.example.com/"'],
    ['the only url of the controls', { urls: ['https://a.example.com/'] }, '"https://a.example.com/"'],
  ])('warns that an outage of one target looks like a fault of this machine: %s', (_, control, named) => {
    expect(cost({ proxies: staticProxies(1), control }).warnings).toEqual([
      `there is only one control, ${named}, so an outage of this target cannot be told from a fault of this machine; add a second url to control.urls`,
    ]);
  });

  it('does not warn without controls', () => {
    expect(cost({ proxies: staticProxies(1), control: false }).warnings).toEqual([]);
  });

  it('knows the proxies of proxy_tests, and says if there are none', () => {
    const options = probeOptions.parse({ urls: ['https://www.example.com/'], control: false });
    expect(costOf(options, 'UTC', NOON, {}).warnings).toEqual([expect.stringContaining('no proxies')]);
    const { proxies } = probeOptions.parse({ urls: ['https://www.example.com/'], proxies: staticProxies(3) });
    if (proxies === 'same') throw new Error('expected a list');
    const proxy_tests = {
      proxies,
      urls: [],
      tester_servers: [],
      schedule: '*/10 * * * *',
      max_runs_per_day: 1,
    };
    expect(costOf(options, 'UTC', NOON, { proxy_tests }).proxyBytesPerDay).toBe(SLOTS * 3 * 5_500);
  });
});
