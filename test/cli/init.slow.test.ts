// Tests init: keys of the environment and of a terminal, keys that the provider does not know, and files that exist.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { configText, type InitOptions, init } from '../../src/cli/init/init.ts';
import type { Environment } from '../../src/config/environment.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { runCommand } from './run-command.ts';

const KEYS = { PROXY_PUBLIC_KEY: 'demo-public', PROXY_PRIVATE_KEY: 'demo-private' };

const startProvider = (): Promise<Simulator> =>
  startSimulator({ scenario: { pace: null, users: 3, services: 1, proxies: 2 }, now: () => Date.now() });

interface Given {
  readonly env?: Environment;
  /** What the operator types or pastes at each question. Without it, there is no terminal. */
  readonly typed?: readonly string[];
}

const runInit = (simulator: Simulator, folder: string, { env = {}, typed }: Given, name = 'main') => {
  const options: InitOptions = { config: join(folder, 'config.yaml'), name, baseUrl: simulator.baseUrl };
  const stdin = new PassThrough();
  if (typed) Object.assign(stdin, { isTTY: true });
  else stdin.end();
  return runCommand((context, given: InitOptions) => {
    const stderr = typed ? answering(context.stderr, stdin, typed) : context.stderr;
    return init({ ...context, env, stdin, stderr }, given);
  }, options);
};

/** Types the next answer when a question is written, and ends the input after the last one. */
const answering = (stderr: Writable, stdin: PassThrough, typed: readonly string[]): Writable => {
  const answers = typed.values();
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      stderr.write(text);
      if (/^P\w+ key.*: $/.test(text)) {
        const { value, done: isOver } = answers.next();
        setImmediate(() => (isOver ? stdin.end() : stdin.write(`${value}\n`)));
      }
      done();
    },
  });
};

const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

test('keys of the environment are tried, and the file refers to them', async () => {
  await using simulator = await startProvider();
  const folder = createFolder({});
  const { code, stdout, stderr } = await runInit(simulator, folder, { env: KEYS });
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n');
  expect(lines[0]).toBe(`${folder}/config.yaml: written`);
  expect(stdout).toContain('\nok      main: keys: proxy_user/search accepts them\n');
  expect(lines.at(-2)).toBe(`Start the daemon with: proxywatch run --config ${folder}/config.yaml`);
  const text = read(folder, 'config.yaml');
  expect(text).toMatch(
    /\n {4}public_key: \$\{PROXY_PUBLIC_KEY\}\n {4}private_key: \$\{PROXY_PRIVATE_KEY\}\n/,
  );
  expect(text + stdout).not.toMatch(/demo-p/);
  expect(existsSync(join(folder, 'secrets'))).toBe(false);
});

test('a terminal is asked for the keys, which get files of their own', async () => {
  await using simulator = await startProvider();
  const folder = createFolder({});
  // Both keys are pasted at once.
  const typed = ['demo-public\n\n demo-private '];
  const { code, stdout, stderr } = await runInit(simulator, folder, { typed }, 'shop');
  expect(code).toBe(0);
  expect(stderr).toContain('Public key: ');
  // What is typed is shown, except for the private key.
  expect(stderr).toContain('demo-public');
  expect(stderr + stdout + read(folder, 'config.yaml')).not.toContain('demo-private');
  expect(read(folder, 'secrets/shop_private_key')).toBe('demo-private\n');
  for (const file of ['config.yaml', 'secrets/shop_public_key', 'secrets/shop_private_key'])
    expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
  expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
  const { accounts } = loadSettings(join(folder, 'config.yaml'), {}).config;
  expect(accounts.map(({ name, base_url }) => [name, base_url])).toEqual([['shop', simulator.baseUrl]]);
});

test('keys that the provider does not know are asked for again, and not written', async () => {
  await using simulator = await startProvider();
  const folder = createFolder({});
  const wrong = ['demo-public', 'sesame'];
  const typed = [...wrong, 'demo-public', 'demo-private'];
  expect((await runInit(simulator, folder, { typed })).code).toBe(0);

  const other = createFolder({});
  const refused = await runInit(simulator, other, { typed: [...wrong, ...wrong, ...wrong, ...wrong] });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /\nerror: proxy_user\/search: answered 401.*The provider does not know the keys\./,
  );
  expect(refused.stderr.match(/Private key/g)).toHaveLength(3);
  const ofEnvironment = await runInit(simulator, other, { env: { ...KEYS, PROXY_PRIVATE_KEY: 'sesame' } });
  expect(ofEnvironment.code).toBe(1);
  expect(ofEnvironment.stderr).toMatch(
    /^error: the keys in PROXY_PUBLIC_KEY and PROXY_PRIVATE_KEY: proxy_user\/search: answered 401/,
  );
  expect(refused.stderr + ofEnvironment.stderr).not.toContain('sesame');
  expect(['config.yaml', 'secrets'].filter((file) => existsSync(join(other, file)))).toEqual([]);
});

test('what was typed as the private key is never shown later', async () => {
  // Without a capable terminal, readline edits no lines.
  vi.stubEnv('TERM', 'xterm');
  onTestFinished(() => void vi.unstubAllEnvs());
  await using simulator = await startProvider();
  const [killLine, yank, up, backspace] = ['\u0015', '\u0019', '\u001b[A', '\u007f'];
  const wrong = ['demo-public', `sesame${killLine}sesame`];
  const typed = [...wrong, `${up}${yank}x${killLine}demo-publicx${backspace}`, 'demo-private'];
  const { code, stderr } = await runInit(simulator, createFolder({}), { typed });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('sesame')]);
  // A line that the operator edits is written again with its question.
  expect(stderr).toContain('\u001b[0JPublic key: demo-public');
  expect(stderr).not.toContain('> ');
});

test('an error of the provider has advice that needs no configuration', async () => {
  await using simulator = await startProvider();
  simulator.faults.add({ kind: 'status', status: 400, endpoint: 'proxy_user' });
  const { code, stderr } = await runInit(simulator, createFolder({}), { env: KEYS });
  expect(code).toBe(1);
  expect(stderr).toMatch(/: answered 400.* Report a bug of proxywatch\.\n$/);
});

test('one error of the provider is not the end', async () => {
  await using simulator = await startProvider();
  simulator.faults.add({ kind: 'status', status: 500, count: 1 });
  expect((await runInit(simulator, createFolder({}), { env: KEYS })).code).toBe(0);
});

test('only key files that would be written must not exist', async () => {
  await using simulator = await startProvider();
  const folder = createFolder({ 'secrets/main_public_key': 'old' });
  const asked = await runInit(simulator, folder, { typed: [] });
  expect(asked.stderr).toBe(
    `error: ${folder}/secrets/main_public_key exists. init overwrites no file: move it to another folder, or give another --name\n`,
  );
  expect((await runInit(simulator, folder, { env: KEYS })).code).toBe(0);
  expect(read(folder, 'secrets/main_public_key')).toBe('old');
});

test('keys that may not use an endpoint are known', async () => {
  await using simulator = await startProvider();
  simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy_user' });
  const folder = createFolder({});
  const { code, stdout } = await runInit(simulator, folder, { env: KEYS });
  expect(code).toBe(1);
  expect(stdout).toMatch(/\nfailed {2}main: proxy_user\/search: answered 403/);
  expect(existsSync(join(folder, 'config.yaml'))).toBe(true);
});

test('without keys, without a terminal, or with a file that exists, nothing is asked and written', async () => {
  await using simulator = await startProvider();
  const folder = createFolder({ 'config.yaml': '{}' });
  const existing = await runInit(simulator, folder, { env: KEYS });
  expect(existing).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: `error: ${folder}/config.yaml exists. init overwrites no file: edit it, or give another file with --config\n`,
  });
  expect(read(folder, 'config.yaml')).toBe('{}');
  for (const env of [{}, { PROXY_PUBLIC_KEY: 'demo-public' }, { ...KEYS, PROXY_PRIVATE_KEY: '' }])
    expect(await runInit(simulator, createFolder({}), { env })).toEqual({
      ...{ code: 1, stdout: '' },
      stderr:
        'error: there are no keys. Set the variables PROXY_PUBLIC_KEY and PROXY_PRIVATE_KEY, or run init on a terminal, which asks for them\n',
    });
  const ended = await runInit(simulator, createFolder({}), { typed: ['demo-public'] });
  expect(ended.stderr).toMatch(/\nerror: no keys were given, so nothing is written\n$/);
  const named = await runInit(simulator, createFolder({}), { env: KEYS }, '../main');
  expect(named.stderr).toBe('error: --name: expected letters, digits, dots, dashes or underscores\n');
  expect(simulator.requests.count()).toBe(0);
});

test('the file loads as it is written, and with each optional setting', () => {
  const text = configText({ name: 'main', keys: ['public_key: a', 'private_key: b'] });
  const folder = createFolder({
    'written.yaml': text,
    'all.yaml': text.replaceAll(/^( *)#(?=[^ \n])/gm, '$1'),
    'secrets/slack_url': 'https://hooks.example.com/services/x',
  });
  expect(loadSettings(join(folder, 'written.yaml'), {}).warnings).toEqual([]);
  const { accounts, alerts } = loadSettings(join(folder, 'all.yaml'), {}).config;
  expect(accounts[0]).toMatchObject({ services: {}, proxy_tests: { max_runs_per_day: 1_000 } });
  expect(alerts.receivers).toMatchObject([{ name: 'webhook', template: 'slack' }]);
});
