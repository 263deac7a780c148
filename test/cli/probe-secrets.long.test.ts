// Tests that probes show no secret of the operator and no text of a hostile proxy: in the store, log, metrics, API,
// answers of /probe, and the output of proxywatch probe, check-config and doctor.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { checkConfig } from '../../src/cli/check-config.ts';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { type ProbeOptions, probe } from '../../src/cli/probe/probe.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { answers, FakeProxy } from '../prober/fake-proxy.ts';
import { closedPort, HOSTILE_TEXTS, startHostileProxy } from '../support/hostile-proxy.ts';
import { Program, waitUntil } from './program.ts';
import { type CommandResult, configText, runCommand } from './run-command.ts';

const USER = 'alice';
const PASSWORD = 'canary/proxy p@ss';
const TOKENS = {
  url: 'canary-url-token',
  control: 'canary-control-token',
  exit: 'canary-exit-token',
  query: 'canary-query-token',
};
const ENCODED = encodeURIComponent(PASSWORD);

/** The password in each form in which a proxy can repeat it, and the beginning of lines with it. */
const SECRETS = [
  ...[PASSWORD, ENCODED, ENCODED.toLowerCase(), encodeURIComponent(ENCODED), 'canary%2Fproxy'],
  ...[`${USER}:${PASSWORD}`, `:${PASSWORD}`].map((login) => Buffer.from(login).toString('base64')),
  ...[...Object.values(TOKENS), `:${USER}:canary`, `${USER}:canary`, `//${USER}:`],
  ...HOSTILE_TEXTS,
];
const SHOWN_IN_STEPS: readonly string[] = HOSTILE_TEXTS.filter((text) => !text.includes('\u001b'));
const secretsIn = (text: string): string[] => SECRETS.filter((secret) => text.includes(secret));

/** The numbers in a store can have the bytes of a short text by chance. */
const secretsInFile = (content: string): string[] => secretsIn(content).filter((secret) => secret.length > 2);

const OPERATORS_FILES = ['config.yaml', 'proxies.txt'];
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !OPERATORS_FILES.includes(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));

/** Hostile proxies over TCP and TLS, and the lines of proxies that fail in each phase. */
const startProxies = async () => {
  const [plain, secure] = [await startHostileProxy(), await startHostileProxy({ hasTls: true })];
  // While no control gets an answer, no fault would be found and logged.
  const control = await FakeProxy.start(answers('HTTP/1.1 200 OK\r\n\r\n'));
  const login = `${USER}:${ENCODED}`;
  const lines = {
    answers: `http://${login}@127.0.0.1:${plain.port}`,
    // The exit of a gateway is checked by the country in its user name.
    gateway: `http://${USER}_c_gb:${ENCODED}@127.0.0.1:${plain.port}`,
    line: `127.0.0.1:${plain.port}:${USER}:${PASSWORD}`,
    socks: `socks5://${login}@127.0.0.1:${plain.port}`,
    refused: `http://${login}@127.0.0.1:${await closedPort()}`,
    dns: `http://${login}@canary.invalid:8000`,
    tls: `https://${login}@127.0.0.1:${plain.port}`,
    untrusted: `https://${login}@127.0.0.1:${secure.port}`,
  };
  return {
    lines,
    ...{ plain, control },
    async [Symbol.asyncDispose]() {
      await plain[Symbol.asyncDispose]();
      await secure[Symbol.asyncDispose]();
      await control[Symbol.asyncDispose]();
    },
  };
};

const URLS = [
  { name: 'check', url: `https://check.example/health?key=${TOKENS.url}#${TOKENS.url}`, depth: 'http' },
  { url: `http://shop.example/?token=${TOKENS.url}` },
];

const accountOf = (
  lines: Readonly<Record<string, string>>,
  more: Record<string, unknown> = {},
  controlPort = 1,
) => ({
  ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
  probes: {
    schedule: '* * * * * *',
    urls: URLS,
    proxies: [
      ...Object.entries(lines).map(([name, proxy]) => ({
        ...{ name, proxy, product_type: name === 'gateway' ? 'residential' : 'isp' },
      })),
      { file: 'proxies.txt' },
    ],
    ...{ timeout: '2s', max_bytes_per_day: '100GiB' },
    control: { urls: [`http://127.0.0.1:${controlPort}/?token=${TOKENS.control}`] },
    exit: { url: `http://echo.example/ip?token=${TOKENS.exit}`, every: '1m' },
    ...more,
  },
});

const OTHERS = {
  ...{ store: { path: 'data/store.db' }, server: { listen: '127.0.0.1:0' } },
  log: { level: 'trace' },
  alerts: { evaluate: true },
};

const textOf = async (url: string, path: string, init?: RequestInit): Promise<string> =>
  (await fetch(url + path, init)).text();

/** Every path of the API, with the ids of things that exist. */
const apiPaths = async (url: string): Promise<string[]> => {
  const { paths } = JSON.parse(await textOf(url, '/api/v1/openapi.json')) as { paths: object };
  const values: Record<string, string> = {
    account: 'main',
    proxy_id: 'answers',
    id: 'answers',
    url: 'check',
  };
  return Object.keys(paths).map((path) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? 'answers'),
  );
};

/** Requests for configured probes, and wrong ones that contain secrets. */
const probePaths = (lines: Readonly<Record<string, string>>): string[] => {
  const names = Object.keys(lines).map((proxy) => ({ proxy, url: 'check' }));
  const wrong = [
    ...Object.values(lines).map((proxy) => ({ proxy, url: 'check' })),
    ...URLS.map(({ url }) => ({ proxy: 'answers', url })),
    { proxy: 'answers', url: 'check', account: TOKENS.query },
    { proxy: TOKENS.query, url: TOKENS.query },
  ];
  return [...names, ...wrong].map((query) => `/probe?${new URLSearchParams(query)}`);
};

test('a daemon that probes hostile proxies shows no secret', { timeout: 120_000 }, async () => {
  await using provider = await startSimulator({ now: () => Date.now(), scenario: { pace: null } });
  await using proxies = await startProxies();
  const { lines, control } = proxies;
  const text = (account: Record<string, unknown>) => configText(provider, account, OTHERS);
  const folder = createFolder({
    'config.yaml': text(accountOf(lines, {}, control.port)),
    'proxies.txt': lines.line.replace('127.0.0.1', '127.0.0.2'),
  });
  const config = join(folder, 'config.yaml');
  await using program = Program.start(['run', '--config', config]);
  const url = await program.url();
  // Every hostile answer came several times.
  await waitUntil(() => proxies.plain.connections > 100 && program.stdout.includes('"phase":"connect"'));
  const paths = ['/metrics', '/', ...(await apiPaths(url)), ...probePaths(lines)];
  expect(paths.length).toBeGreaterThan(40);
  for (const path of paths) expect([path, secretsIn(await textOf(url, path))]).toEqual([path, []]);
  expect(await textOf(url, '/api/v1/accounts/main/proxies/refused')).toContain('"cause":"refused"');
  expect(await textOf(url, '/metrics')).toContain('error_code="tunnel_');
  writeFileSync(config, text(accountOf({ ...lines, broken: `127.0.0.1:port:${USER}:${PASSWORD}` })));
  const reload = await textOf(url, '/-/reload', { method: 'POST' });
  expect(reload).toContain('probes.proxies');
  expect(secretsIn(reload)).toEqual([]);
  program.kill('SIGTERM');
  expect((await program.ended).code).toBe(0);
  expect(secretsIn(program.stdout + program.stderr)).toEqual([]);
  expect(filesIn(folder).flatMap(secretsInFile)).toEqual([]);
  // The log says which phase failed, so the failures were logged.
  expect(program.stdout).toMatch(/"kind":"(proxy|access)","subject":"refused".*"phase":"connect"/);
  // The secrets were sent, so the answers repeated them.
  const sent = proxies.plain.received.join('');
  const login = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');
  expect([login, TOKENS.url, TOKENS.exit].filter((secret) => !sent.includes(secret))).toEqual([]);
  expect(control.received.join('')).toContain(TOKENS.control);
});

describe('proxywatch probe shows no secret', () => {
  const run = (proxy: string, url: string, options: Partial<ProbeOptions> = {}): Promise<CommandResult> => {
    const all = { timeout: 2_000, format: 'text', ...options } as const;
    return runCommand(probe, { proxy, url, ...all });
  };

  it.each(
    (['text', 'json'] as const).flatMap((format) => [true, false].map((verbose) => ({ format, verbose }))),
  )('of proxies that fail in each phase: %j', async (options) => {
    await using proxies = await startProxies();
    // As often as the hostile proxy has different answers.
    for (const line of Object.values(proxies.lines))
      for (const { url } of URLS)
        for (let attempt = 0; attempt < 7; attempt += 1) {
          const { stdout, stderr } = await run(line, url, { ...options, control: attempt === 0 });
          expect(secretsIn(stdout)).toEqual([]);
          // The steps show what the proxy says, in one line each, without escapes and secrets.
          expect(secretsIn(stderr).filter((text) => !SHOWN_IN_STEPS.includes(text))).toEqual([]);
          expect(Math.max(...stderr.split('\n').map(({ length }) => length))).toBeLessThan(600);
          expect(stdout).not.toBe('');
        }
  });

  it.each([
    ['a port that is none', `127.0.0.1:port:${USER}:${PASSWORD}`],
    ['another scheme', `ftp://${USER}:${ENCODED}@127.0.0.1:8000`],
    ['a password with a wrong escape', `http://${USER}:canary-of-the-proxy%zz@127.0.0.1:8000`],
    ['a token in place of the user', 'http://canary-query-token@127.0.0.1:port'],
    ['a path', `http://${USER}:${ENCODED}@127.0.0.1:8000/${TOKENS.query}`],
    ['a line with a line break', `127.0.0.1:8000:${USER}:${PASSWORD}\nx`],
    ['a line without a port', `${USER}:${PASSWORD}`],
    ['a secret that is no line', TOKENS.query],
  ])('in a mistake of the line: %s', async (_, line) => {
    for (const options of [{}, { format: 'json', verbose: true } as const]) {
      const { stdout, stderr } = await run(line, 'https://check.example/', options);
      expect(secretsIn(stdout + stderr).filter((secret) => secret !== line)).toEqual([]);
    }
  });

  it.each([
    ['of another kind', `ftp://check.example/?token=${TOKENS.url}`],
    ['with a password', `https://${USER}:${ENCODED}@check.example/`],
    ['that is none', `https://check example/?token=${TOKENS.url}`],
  ])('in a mistake of the url: %s', async (_, url) => {
    const { stdout, stderr } = await run(`http://127.0.0.1:${await closedPort()}`, url, { verbose: true });
    expect(secretsIn(stdout + stderr)).toEqual([]);
  });
});

describe('commands that read the configuration of probes show no secret', () => {
  const PROXIES = {
    one: `http://${USER}:${ENCODED}@192.0.2.1:8000`,
    two: `192.0.2.2:8000:${USER}:${PASSWORD}`,
  };
  const folderOf = (
    account: Record<string, unknown>,
    provider = { baseUrl: 'https://provider.example/1.0' },
  ) =>
    createFolder({
      'config.yaml': configText({ publicKey: 'public', privateKey: 'private', ...provider }, account),
      'proxies.txt': PROXIES.two.replace('192.0.2.2', '192.0.2.3'),
    });

  test('check-config', async () => {
    const config = join(folderOf(accountOf(PROXIES)), 'config.yaml');
    const { code, stdout, stderr } = await runCommand(checkConfig, { config });
    expect(code).toBe(0);
    expect(secretsIn(stdout + stderr)).toEqual([]);
  });

  test.each([
    ['a proxy in the wrong form', { proxies: [{ proxy: PROXIES.one.replace('8000', 'port') }] }],
    ['a proxy in place of its map', { proxies: [PROXIES.one] }],
    ['a proxy as a key', { [PROXIES.one]: 1 }],
    ['a proxy twice', { proxies: [{ proxy: PROXIES.one }, { proxy: PROXIES.one }] }],
    ['a url of another kind', { urls: [`ftp://check.example/?token=${TOKENS.url}`] }],
    ['a url twice', { urls: [URLS[1], URLS[1]] }],
    ['a url with a password', { urls: [`https://${USER}:${ENCODED}@check.example`] }],
    ['a url in place of a name', { urls: [{ name: 1, url: URLS[0]?.url }] }],
    ['a control of another kind', { control: { urls: [`ftp://check.example/?token=${TOKENS.control}`] } }],
    ['a control in place of its map', { control: `https://check.example/?token=${TOKENS.control}` }],
    ['an exit url of another kind', { exit: { url: `ftp://echo.example/?token=${TOKENS.exit}` } }],
    ['an exit url in place of its map', { exit: `https://echo.example/?token=${TOKENS.exit}` }],
    ['no certificate', { proxies: [{ proxy: PROXIES.one, ca_file: 'proxies.txt' }] }],
  ])('check-config with a mistake: %s', async (_, mistake) => {
    const config = join(folderOf(accountOf(PROXIES, mistake)), 'config.yaml');
    const { code, stdout, stderr } = await runCommand(checkConfig, { config });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).not.toBe('');
    expect(secretsIn(stderr)).toEqual([]);
  });

  test('doctor', async () => {
    await using provider = await startSimulator({ now: () => Date.now(), scenario: { pace: null } });
    const config = join(folderOf(accountOf(PROXIES), provider), 'config.yaml');
    const report = join(createFolder({}), 'report.json');
    const { stdout, stderr } = await runCommand(doctor, { config, report });
    expect(stdout).toContain('main');
    expect(secretsIn(stdout + stderr + readFileSync(report, 'utf8'))).toEqual([]);
  });
});
