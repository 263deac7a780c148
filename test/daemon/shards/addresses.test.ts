// Tests the addresses of a shard: the names of its server, and what its alerts link to.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { alertLinks, hostSettings } from '../../../src/daemon/addresses.ts';
import { loadSettings } from '../../../src/daemon/load-settings.ts';
import { createFolder } from '../../config/support.ts';

const SHARDS = ['https://a.example.com/', 'https://b.example.com/'];

const addressesOf = (server: object, shard?: string) => {
  const accounts = [{ name: 'main', public_key: 'public', private_key: 'private' }];
  const folder = createFolder({ 'config.yaml': JSON.stringify({ server, accounts }) });
  const env = shard === undefined ? {} : { PROXYWATCH_SHARD: shard };
  const { config } = loadSettings(join(folder, 'config.yaml'), env);
  return [hostSettings(config).externalUrls, alertLinks(config).externalUrl];
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
