// Tests the simulated gateways: TLS, options in the user name, exits, and what they refuse by policy and by quota.

import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { parseGatewayUser } from '../../../src/simulator/proxies/gateway.ts';
import type { ListedProxy } from '../../../src/simulator/proxies/simulated-proxy.ts';
import {
  basic,
  codeOf,
  connectTo,
  exchange,
  getThrough,
  openProxies,
  openTunnel,
  statusOf,
} from './proxy-client.ts';

const withOptions = (proxy: ListedProxy, options: string): ListedProxy => ({
  ...proxy,
  username: `${proxy.username}${options}`,
});

const codeFor = async (proxy: ListedProxy, target?: string) => {
  const { head, socket } = await openTunnel(proxy, target);
  socket.destroy();
  return { status: statusOf(head), code: codeOf(head) };
};

describe('TLS', () => {
  test('is offered by gateways, with a certificate of the authority', async () => {
    await using world = await openProxies();
    const { host, port, ...gateway } = world.proxies.gateways.mobile;
    const secure = connectTls({ host, port, ca: world.proxies.ca });
    await once(secure, 'secureConnect');
    const { head, socket } = await openTunnel({ host, port, ...gateway }, 'check.example:443', secure);
    expect([secure.authorized, codeOf(head)]).toEqual([true, '200']);
    socket.destroy();
  });

  test('is not offered by static proxies', async () => {
    await using world = await openProxies();
    const secure = connectTls({ socket: await connectTo(world.proxyAt(0)), ca: world.proxies.ca });
    const [error] = await once(secure, 'error').catch((thrown: unknown) => [thrown]);
    expect(String(error)).toContain('SSL');
    secure.destroy();
  });
});

describe('options in the user name', () => {
  test('choose the country of the exit', async () => {
    await using world = await openProxies();
    const countries = ['gb', 'de', 'fr', 'us'].map(async (country) => {
      const gateway = withOptions(world.proxies.gateways.residential, `_c_${country}`);
      return JSON.parse(await getThrough(gateway, '/ip.json', world.proxies.ca)).country;
    });
    expect(await Promise.all(countries)).toEqual(['gb', 'de', 'fr', 'us']);
  });

  test('keep the exit of a session for its time to live; without a session it changes', async () => {
    await using world = await openProxies();
    const exitsOf = async (options: string, waitMs: number): Promise<number> => {
      const gateway = withOptions(world.proxies.gateways.residential, options);
      const exits = new Set<string>();
      for (let turn = 0; turn < 8; turn += 1) {
        exits.add(await getThrough(gateway, '/ip', world.proxies.ca));
        world.clock.advance(waitMs);
      }
      return exits.size;
    };
    expect(await exitsOf('_s_abc_ttl_30m', MINUTE)).toBeLessThanOrEqual(2);
    expect(await exitsOf('_s_abc_ttl_30m', 30 * MINUTE)).toBeGreaterThan(3);
    expect(await exitsOf('', 0)).toBeGreaterThan(3);
  });

  test.each([
    ['an unknown option', '_x_gb', 400, '2061'],
    ['a repeated option', '_c_gb_c_de', 400, '2061'],
    ['a malformed time', '_s_a_ttl_soon', 400, '2061'],
    ['a country without nodes', '_c_zz', 503, '4511'],
    ['a city of another country', '_c_de_city_london', 503, '4511'],
    ['a network without nodes', '_asn_7922', 503, '4511'],
    ['a state with two words', '_state_new_york', 200, '200'],
    [
      'everything at once',
      '_c_gb_state_england_city_london_asn_64500_zip_ec1a_s_a1_ttl_30m_smartpath',
      200,
      '200',
    ],
  ])('%s', async (_, options, status, code) => {
    await using world = await openProxies();
    expect(await codeFor(withOptions(world.proxies.gateways.residential, options))).toEqual({ status, code });
  });

  test('do not hide wrong credentials', async () => {
    await using world = await openProxies();
    const gateway = { ...withOptions(world.proxies.gateways.residential, '_x'), password: 'wrong' };
    expect(await codeFor(gateway)).toEqual({ status: 407, code: '2011' });
  });

  test('are read without a change', () => {
    const word = fc.stringMatching(/^[a-z\d]{1,12}$/);
    const number = fc.integer({ min: 1, max: 999_999 });
    const seconds = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
    fc.assert(
      fc.property(word, number, fc.constantFrom('s', 'm', 'h'), fc.boolean(), (session, ttl, unit, smart) => {
        const text = `user-000001_s_${session}_ttl_${ttl}${unit}${smart ? '_smartpath' : ''}`;
        expect(parseGatewayUser(text)).toMatchObject({
          username: 'user-000001',
          options: { session, ttlMs: ttl * seconds[unit], isSmartpath: smart },
        });
      }),
    );
  });
});

describe('a gateway refuses', () => {
  test.each([
    ['other ports than 443', 'check.example:80', 403, '3161'],
    ['a blocked domain', 'www.blocked.example:443', 403, '4231'],
  ])('%s', async (_, target, status, code) => {
    await using world = await openProxies();
    expect(await codeFor(world.proxies.gateways.residential, target)).toEqual({ status, code });
    expect(await codeFor(world.proxyAt(0), target)).toEqual({ status: 200, code: '200' });
  });

  test('plain HTTP, except to one address service', async () => {
    await using world = await openProxies();
    const gateway = world.proxies.gateways.residential;
    const ask = (host: string) =>
      exchange(gateway, `GET http://${host}/json HTTP/1.1\r\nHost: ${host}\r\n${basic(gateway)}\r\n`);
    expect(codeOf(await ask('check.example'))).toBe('3161');
    expect(await ask('ip-api.com')).toMatch(/"query":"127\.0\.12\d\.\d+"/);
  });

  test('a user without bytes, and only for the product that is used up', async () => {
    await using world = await openProxies({ limits: { unlimited: 0, zero: 1, near: 0, over: 0 } });
    expect(await codeFor(world.proxies.gateways.mobile)).toEqual({ status: 429, code: '4221' });
    expect(await codeFor(world.proxyAt(0))).toEqual({ status: 200, code: '200' });
  });
});
