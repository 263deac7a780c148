// Tests that the daemon shows no secret of the operator, the provider or a client in its store, backups, log, metrics,
// pages, notifications or errors.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfig } from '../../src/cli/check-config.ts';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { backfill, once } from '../../src/cli/export.ts';
import { rewind } from '../../src/cli/remote-write/rewind.ts';
import { backUpStore, restoreStore } from '../../src/cli/store.ts';
import { HIDDEN_MESSAGE } from '../../src/lib/quoted-text.ts';
import { services, userPassword } from '../../src/simulator/identities.ts';
import { scenarioSchema } from '../../src/simulator/scenario.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { HASH, PASSWORD } from '../http/web-config-support.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { CA_FILE, MailServer } from '../support/mail-server.ts';
import { Program, runToEnd, waitUntil } from './program.ts';
import { configText, runCommand } from './run-command.ts';

const SEED = 3;
const USERS = 5;
/** Enough for each fault to occur several times, and for the daemon to report it. */
const MIN_ANSWERS = 160;

/** Placed where secrets belong; none is part of another, or of any other text. */
const PLANTED = {
  publicKey: 'canary-public-key',
  privateKey: 'canary-private-key',
  proxyPassword: 'canary-proxy-password',
  urlToken: 'canary-url-token',
  receiverToken: 'canary-receiver-token',
  /** In a request to the daemon. */
  queryToken: 'canary-query-token',
  wrongPassword: 'canary-guess',
  /** Of web.yml. */
  password: PASSWORD,
  hash: HASH,
};

/** Secrets of the provider: passwords and metadata in its answers. */
const PROVIDER_SECRETS = [
  ...Array.from({ length: USERS }, (_, index) => userPassword(SEED, index)),
  '"team"',
  'team-0',
];

const PROXY = `192.0.2.1:8000:alice:${PLANTED.proxyPassword}`;

/** Texts that must not be shown, including a whole proxy string. */
const SECRETS = [...Object.values(PLANTED), ...PROVIDER_SECRETS, PROXY.slice(0, 20)];

const STATUS_PATHS = ['/api/v1/status', '/api/v1/alerts', '/api/v1/provider-report'];

/** The service whose proxies are tested. */
const [SERVICE = { id: '' }] = services(scenarioSchema.parse({ seed: SEED }));

const secretsIn = (text: string): string[] => SECRETS.filter((secret) => text.includes(secret));

const startProvider = (): Promise<Simulator> =>
  startSimulator({
    scenario: {
      seed: SEED,
      users: USERS,
      proxies: 3,
      pace: null,
      public_key: PLANTED.publicKey,
      private_key: PLANTED.privateKey,
    },
    now: () => Date.now(),
  });

const EVERY_SECOND = { schedule: '* * * * * *' };

const ACCOUNT = {
  // Many graphs give many answers that can go wrong.
  traffic: {
    ...EVERY_SECOND,
    catch_up: '1h',
    graphs: Array.from({ length: 12 }, (_, index) => ({ name: `g${index}`, hostname: `h${index}.example` })),
  },
  residential_ledger: EVERY_SECOND,
  proxy_users: EVERY_SECOND,
  inventory: EVERY_SECOND,
  services: EVERY_SECOND,
  proxy_tests: {
    ...EVERY_SECOND,
    max_runs_per_day: 1_000_000,
    urls: [
      `https://www.example.com/health?key=${PLANTED.urlToken}#${PLANTED.urlToken}`,
      { name: 'shop', url: `https://shop.example/?token=${PLANTED.urlToken}` },
    ],
    proxies: [
      { name: 'one', proxy: PROXY },
      { proxy: `http://alice:${PLANTED.proxyPassword}@192.0.2.2:8000` },
    ],
  },
};

/** Makes answers go wrong in every way, at random. */
const breakAnswers = ({ faults }: Simulator): void => {
  const probability = 0.05;
  faults.replace([
    { kind: 'rate_limit', seconds: 0, count: 2 },
    ...[400, 401, 403, 404, 422, 500].map((status) => ({ kind: 'status', status, probability })),
    { kind: 'cut_off', probability },
    { kind: 'malformed_json', probability },
    { kind: 'html', probability },
    { kind: 'html', status: 502, probability },
    { kind: 'null_fields', fields: ['proxy_user_id', 'residential_ledger_id', 'interval'], probability },
    { kind: 'missing_fields', fields: ['data'], probability },
    { kind: 'set_fields', fields: { message: PROXY, proxy_user_access_type: 7, bytes: 'many' }, probability },
    { kind: 'extra_fields', fields: { note: PLANTED.privateKey }, probability },
    { kind: 'truncated_buckets', keep: 3, probability },
    { kind: 'shifted_pages', probability },
  ]);
};

/** Receivers of each type, with secret addresses. */
/** The first notification need not wait for others. */
const AT_ONCE = { group_wait: '0s' };

const receiversAt = ({ url }: FakeReceiver, mail: MailServer) => [
  {
    type: 'alertmanager',
    urls: [`${url}/${PLANTED.receiverToken}/`],
    basic_auth: { username: 'proxywatch', password: PLANTED.receiverToken },
  },
  { type: 'webhook', url: `${url}/${PLANTED.receiverToken}`, secret: PLANTED.receiverToken, ...AT_ONCE },
  ...[
    { template: 'telegram', url: `${url}/bot123456:${PLANTED.receiverToken}/sendMessage`, chat_id: 1 },
    { template: 'pagerduty', url: `${url}${EVENTS_PATH}`, routing_key: PLANTED.receiverToken },
    { template: 'ntfy', url: `${url}/ntfy/${PLANTED.receiverToken}`, token: PLANTED.receiverToken },
    { template: 'teams', url: `${url}/${PLANTED.receiverToken}` },
  ].map((webhook) => ({ type: 'webhook', name: webhook.template, ...webhook, ...AT_ONCE })),
  {
    ...{ type: 'email', from: 'alerts@example.com', to: ['ops@example.com'], smtp_ca_file: CA_FILE },
    smtp_url: mail.url({ password: PLANTED.receiverToken }),
    ...AT_ONCE,
  },
  { type: 'heartbeat', url: `${url}/${PLANTED.receiverToken}`, every: '5s' },
];

/** Receivers of remote write with each kind of credentials. */
const remoteWriteAt = ({ url }: FakeReceiver) =>
  [
    { basic_auth: { username: 'proxywatch', password: PLANTED.receiverToken } },
    { bearer_token: PLANTED.receiverToken, headers: { 'X-Key': PLANTED.receiverToken } },
  ].map((credentials, index) => ({
    ...{ name: `engine-${index}`, url: `${url}/${PLANTED.receiverToken}/write?key=${PLANTED.receiverToken}` },
    ...{ start: '7d', external_labels: { region: 'eu' }, ...credentials },
  }));

const EVENTS_PATH = '/v2/enqueue';
/** These services need a secret in the body of a request. */
const SECRET_BODIES = [EVENTS_PATH, '/ntfy/'];

/** The operator wrote these, with the secrets. */
const OPERATORS_FILES = ['config.yaml', 'web.yml', 'proxies.txt'];

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !OPERATORS_FILES.includes(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));

const basic = (password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}`,
});

/** Requests a path as a client that knows the password. */
const readAs = async (url: string, password = PASSWORD): Promise<string> =>
  (await fetch(url, { headers: basic(password) })).text();

/** Returns every path of the API, with the ids of things that exist. */
const apiPaths = async (url: string): Promise<string[]> => {
  const { paths } = JSON.parse(await readAs(`${url}/api/v1/openapi.json`)) as { paths: object };
  const users = JSON.parse(await readAs(`${url}/api/v1/users`)).data as { proxy_user_id: string }[];
  const proxies = JSON.parse(await readAs(`${url}/api/v1/inventory`)).data as { proxy_id: string }[];
  const ids = { account: 'main', proxy_user_id: users[0]?.proxy_user_id, proxy_id: proxies[0]?.proxy_id };
  const values: Record<string, string | undefined> = { ...ids, service_id: SERVICE.id };
  return Object.keys(paths).map((path) => path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? ''));
};

test('a daemon shows no secret, with good and bad answers', async () => {
  await using provider = await startProvider();
  await using receiver = await FakeReceiver.start();
  await using mail = await MailServer.start();
  receiver.status = 503;
  receiver.answer = `unknown token ${PLANTED.receiverToken}`;
  const others = {
    store: { path: 'data/store.db' },
    server: { listen: '127.0.0.1:0', web_config_file: 'web.yml' },
    log: { level: 'trace' },
    alerts: { receivers: receiversAt(receiver, mail) },
    remote_write: remoteWriteAt(receiver),
  };
  const { proxy_tests } = ACCOUNT;
  const proxies = [
    ...proxy_tests.proxies,
    { search: {} },
    { service_id: SERVICE.id },
    { file: 'proxies.txt' },
  ];
  const account = { ...ACCOUNT, proxy_tests: { ...proxy_tests, proxies } };
  const folder = createFolder({
    'config.yaml': configText(provider, account, others),
    'web.yml': JSON.stringify({ basic_auth_users: { prometheus: HASH } }),
    'proxies.txt': PROXY.replace('192.0.2.1', '192.0.2.3'),
  });
  const config = join(folder, 'config.yaml');
  await using program = Program.start(['run', '--config', join(folder, 'config.yaml')]);
  const url = await program.url();
  const expectNoSecrets = async (): Promise<void> => {
    const paths = ['/metrics', '/', '/-/ready', '/-/healthy', ...(await apiPaths(url))];
    const answers = await Promise.all(paths.map((path) => readAs(url + path)));
    expect(paths.length).toBeGreaterThan(30);
    expect(secretsIn(answers.join('\n'))).toEqual([]);
    expect(filesIn(folder).flatMap(secretsIn)).toEqual([]);
  };
  await waitUntil(async () => (await readAs(`${url}/-/ready`)) === 'proxywatch is ready.\n');
  await expectNoSecrets();
  expect(await readAs(`${url}/metrics?token=${PLANTED.queryToken}`, PLANTED.wrongPassword)).toContain(
    'a password',
  );
  await readAs(`${url}/api/v1/users?token=${PLANTED.queryToken}`);
  breakAnswers(provider);
  for (let answers = MIN_ANSWERS / 4; answers <= MIN_ANSWERS; answers += MIN_ANSWERS / 4) {
    await waitUntil(() => provider.requests.count() >= answers);
    await expectNoSecrets();
  }
  const backup = join(folder, 'backup.db');
  const commands = [await runCommand(backUpStore, { config, file: backup })];
  const history = { config, output: join(folder, 'history.om'), from: () => 0, to: () => Date.now() };
  commands.push(await runCommand(backfill, history));
  writeFileSync(config, configText(provider, { ...account, private_key: [PLANTED.privateKey] }, others));
  const reload = await fetch(`${url}/-/reload`, { method: 'POST', headers: basic(PASSWORD) });
  expect([reload.status, secretsIn(await reload.text())]).toEqual([400, []]);
  program.kill('SIGTERM');
  expect((await program.ended).code).toBe(0);
  writeFileSync(config, configText(provider, account, others));
  commands.push(await runCommand(rewind, { config, receiver: 'engine-1', to: () => 0 }));
  commands.push(await runCommand(checkConfig, { config }));
  commands.push(await runCommand(restoreStore, { config, file: backup }));
  expect(commands.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  expect(commands.flatMap(({ stdout, stderr }) => secretsIn(stdout + stderr))).toEqual([]);
  expect(secretsIn(program.stdout + program.stderr)).toEqual([]);
  expect(filesIn(folder).flatMap(secretsIn)).toEqual([]);
  const sent = await runToEnd('notify', '--config', config);
  expect([sent.code, secretsIn(sent.stdout + sent.stderr)]).toEqual([1, []]);
  expect(sent.stdout.match(/^failed .* quotes credentials$/gm)).toHaveLength(8);
  expect(mail.passwords).toContain(PLANTED.receiverToken);
  const notifications = receiver.received
    .filter(({ path }) => !SECRET_BODIES.includes(path))
    .map(({ body }) => body);
  expect(notifications.flatMap(secretsIn)).toEqual([]);
  expect(notifications.join()).toContain('"alert');
  // Bad answers did occur and were logged, and the secrets were in requests.
  expect(program.stdout).toContain('"kind":"bad_response"');
  const requests = JSON.stringify(provider.requests.recent);
  // Proxies of the configuration, of the account and of a file were tested.
  for (const sent of [PROXY, userPassword(SEED, 0), '192.0.2.3']) expect(requests).toContain(sent);
  expect(new Set(receiver.received.map(({ method }) => method))).toEqual(new Set(['GET', 'POST']));
  expect(program.stdout).toContain('"receiver":"webhook"');
});

test('a provider that repeats credentials in every form is not quoted', { timeout: 60_000 }, async () => {
  const [user, password] = ['alice', 'canary/p@ss w0rd'];
  const encoded = encodeURIComponent(password);
  const forms = [
    password,
    encoded,
    encoded.toLowerCase(),
    'canary%2Fp@ss w0rd',
    'canary%252Fp%2540ss%2520w0rd',
    String.raw`canary\/p\u0040ss w0rd`,
    Buffer.from(`${user}:${password}`).toString('base64'),
  ];
  let sent = 0;
  await using provider = await startFakeProvider(({ path }) => {
    const isTest = path.endsWith('proxy_test_run/create');
    if (isTest) sent += 1;
    const form = isTest ? forms[sent % forms.length] : PLANTED.privateKey.toUpperCase();
    const message = `cannot use socks5://${user}:${form}@192.0.2.1:1080`;
    return { status: 422, body: { message, api_request_id: PLANTED.privateKey } };
  });
  const account = {
    residential_ledger: EVERY_SECOND,
    proxy_tests: {
      ...EVERY_SECOND,
      max_runs_per_day: 1_000_000,
      urls: ['https://www.example.com/'],
      proxies: [{ name: 'one', proxy: `socks5://${user}:${encoded}@192.0.2.1:1080` }],
    },
  };
  const keys = { baseUrl: provider.baseUrl, publicKey: PLANTED.publicKey, privateKey: PLANTED.privateKey };
  const others = { store: { path: 'data/store.db' }, log: { level: 'trace' } };
  const folder = createFolder({ 'config.yaml': configText(keys, account, others) });
  await using program = Program.start(['run', '--config', join(folder, 'config.yaml')]);
  const url = await program.url();
  await waitUntil(() => sent > forms.length);
  const paths = ['/metrics', '/', ...STATUS_PATHS];
  const answers = await Promise.all(paths.map(async (path) => (await fetch(url + path)).text()));
  program.kill('SIGTERM');
  await program.ended;
  const output = [...answers, ...filesIn(folder), program.stdout, program.stderr].join('\n');
  const secrets = [...forms, PLANTED.privateKey, PLANTED.privateKey.toUpperCase()];
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
  // The log and the page show this text instead.
  expect(program.stdout).toContain(`answered 422: ${HIDDEN_MESSAGE}`);
  expect(answers[2]).toContain(HIDDEN_MESSAGE);
});

test('keys that the provider rejects are not shown', async () => {
  await using provider = await startProvider();
  const folder = createFolder({
    'config.yaml': configText({ ...provider, privateKey: 'canary-private-key-of-old' }, ACCOUNT),
  });
  const { code, stdout, stderr } = await runCommand(once, { config: join(folder, 'config.yaml') });
  expect(code).toBe(1);
  expect(stderr).toContain('"kind":"auth"');
  expect(secretsIn(stdout + stderr)).toEqual([]);
});

test('doctor shows no secret, with good and bad answers', { timeout: 60_000 }, async () => {
  await using provider = await startProvider();
  await using receiver = await FakeReceiver.start();
  await using mail = await MailServer.start();
  const { proxy_tests } = ACCOUNT;
  const proxies = [
    ...proxy_tests.proxies,
    { search: {} },
    { service_id: 'API-0-0' },
    { file: 'proxies.txt' },
  ];
  const doctorOutput = async (keys: Partial<Simulator> = {}): Promise<string> => {
    const account = { inventory: {}, proxy_tests: { ...proxy_tests, proxies } };
    const others = {
      alerts: { receivers: receiversAt(receiver, mail) },
      remote_write: remoteWriteAt(receiver),
    };
    const folder = createFolder({
      'config.yaml': configText({ ...provider, ...keys }, account, others),
      'proxies.txt': PROXY,
    });
    const files = { config: join(folder, 'config.yaml'), report: join(folder, 'report.json') };
    const { stdout, stderr } = await runCommand(doctor, files);
    expect(secretsIn(stdout + stderr)).toEqual([]);
    expect(secretsIn(readFileSync(files.report, 'utf8'))).toEqual([]);
    return stdout;
  };
  expect(await doctorOutput()).toMatch(/ok {6}main: proxies of .*proxies\.txt: 1 proxies can be tested\n/);
  expect(await doctorOutput({ privateKey: 'canary-private-key-of-old' })).toContain('answered 401');
  receiver.headers = { location: `/${PLANTED.receiverToken}` };
  receiver.answer = `unknown token ${PLANTED.receiverToken}`;
  receiver.status = 302;
  provider.faults.add({ kind: 'set_fields', fields: { message: PROXY, customer_id: PROXY } });
  provider.faults.add({ kind: 'html', endpoint: 'graph' });
  provider.faults.add({ kind: 'cut_off', endpoint: 'ledger' });
  const output = await doctorOutput();
  expect(output).toMatch(/[3-9] failed/);
  expect(
    output.match(/^failed {2}remote write engine-\d: answered 302: .* quotes credentials/gm),
  ).toHaveLength(2);
});

test.each([
  [
    'a proxy in the wrong form',
    { proxy_tests: { urls: ['https://a.example'], proxies: [{ proxy: PROXY.replace('8000', 'port') }] } },
  ],
  ['a proxy in place of its map', { proxy_tests: { urls: ['https://a.example'], proxies: [PROXY] } }],
  ['a proxy as a key', { proxy_tests: { urls: ['https://a.example'], [PROXY]: 1 } }],
  ['a url with a password', { proxy_tests: { urls: [`https://alice:${PLANTED.proxyPassword}@a.example`] } }],
  ['a url of another kind', { proxy_tests: { urls: [`ftp://a.example/?token=${PLANTED.urlToken}`] } }],
  ['a base_url with a password', { base_url: `https://alice:${PLANTED.proxyPassword}@a.example` }],
  ['a key that is a list', { private_key: [PLANTED.privateKey] }],
  ['a key under another name', { privat_key: PLANTED.privateKey }],
  ['a key where a file belongs', { private_key: undefined, private_key_file: [PLANTED.privateKey] }],
])('a mistake in the configuration does not show a secret: %s', async (_, account) => {
  const provider = { baseUrl: 'https://provider.example/1.0', ...PLANTED };
  const folder = createFolder({ 'config.yaml': configText(provider, account) });
  const { code, stdout, stderr } = await runCommand(checkConfig, { config: join(folder, 'config.yaml') });
  expect([code, stdout]).toEqual([1, '']);
  expect(secretsIn(stderr)).toEqual([]);
});
