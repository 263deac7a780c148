// Tests the daemon with a web.yml: it serves over TLS with a password, and shows neither password nor hash.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfig } from '../../src/cli/check-config.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import {
  CERTIFICATES,
  HASH,
  PASSWORD,
  pem,
  request,
  TLS,
  withCertificate,
} from '../http/web-config-support.ts';
import { Program } from './program.ts';
import { configText, runCommand } from './run-command.ts';

const USER = 'prometheus';
const [, , , SALT_AND_SUM = ''] = HASH.split('$');
/** Includes the forms that requests contain. */
const SECRETS = [PASSWORD, 'guess-1', SALT_AND_SUM, btoa(`${USER}:${PASSWORD}`), btoa(`${USER}:guess-1`)];

const secretsIn = (text: string): string[] => SECRETS.filter((secret) => text.includes(secret));

const folderWith = (config: string, web: string): string => {
  const folder = createFolder({ 'config.yaml': config });
  mkdirSync(join(folder, 'web'));
  for (const name of ['server.pem', 'server.key']) writeFileSync(join(folder, 'web', name), pem(name));
  writeFileSync(join(folder, 'web/web.yml'), web);
  return folder;
};

const SERVER = { listen: '127.0.0.1:0', web_config_file: 'web/web.yml' };
/** Turns off collectors whose runs would have to be waited for. */
const QUIET = { traffic: false, residential_ledger: false, reconciliation: false };
const OTHERS = { server: SERVER, log: { level: 'trace' }, store: { path: 'store.db' } };

test('a daemon serves over TLS to clients with the password, and shows no secret', async () => {
  await using provider = await startSimulator({ scenario: { users: 2, proxies: 2 }, now: () => Date.now() });
  const users = { [USER]: HASH, endless: HASH.replace('$04$', '$31$') };
  const tls = { ...TLS, client_auth_type: 'VerifyClientCertIfGiven' };
  const web = JSON.stringify({ tls_server_config: tls, basic_auth_users: users });
  const folder = folderWith(configText(provider, QUIET, OTHERS), web);
  // Without client_ca, the certificates of clients are verified with the system's roots, which this makes the test's.
  const env = { SSL_CERT_FILE: join(CERTIFICATES, 'ca.pem') };
  await using program = Program.start(['run', '--config', join(folder, 'config.yaml')], { env });
  const url = await program.url();
  expect(url).toMatch(/^https:/);
  const paths = ['/metrics', '/', '/api/v1/status', '/-/healthy', '/nothing'];
  const options = [{}, { auth: `${USER}:guess-1` }, { auth: `${USER}:${PASSWORD}` }];
  const answers = [];
  for (const each of options) for (const path of paths) answers.push(await request(url + path, each));
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 200, 200, 200, 200, 404]);
  expect(secretsIn(JSON.stringify(answers))).toEqual([]);
  expect((await request(url, withCertificate('client'))).status).toBe(401);
  await expect(request(url, withCertificate('stranger'))).rejects.toThrow();
  writeFileSync(join(folder, 'web/web.yml'), web.replace(HASH, HASH.slice(0, -1)));
  await request(`${url}/metrics`);
  // The guess is compared until the daemon ends.
  const guess = request(`${url}/metrics`, { auth: 'endless:guess-1' });
  const isGuessAnswered = expect(guess).rejects.toThrow();
  await request(`${url}/metrics`);
  program.kill('SIGTERM');
  expect((await program.ended).code).toBe(0);
  await isGuessAnswered;
  expect(program.stdout).toContain('basic_auth_users.prometheus: expected a bcrypt hash');
  expect(program.stdout).toMatch(/basic_auth_users\.endless: the cost 31 makes each wrong password/);
  expect(secretsIn(program.stdout + program.stderr)).toEqual([]);
});

test.each([
  ['a password instead of its hash', { basic_auth_users: { [USER]: PASSWORD } }],
  ['users as a list', { basic_auth_users: [{ [USER]: PASSWORD }, HASH] }],
  ['a hash as a name', { basic_auth_users: { [HASH]: USER } }],
  ['a password instead of a key', { tls_server_config: { cert_file: TLS.cert_file, key: PASSWORD } }],
  ['a password instead of a certificate', { tls_server_config: { cert: PASSWORD, key: [PASSWORD] } }],
])('check-config reports a mistake and shows no secret: %s', async (_, web) => {
  const provider = { baseUrl: 'https://provider.example/1.0', publicKey: 'public', privateKey: 'private' };
  const folder = folderWith(configText(provider, {}, OTHERS), JSON.stringify(web));
  const { code, stdout, stderr } = await runCommand(checkConfig, { config: join(folder, 'config.yaml') });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('web/web.yml:1:');
  expect(secretsIn(stderr)).toEqual([]);
});
