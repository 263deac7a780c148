// Tests that a shard loads its own accounts from a configuration that all shards share.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { loadSettings } from '../../../src/daemon/load-settings.ts';
import { ownerOf } from '../../../src/daemon/shards/shard.ts';
import { createFolder } from '../../config/support.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const ACCOUNTS = NAMES.map((name) => `  - {name: ${name}, public_key: public, private_key: private}\n`).join(
  '',
);

const load = (text: string, shard?: string) =>
  loadSettings(join(createFolder({ 'config.yaml': text }), 'config.yaml'), {
    ...(shard !== undefined && { PROXYWATCH_SHARD: shard }),
  });

const messagesOf = (text: string, shard: string): string[] => {
  try {
    load(text, shard);
  } catch (error) {
    if (error instanceof ConfigError)
      return error.mistakes.map(({ line, path, message }) => `${line} ${path}: ${message}`);
    throw error;
  }
  return [];
};

it('all shards together run each account once', () => {
  const all = [0, 1, 2].flatMap((shard) => {
    const { config } = load(`accounts:\n${ACCOUNTS}`, `${shard}/3`);
    expect(config.sharding).toMatchObject({ index: shard, count: 3 });
    for (const { name } of config.accounts) expect(ownerOf(name, 3)).toBe(shard);
    return config.accounts.map(({ name }) => name);
  });
  expect(all.toSorted()).toEqual(NAMES);
});

it.each([undefined, ''])('without a shard, the daemon runs all accounts (%s)', (shard) => {
  const { config } = load(`accounts:\n${ACCOUNTS}`, shard);
  expect(config.accounts.map(({ name }) => name)).toEqual(NAMES);
  expect(config.sharding).toMatchObject({ index: 0, count: 1 });
});

it('a pinned account runs on its shard, and on the only one without shards', () => {
  const text = `accounts:\n${ACCOUNTS.replaceAll('{name', '{shard: 2, name')}`;
  expect(load(text, '1/3').config.accounts).toEqual([]);
  expect(load(text, '2/3').config.accounts.map(({ name }) => name)).toEqual(NAMES);
  expect(load(text, '2/3').config.sharding?.owners.every(({ isPinned }) => isPinned)).toBe(true);
  expect(load(text).config.accounts.map(({ name }) => name)).toEqual(NAMES);
});

it('an account that is pinned to a shard that does not exist is a mistake of every shard', () => {
  const text = `accounts:\n${ACCOUNTS}  - {name: g, shard: 3, public_key: public, private_key: private}\n`;
  for (const shard of ['0/3', '1/3'])
    expect(messagesOf(text, shard)).toEqual([
      '8 accounts[6].shard: expected a number from 0 to 2, because there are 3 shards',
    ]);
  expect(messagesOf(text, '0/4')).toEqual([]);
});

it('a mistake has its place in the file, although accounts of other shards come before', () => {
  const { config, mistakeAt } = load(`accounts:\n${ACCOUNTS}`, '1/3');
  for (const [index, { name }] of config.accounts.entries())
    expect(mistakeAt(['accounts', index, 'traffic'], 'wrong')).toMatchObject({
      line: 2 + NAMES.indexOf(name),
      path: `accounts[${NAMES.indexOf(name)}].traffic`,
    });
});

it('it is known which values of an account come from the environment, although others come before', () => {
  const text = ACCOUNTS.replaceAll(/name: (\w), public_key: public/g, (_, name) =>
    name === 'd' ? `name: d, public_key: "\${KEY}"` : `name: ${name}, public_key: public`,
  );
  const env = { PROXYWATCH_SHARD: `${ownerOf('d', 3)}/3`, KEY: 'key' };
  const file = join(createFolder({ 'config.yaml': `accounts:\n${text}` }), 'config.yaml');
  const { config, isFromEnvironment } = loadSettings(file, env);
  expect(config.accounts.length).toBeGreaterThan(0);
  for (const [index, { name }] of config.accounts.entries())
    expect([name, isFromEnvironment(['accounts', index, 'public_key'])]).toEqual([name, name === 'd']);
});

const HEARTBEAT = 'alerts: {receivers: [{name: dead-man, type: heartbeat, url: "https://hc.example.com/';

it('a heartbeat carries the number of the shard', () => {
  const text = `${HEARTBEAT}token-{shard}?{shard}"}]}\naccounts:\n${ACCOUNTS}`;
  const urlOf = (shard?: string) => {
    const [receiver] = load(text, shard).config.alerts.receivers;
    return receiver?.type === 'heartbeat' ? [receiver.url.reveal(), `${receiver.url}`] : [];
  };
  expect(urlOf('2/3')).toEqual(['https://hc.example.com/token-2?2', '[secret]']);
  expect(urlOf()).toEqual(['https://hc.example.com/token-0?0', '[secret]']);
});

it('shards must not send heartbeats to one address', () => {
  const text = `${HEARTBEAT}token"}]}\naccounts:\n${ACCOUNTS}`;
  expect(messagesOf(text, '0/2')).toEqual([
    expect.stringMatching(/^1 alerts\.receivers\[0\]\.url: expected \{shard\} in the address/),
  ]);
  expect(messagesOf(text, '0/1')).toEqual([]);
});

it('shards must not resolve the incidents of each other in PagerDuty', () => {
  const textWith = (more: string) =>
    `alerts: {receivers: [{name: pd, type: webhook, template: pagerduty, routing_key: key${more}}]}\naccounts:\n${ACCOUNTS}`;
  expect(messagesOf(textWith(', group_by: [alertname]'), '0/2')).toEqual([
    expect.stringMatching(/^1 alerts\.receivers\[0\]\.group_by: expected account in the list/),
  ]);
  expect(messagesOf(textWith(', group_by: [alertname]'), '0/1')).toEqual([]);
  expect(messagesOf(textWith(''), '0/2')).toEqual([]);
});

it('the addresses of the pages must be as many as the shards', () => {
  const text = `server: {shards: ["http://a.example.com", "http://b.example.com"]}\naccounts:\n${ACCOUNTS}`;
  expect(messagesOf(text, '0/3')).toEqual([
    '1 server.shards: expected 3 addresses, one for each shard, and found 2',
  ]);
  expect(messagesOf(text, '0/2')).toEqual([]);
  const repeated = text.replace('b.example', 'a.example');
  expect(messagesOf(repeated, '0/2')).toEqual(['1 server.shards[1]: shard 0 has this address already']);
  expect(messagesOf(repeated, '0/1')).toEqual([]);
});

it('mistakes of the shards are reported with all others', () => {
  const twice = '  - {name: a, shard: 3, public_key: public, private_key: private}\n';
  expect(messagesOf(`accounts:\n${ACCOUNTS}${twice}`, '0/3')).toEqual([
    '8 accounts[6].name: another account has the name "a" already',
    expect.stringMatching(/^8 accounts\[6\]\.shard: expected a number from 0 to 2/),
  ]);
});

it('a shard that cannot be read is a mistake, and starts nothing', () => {
  expect(messagesOf(`accounts:\n${ACCOUNTS}`, '3/3')).toEqual([
    expect.stringContaining('PROXYWATCH_SHARD is not valid: expected a shard and the number of shards'),
  ]);
});
