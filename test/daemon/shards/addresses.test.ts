// Tests the addresses of a daemon and of a shard: the names of its server, and what its alerts link to.

import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { alertLinks, hostSettings, type Served } from '../../../src/daemon/addresses.ts';
import { loadSettings } from '../../../src/daemon/load-settings.ts';
import { createFolder } from '../../config/support.ts';

const SHARDS = ['https://a.example.com/', 'https://b.example.com/'];

const settingsOf = (server: object, shard?: string) => {
  const accounts = [{ name: 'main', public_key: 'public', private_key: 'private' }];
  const folder = createFolder({ 'config.yaml': JSON.stringify({ server, accounts }) });
  const env = shard === undefined ? {} : { PROXYWATCH_SHARD: shard };
  return loadSettings(join(folder, 'config.yaml'), env).config;
};

const addressesOf = (...options: Parameters<typeof settingsOf>) => {
  const settings = settingsOf(...options);
  return [hostSettings(settings).externalUrls, alertLinks(settings).externalUrl];
};

it('a shard answers at its own address, and its alerts link to it', () => {
  expect(addressesOf({ shards: SHARDS }, '1/2')).toEqual([[SHARDS[1]], SHARDS[1]]);
});

it('the alerts of all shards link to the external address, if there is one', () => {
  const external = 'https://proxywatch.example.com/';
  const server = { shards: SHARDS, external_url: external };
  expect(addressesOf(server, '1/2')).toEqual([[external, SHARDS[1]], external]);
});

it('a daemon without shards has no address of a shard', () => {
  expect(addressesOf({ shards: SHARDS })).toEqual([[], undefined]);
  expect(addressesOf({}, '1/2')).toEqual([[], undefined]);
});

describe('without a configured address, alerts link to the address that the daemon serves', () => {
  const HTTP: Served = { scheme: 'http', port: 9876 };

  test.each([
    ['the default address', {}, 'http://127.0.0.1:9876/'],
    ['an address', { listen: '192.0.2.7:9876' }, 'http://192.0.2.7:9876/'],
    ['an IPv6 address', { listen: '[::1]:9876' }, 'http://[::1]:9876/'],
    ['a name', { listen: 'monitor.example.com:9876' }, 'http://monitor.example.com:9876/'],
    ['all IPv4 addresses', { listen: ':9876' }, `http://${hostname().toLowerCase()}:9876/`],
    ['all IPv6 addresses', { listen: '[::]:9876' }, `http://${hostname().toLowerCase()}:9876/`],
    [
      'all addresses under some names',
      { listen: ':9876', allowed_hosts: ['*', 'monitor.example.com', 'other.example.com'] },
      'http://monitor.example.com:9876/',
    ],
    [
      'an address, with an external one',
      { external_url: 'https://a.example.com/' },
      'https://a.example.com/',
    ],
  ])('%s', (_, server, page) => {
    expect(alertLinks(settingsOf(server), undefined, HTTP).externalUrl).toBe(page);
  });

  it('with TLS and the port that the system chose', () => {
    const settings = settingsOf({ listen: '127.0.0.1:0' });
    const linkOf = (served: Served) => alertLinks(settings, undefined, served).externalUrl;
    expect(linkOf({ scheme: 'https', port: 40_123 })).toBe('https://127.0.0.1:40123/');
    expect(linkOf({ scheme: 'https', port: 443 })).toBe('https://127.0.0.1/');
    expect(linkOf({ scheme: 'http', port: 0 })).toBeUndefined();
  });
});
