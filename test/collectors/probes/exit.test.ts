// Tests whether the exit of a proxy is the expected one: how echoes are read, and how rounds compare them.

import { describe, expect, it } from 'vitest';
import { MOST_BYTES } from '../../../src/collectors/probes/budget/byte-prices.ts';
import { compareExit, normalAddress, readEcho } from '../../../src/collectors/probes/exit/exit-check.ts';
import { type Log, silentLog } from '../../../src/lib/log.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { ProbeResult } from '../../../src/prober/probe.ts';
import { proxyAddress } from '../../../src/simulator/identities.ts';
import { FakeProber, failed, passed } from './fake-probe.ts';
import { buildProbes, gateways, staticProxies, URLS } from './probes-harness.ts';

describe('an echo', () => {
  it.each([
    ['203.0.113.7\n', { address: '203.0.113.7', country: null }],
    ['{"ip":"203.0.113.7","country":"GB"}', { address: '203.0.113.7', country: 'gb' }],
    [
      '{"query":"203.0.113.7","country":"United Kingdom","countryCode":"GB"}',
      { address: '203.0.113.7', country: 'gb' },
    ],
    ['{"ip":"2001:DB8::0:1"}', { address: '2001:db8::1', country: null }],
    ['::ffff:203.0.113.7', { address: '203.0.113.7', country: null }],
  ])('%s is read', (body, echo) => {
    expect(readEcho(body)).toEqual(echo);
  });

  it.each(['', 'hello', '{}', '[]', 'null', '{"ip":7}', '{"ip":"x"}', '<html>203.0.113.7</html>', '{"ip":'])(
    '%s shows nothing',
    (body) => {
      expect(readEcho(body)).toBeUndefined();
    },
  );
});

describe('an exit', () => {
  const expected = { addresses: ['192.0.2.1', normalAddress('2001:db8:0:0::5')] };

  it('is right if it is one of the known addresses', () => {
    for (const address of expected.addresses)
      expect(compareExit(expected, { address, country: null })).toMatchObject({ isMismatch: false });
    expect(compareExit(expected, { address: '192.0.2.9', country: null })).toEqual({
      ...{ expected: '192.0.2.1', seen: '192.0.2.9', isMismatch: true },
    });
  });

  it('is unknown if no address of its family is known, or if the echo has no country', () => {
    expect(
      compareExit({ addresses: ['192.0.2.1'] }, { address: '2001:db8::1', country: null }),
    ).toBeUndefined();
    expect(compareExit({ country: 'gb' }, { address: '192.0.2.1', country: null })).toBeUndefined();
  });
});

describe('a round', () => {
  const MISMATCH = 'proxywatch_probe_exit_mismatch';
  const probes = {
    ...{ schedule: '*/10 * * * *', urls: URLS.slice(0, 1) },
    exit: { url: 'https://echo.example.com/ip' },
  };
  const echo = (body: string): ProbeResult => ({ ...passed, status: 200, body });

  it('compares the country that a gateway was asked for, once an hour', async () => {
    const prober = new FakeProber();
    prober.answer = ({ at, target }) => {
      if (target !== '/ip') return passed;
      return echo(`{"ip": "203.0.113.99", "country": "${at === '203.0.113.1' ? 'GB' : 'FR'}"}`);
    };
    await using harness = await buildProbes(prober, { probes: { ...probes, proxies: gateways(2) } });
    const samples = await harness.samples();
    expect(samples.value(MISMATCH, { proxy_id: 'g1' })).toBe(0);
    expect(samples.value(MISMATCH, { proxy_id: 'g2' })).toBe(1);
    const asked = (): number => prober.take().filter((made) => made.endsWith('/ip')).length;
    expect(asked()).toBe(2);
    await harness.advance(10 * MINUTE);
    expect(asked()).toBe(0);
    await harness.restart();
    await harness.advance(HOUR);
    expect(asked()).toBe(2);
  });

  it('does not ask for static proxies whose address is unknown, and asks with the address that the provider gave', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober, {
      probes: { ...probes, proxies: [...staticProxies(1), { search: {} }] },
    });
    const asked = prober.made.filter(({ target }) => target === '/ip').map(({ at }) => at);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked).not.toContain('192.0.2.1');
    prober.answer = ({ at, target }) => (target === '/ip' ? echo(at) : passed);
    await harness.advance(HOUR + 10 * MINUTE);
    const values = (await harness.samples()).all(MISMATCH).map(({ value }) => value);
    expect(values).toHaveLength(asked.length);
    expect(new Set(values)).toEqual(new Set([0]));
  });

  it('asks for a configured proxy with the address of the one in the inventory that listens there', async () => {
    const prober = new FakeProber();
    prober.answer = ({ target }) => (target === '/ip' ? echo('203.0.113.99') : passed);
    const { host, httpPort } = proxyAddress(1);
    const configured = { name: 'mine', product_type: 'isp', proxy: `${host}:${httpPort}:alice:hunter2` };
    await using harness = await buildProbes(prober, {
      account: { inventory: {} },
      probes: { ...probes, proxies: [configured] },
    });
    await harness.advance(10 * MINUTE);
    expect((await harness.samples()).value(MISMATCH, { proxy_id: 'mine' })).toBe(1);
    expect(await harness.app.store.probes.exits('probes/main')).toMatchObject([
      { expected: host, seen: '203.0.113.99' },
    ]);
  });

  it('counts the bytes and the refusal of the check', async () => {
    const prober = new FakeProber();
    prober.answer = ({ target }) =>
      target === '/ip' ? failed('tunnel', 'policy', { refusal: 'policy' }) : passed;
    await using harness = await buildProbes(prober, { probes: { ...probes, proxies: gateways(1) } });
    const samples = await harness.samples();
    expect(samples.value('proxywatch_probe_refusals_total', { class: 'policy' })).toBe(1);
    const url = 'https://echo.example.com/ip';
    expect(samples.value('proxywatch_probe_bytes_total', { url, direction: 'received' })).toBe(300);
  });

  it('logs once when an exit begins to be wrong, and once when it is right again', async () => {
    const prober = new FakeProber();
    let body = '{"ip": "203.0.113.99", "country": "FR"}';
    prober.answer = ({ target }) => (target === '/ip' ? echo(body) : passed);
    const lines: unknown[] = [];
    const add = (fields: Record<string, unknown>, message: string): void => {
      if ('seen' in fields) lines.push([message, fields]);
    };
    const log: Log = { ...silentLog, warn: add, info: add, child: () => log };
    await using harness = await buildProbes(prober, { log, probes: { ...probes, proxies: gateways(1) } });
    await harness.advance(HOUR);
    await harness.advance(HOUR);
    const fields = { proxy: 'g1', expected: 'gb' };
    const begin = ['targets see another exit than expected through this proxy', { ...fields, seen: 'fr' }];
    expect(lines).toEqual([begin]);
    body = '{"ip": "203.0.113.99", "country": "GB"}';
    await harness.advance(HOUR);
    await harness.advance(HOUR);
    const end = ['targets see the expected exit through this proxy again', { ...fields, seen: 'gb' }];
    expect(lines).toEqual([begin, end]);
  });

  it('probes a metered proxy without the check, if the budget allows no more', async () => {
    const prober = new FakeProber();
    const max_bytes_per_day = MOST_BYTES.tls + MOST_BYTES.http - 1;
    await using harness = await buildProbes(prober, {
      probes: { ...probes, schedule: '0 * * * *', proxies: gateways(1), max_bytes_per_day },
    });
    await harness.advance(HOUR);
    expect(prober.take()).toEqual(['203.0.113.1 /check', '203.0.113.1 /check']);
  });

  it('forgets a mismatch when nothing is expected of the exit any more, or something else', async () => {
    const prober = new FakeProber();
    prober.answer = ({ target }) =>
      target === '/ip' ? echo('{"ip": "203.0.113.99", "country": "FR"}') : passed;
    const ofUser = (username: string) => ({
      ...{ name: 'g1', product_type: 'residential' },
      proxy: `http://${username}:hunter2@203.0.113.1:8000`,
    });
    const optionsOf = (username: string) => ({
      ...{ ...probes, control: false, proxies: [ofUser(username)] },
    });
    await using harness = await buildProbes(prober, { probes: optionsOf('bob_c_gb') });
    const mismatches = async (): Promise<number[]> =>
      (await harness.samples()).all(MISMATCH).map(({ value }) => value);
    expect(await mismatches()).toEqual([1]);
    await harness.restart({ probes: optionsOf('bob') });
    await harness.advance(10 * MINUTE);
    expect(await mismatches()).toEqual([]);
    await harness.restart({ probes: optionsOf('bob_c_de') });
    await harness.advance(2 * HOUR);
    expect(await mismatches()).toEqual([1]);
    await harness.restart({ probes: optionsOf('bob_c_fr') });
    await harness.advance(10 * MINUTE);
    expect(await mismatches()).toEqual([]);
    await harness.advance(2 * HOUR);
    expect(await mismatches()).toEqual([0]);
  });

  it('keeps the last comparison when the echo fails, and does not ask again in each round', async () => {
    const prober = new FakeProber();
    prober.answer = ({ target }) => (target === '/ip' ? failed('response', 'timeout') : passed);
    await using harness = await buildProbes(prober, { probes: { ...probes, proxies: gateways(1) } });
    await harness.advance(10 * MINUTE);
    expect(prober.take().filter((made) => made.endsWith('/ip'))).toHaveLength(1);
    expect((await harness.samples()).all(MISMATCH)).toEqual([]);
  });
});
