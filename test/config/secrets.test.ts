// Tests secrets from files: found relative to the configuration, read again when they change, never shown.

import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/config/load.ts';
import { objectWithSecrets, secret } from '../../src/config/primitives.ts';
import { exampleSchema } from './example-schema.ts';
import { configErrorOf, createFolder, loadText } from './support.ts';

const schema = objectWithSecrets(
  { name: z.string().default('main') },
  { key: secret(), proxy: secret().optional() },
);

const loadKeyFile = (text: string) => {
  const folder = createFolder({ 'config.yaml': 'key_file: secrets/key\n', 'secrets/key': text });
  const { config } = loadConfig(join(folder, 'config.yaml'), schema, {});
  return { key: config.key, file: join(folder, 'secrets/key') };
};

test('both forms are parsed to one field', () => {
  const folder = createFolder({ 'config.yaml': 'key: abc\nproxy_file: proxy\n', proxy: 'def\r\n' });
  const { config } = loadConfig(join(folder, 'config.yaml'), schema, {});
  expect(Object.keys(config).sort()).toEqual(['key', 'name', 'proxy']);
  expect(config.key.reveal()).toBe('abc');
  expect(config.proxy?.reveal()).toBe('def');
});

test('an optional secret that is not given is absent', () => {
  expect('proxy' in loadText('key: abc', schema).config).toBe(false);
});

test('a changed file is read again, whether it was overwritten or replaced', () => {
  const { key, file } = loadKeyFile('first\n');
  expect(key.reveal()).toBe('first');
  writeFileSync(file, 'the second\n');
  expect(key.reveal()).toBe('the second');
  writeFileSync(`${file}.new`, 'the third.\n');
  renameSync(`${file}.new`, file);
  expect(key.reveal()).toBe('the third.');
});

test('the last value is kept if the file is missing or empty', () => {
  const { key, file } = loadKeyFile('first\n');
  writeFileSync(file, '\n');
  expect(key.reveal()).toBe('first');
  rmSync(file);
  expect(key.reveal()).toBe('first');
  expect(key.refresh()).toBe(false);
  writeFileSync(file, 'second\n');
  expect(key.reveal()).toBe('second');
});

test('refresh reads a file that looks unchanged', () => {
  const { key, file } = loadKeyFile('first\n');
  // Whole seconds, because utimes cannot restore nanoseconds.
  utimesSync(file, 1_000, 1_000);
  expect(key.reveal()).toBe('first');
  expect(key.refresh()).toBe(false);
  const { ino } = statSync(file);
  writeFileSync(file, 'other\n');
  utimesSync(file, 1_000, 1_000);
  expect(statSync(file).ino).toBe(ino);
  expect(key.reveal()).toBe('first');
  expect(key.refresh()).toBe(true);
  expect(key.reveal()).toBe('other');
  expect(key.refresh()).toBe(false);
});

test('a secret in the configuration itself cannot be refreshed', () => {
  const { key } = loadText('key: abc', schema).config;
  expect(key.reveal()).toBe('abc');
  expect(key.refresh()).toBe(false);
});

test('secrets in lists and in unions may be written as files too', () => {
  const text = `
accounts:
  - name: main
    base_url: https://provider.example/1.0
    public_key: $\{KEY}
    private_key_file: $\{KEY_FILE}
    proxies: [{name: fr-1, proxy_file: proxy}, {service_id: API-1234-5678}]
receivers: [{type: webhook, url_file: hook}]
`;
  const folder = createFolder({
    'config.yaml': text,
    key: 'private',
    proxy: '192.0.2.1:80:user:pass\n',
    hook: 'https://hook.example/\n',
  });
  const env = { KEY: '0123', KEY_FILE: 'key' };
  const { config } = loadConfig(join(folder, 'config.yaml'), exampleSchema, env);
  const [account] = config.accounts;
  expect(account?.public_key.reveal()).toBe('0123');
  expect(account?.private_key.reveal()).toBe('private');
  expect(account?.proxies[0]).toMatchObject({ name: 'fr-1' });
  const [receiver] = config.receivers;
  expect(receiver?.type === 'webhook' && receiver.url.reveal()).toBe('https://hook.example/');
  expect(inspect(config, { depth: 9 }) + JSON.stringify(config)).not.toMatch(
    /0123|private"|pass|hook\.example/,
  );
});

// The canary is placed wherever a secret could be, correctly or by mistake.
const CANARY = 'canary-7f3a';
const ACCOUNT = 'name: main, base_url: "https://provider.example/1.0"';
const KEYS = 'public_key: a, private_key: b';

test.each([
  ['not text', `accounts: [{${ACCOUNT}, public_key: a, private_key: [${CANARY}]}]`],
  ['a map', `accounts: [{${ACCOUNT}, public_key: a, private_key: {${CANARY}: ${CANARY}}}]`],
  ['misspelt key', `accounts: [{${ACCOUNT}, public_key: a, privat_key: ${CANARY}}]`],
  ['a file and a value', `accounts: [{${ACCOUNT}, ${KEYS}, password: ${CANARY}, password_file: x}]`],
  ['a proxy for a map', `accounts: [{${ACCOUNT}, ${KEYS}, proxies: ["192.0.2.1:80:${CANARY}"]}]`],
  ['a proxy for a list', `accounts: [{${ACCOUNT}, ${KEYS}, proxies: "${CANARY}"}]`],
  ['a proxy for a key', `accounts: [{${ACCOUNT}, ${KEYS}, proxies: [{192.0.2.1:80:${CANARY}}]}]`],
  ['in a url', `accounts: [{${ACCOUNT}, ${KEYS}, urls: ["htp://shop.example/?t=${CANARY}"]}]`],
  ['in a userinfo', `accounts: [{name: a, base_url: "https://u:${CANARY}@x.example", ${KEYS}}]`],
  ['a receiver', `receivers: [{type: webhook, url: ${CANARY}}]`],
  ['from a file', 'receivers: [{type: webhook, url_file: canary}]'],
  ['environment: number', `accounts: [{${ACCOUNT}, ${KEYS}, requests_per_second: $\{CANARY}}]`],
  ['environment: part', `accounts: [{${ACCOUNT}, ${KEYS}, time_zone: "UTC$\{CANARY}"}]`],
  ['environment: default', `accounts: [{${ACCOUNT}, ${KEYS}, time_zone: "$\{ABSENT:-${CANARY}}"}]`],
  ['environment: enum', `accounts: [{${ACCOUNT}, ${KEYS}, traffic: {interval: $\{CANARY}}}]`],
  ['environment: path', `accounts: [{${ACCOUNT}, public_key: a, private_key_file: $\{CANARY}}]`],
  ['environment: discriminator', `receivers: [{type: $\{CANARY}}]`],
  ['environment: malformed', `accounts: [{${ACCOUNT}, ${KEYS}, password: "$\{${CANARY}"}]`],
  ['syntax: after a value', `private_key: [${CANARY}]]`],
  ['syntax: quote', `private_key: "${CANARY}`],
  ['syntax: tag', `private_key: !${CANARY} ${CANARY}`],
  ['syntax: alias', `private_key: *${CANARY}`],
  ['syntax: character', `private_key: @${CANARY}`],
  ['syntax: escape', `private_key: "\\q${CANARY}"`],
  ['syntax: second key', 'private_key: x\nprivate_key: canary-7f3a'],
  ['syntax: colon', `private_key: x: ${CANARY}`],
  ['syntax: document', `private_key: x\n---\n${CANARY}`],
  ['merge', `accounts: [{<<: ${CANARY}}]`],
  ['defaults', `defaults: ${CANARY}`],
  ['the whole file', CANARY],
])('a mistake shows no secret: %s', (_, text) => {
  const folder = createFolder({ 'config.yaml': text, canary: CANARY });
  const error = configErrorOf(() => loadConfig(join(folder, 'config.yaml'), exampleSchema, { CANARY }));
  expect(error.mistakes.length).toBeGreaterThan(0);
  expect(`${inspect(error, { depth: 9 })}${error.stack}${JSON.stringify(error.mistakes)}`).not.toContain(
    CANARY,
  );
});
