// Tests reloads of the program in its own process: by SIGHUP and POST, during a run, and with an invalid file.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { Samples } from '../support/samples.ts';
import { getText, Program, waitUntil } from './program.ts';
import { configText } from './run-command.ts';

type Sections = Readonly<Record<string, unknown>>;

const STORE = { store: { path: 'store.db' } };

interface Daemon {
  readonly program: Program;
  readonly simulator: Simulator;
  readonly file: string;
  configure(account: Sections, others?: Sections): void;
}

const start = async (): Promise<Daemon> => {
  const simulator = await startSimulator({
    scenario: { users: 3, proxies: 2, pace: null },
    now: () => Date.now(),
  });
  onTestFinished(() => simulator[Symbol.asyncDispose]());
  const file = join(createFolder({}), 'config.yaml');
  const configure: Daemon['configure'] = (account, others = {}) =>
    writeFileSync(
      file,
      configText(
        simulator,
        { traffic: { catch_up: '1h' }, reconciliation: false, ...account },
        { ...STORE, ...others },
      ),
    );
  configure({});
  const program = Program.start(['run', '--config', file]);
  onTestFinished(() => program[Symbol.asyncDispose]());
  return { program, simulator, file, configure };
};

const post = async (url: string): Promise<[status: number, body: unknown]> => {
  const response = await fetch(`${url}/-/reload`, { method: 'POST' });
  return [response.status, await response.json()];
};

const collectorsAt = async (url: string): Promise<string[]> => {
  const { accounts } = JSON.parse(await getText(`${url}/api/v1/status`)) as {
    accounts: { collectors: { name: string }[] }[];
  };
  return accounts.flatMap(({ collectors }) => collectors.map(({ name }) => name));
};

test('POST reloads the file, and returns what changed and what needs a restart', async () => {
  const { program, configure } = await start();
  const url = await program.url();
  configure({ proxy_users: false }, { metrics: { first_step_hold: '5m' } });
  expect(await post(url)).toEqual([
    200,
    { added: [], changed: [], removed: ['main/proxy_users'], needs_restart: ['metrics.first_step_hold'] },
  ]);
  expect(await collectorsAt(url)).toEqual(['traffic', 'residential_ledger']);
});

test('SIGHUP reloads during a run, and a second one during a reload is not lost', async () => {
  const { program, simulator, configure } = await start();
  const url = await program.url();
  await waitUntil(async () => (await fetch(`${url}/-/ready`)).ok);
  simulator.faults.add({ kind: 'slow', delay_ms: 600_000, endpoint: 'residential_ledger' });
  configure({ residential_ledger: { schedule: '* * * * * *' } });
  program.kill('SIGHUP');
  await waitUntil(() =>
    simulator.requests.recent.some(({ endpoint, status }) => endpoint.includes('ledger') && status === 0),
  );
  configure({ residential_ledger: false });
  program.kill('SIGHUP');
  configure({ residential_ledger: false, proxy_users: false });
  program.kill('SIGHUP');
  await waitUntil(async () => (await collectorsAt(url)).length === 1);
  expect(await collectorsAt(url)).toEqual(['traffic']);
  expect(await getText(`${url}/metrics`)).not.toContain('collector="residential_ledger"');
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr).toBe('');
});

test('an invalid file leaves the daemon as it was, and the answer, the log and the metrics report it', async () => {
  const { program, file } = await start();
  const url = await program.url();
  writeFileSync(file, 'accounts:\n  - nmae: main\n');
  const [status, body] = await post(url);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    error: expect.stringContaining('the old configuration stays in effect'),
    mistakes: expect.arrayContaining([
      { file, line: 2, column: 5, path: 'accounts[0].nmae', message: 'unknown key' },
    ]),
  });
  expect(await collectorsAt(url)).toEqual(['traffic', 'residential_ledger', 'proxy_users']);
  const samples = new Samples(await getText(`${url}/metrics`));
  expect(samples.value('proxywatch_config_last_reload_successful')).toBe(0);
  expect(program.stdout).toContain(`${file}:2:5: accounts[0].nmae: unknown key`);
  expect(program.isRunning).toBe(true);
});

test('a change of the log level applies to all log lines', async () => {
  const { program, configure } = await start();
  const url = await program.url();
  await waitUntil(async () => (await fetch(`${url}/-/ready`)).ok);
  expect(program.stdout).not.toContain('"level":"debug"');
  configure({ traffic: { schedule: '* * * * * *' } }, { log: { level: 'debug' } });
  expect(await post(url)).toMatchObject([200, { changed: ['main/traffic'], needs_restart: [] }]);
  await waitUntil(() => program.stdout.includes('"level":"debug"'));
});
