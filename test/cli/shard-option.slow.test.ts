// Tests the option --shard: commands use only the accounts of the shard, and the option comes before the variable.

import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { backfill, once } from '../../src/cli/export.ts';
import { notify } from '../../src/cli/notify.ts';
import { shardOption, withShard } from '../../src/cli/options.ts';
import { probe } from '../../src/cli/probe/probe.ts';
import { reconcile } from '../../src/cli/reconcile.ts';
import { rewind } from '../../src/cli/remote-write/rewind.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { ownerOf } from '../../src/daemon/shards/shard.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { readCommands } from '../docs/commands.ts';
import { openStore } from '../store/support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { Samples } from '../support/samples.ts';
import { Program } from './program.ts';
import { runCommand } from './run-command.ts';

const NOW = Date.parse('2026-07-10T12:34:56Z');
const NAMES = ['account-0', 'account-1', 'account-2', 'account-3', 'account-4', 'account-5'];
const ownedBy = (shard: number): string[] => NAMES.filter((name) => ownerOf(name, 2) === shard);
const PROVIDER = { baseUrl: 'http://127.0.0.1:9/1.0', publicKey: 'public', privateKey: 'private' };

const configFile = (
  { baseUrl, publicKey, privateKey } = PROVIDER,
  others: object = {},
  more: object = {},
) => {
  const accounts = NAMES.map((name) => ({
    ...{ name, base_url: baseUrl, public_key: publicKey, private_key: privateKey },
    ...{ requests_per_second: 1_000, ...more },
  }));
  const folder = createFolder({ 'config.yaml': JSON.stringify({ ...others, accounts }) });
  return join(folder, 'config.yaml');
};

const simulator = () => startSimulator({ scenario: { users: 1, proxies: 1, pace: null }, now: () => NOW });

/** Runs check-config in a process of its own. */
const checkConfig = async (args: readonly string[], env: Record<string, string> = {}) => {
  await using program = Program.start(['check-config', '--config', configFile(), ...args], { env });
  const { code } = await program.ended;
  const [own = ''] = /.*\(this shard\).*/.exec(program.stdout) ?? [];
  return { code, own, stderr: program.stderr };
};

test('the option comes before the variable', async () => {
  const own = `shard 1 of 2 (this shard): ${ownedBy(1).join(', ')}`;
  const env = { PROXYWATCH_SHARD: '0/3' };
  expect(await checkConfig(['--shard', '1/2'], env)).toEqual({ code: 0, own, stderr: '' });
});

test.each([
  ['decides', '1/2', {}],
  ['comes before a variable that is wrong', '1/2', { PROXYWATCH_SHARD: 'one' }],
  ['is not necessary with the variable', undefined, { PROXYWATCH_SHARD: '1/2' }],
])('the option %s', (_, shard, env) => {
  const { config } = loadSettings(configFile(), withShard(env, shard === undefined ? {} : { shard }));
  expect(config.sharding).toMatchObject({ index: 1, count: 2 });
  expect(config.accounts.map(({ name }) => name)).toEqual(ownedBy(1));
});

/** Returns what the command line says about the option. */
const mistakeOf = (text: string): string => {
  let written = '';
  const command = new Command().exitOverride().configureOutput({
    writeErr: (error) => {
      written += error;
    },
  });
  command.addOption(shardOption());
  expect(() => command.parse([`--shard=${text}`], { from: 'user' })).toThrow(CommanderError);
  return written;
};

test.each(['', '3/3', ' 1/3', '1000/1001'])('the option is wrong: "%s"', (text) => {
  expect(mistakeOf(text)).toBe(
    `error: option '--shard <I/N>' argument '${text}' is invalid. Expected a shard and the number of shards, such as 0/3, 1/3 or 2/3. There can be up to 1000 shards.\n`,
  );
});

test('a wrong option ends the command', async () => {
  const { code, stderr } = await checkConfig(['--shard=3/3']);
  expect([code, stderr]).toEqual([1, `${mistakeOf('3/3')}(Add --help to see the options.)\n`]);
});

test('every command that uses the accounts of one shard has the option', async () => {
  const commands = await readCommands();
  const withOption = commands.filter(({ options }) => options.includes('--shard')).map(({ name }) => name);
  const withConfig = commands.filter(({ options }) => options.includes('--config')).map(({ name }) => name);
  // These use the store as a whole, or the accounts of all shards.
  const others = ['init', 'probe', 'export rules', 'store check', 'store backup', 'store restore'];
  expect(withOption.toSorted()).toEqual(withConfig.filter((name) => !others.includes(name)).toSorted());
});

test('once and doctor use only the accounts of the shard', async () => {
  await using provider = await simulator();
  // Hours make few samples, so that the test is fast.
  const more = { traffic: { interval: 'hour', graphs: [] } };
  const config = configFile(provider, { store: { path: 'none.db' } }, more);
  const { stdout } = await runCommand(once, { config, shard: '0/2' });
  const accounts = new Samples(stdout).by('account', 'proxywatch_collector_success', {
    collector: 'traffic',
  });
  expect(Object.keys(accounts).toSorted()).toEqual(ownedBy(0));
  const checked = await runCommand(doctor, { config, shard: '0/2' });
  expect(checked.stdout).toContain(`ok      accounts: shard 0 of 2: ${ownedBy(0).join(', ')}\n`);
  for (const name of ownedBy(0)) expect(checked.stdout).toContain(` ${name}: `);
  for (const name of ownedBy(1)) expect(checked.stdout).not.toContain(` ${name}: `);
});

test('notify sends the heartbeat of the shard', async () => {
  await using server = await FakeReceiver.start();
  const receivers = [{ type: 'heartbeat', url: `${server.url}/ping-{shard}` }];
  const options = { config: configFile(PROVIDER, { alerts: { receivers } }), severity: 'warning' } as const;
  expect((await runCommand(notify, { ...options, shard: '1/2' })).code).toBe(0);
  expect(server.received.map(({ path }) => path)).toEqual([expect.stringContaining('ping-1')]);
});

test('probe knows the proxies of all shards', async () => {
  const proxies = [{ name: 'one', proxy: '192.0.2.1:8000:alice:password' }];
  const config = configFile(PROVIDER, {}, { probes: { urls: ['https://www.example.com/'], proxies } });
  const [account = ''] = ownedBy(1);
  const request = { proxy: 'ones', url: 'https://www.example.com/' };
  const inShard: typeof probe = (context, options) =>
    probe({ ...context, env: { PROXYWATCH_SHARD: '0/2' } }, options);
  const options = { config, account, timeout: 1_000, format: 'text' } as const;
  expect(await runCommand(inShard, { ...request, ...options })).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: 'error: proxy: the configuration has no proxy called ones; did you mean one?\n',
  });
});

test('a shard without accounts has nothing to compare or to export', async () => {
  const store = { path: 'store.db' };
  const pinned = { shard: 0, probes: { urls: ['https://www.example.com/'], proxies: [] } };
  const config = configFile(PROVIDER, { store }, pinned);
  openStore(join(config, '../store.db'))[Symbol.dispose]();
  const shard = '1/2';
  const dates = { from: '2026-07-01', to: '2026-07-02' };
  expect(await runCommand(reconcile, { config, shard, ...dates })).toEqual({
    ...{ code: 2, stdout: '', stderr: 'nothing to compare, because shard 1 of 2 has no accounts\n' },
  });
  const output = join(config, '../history.om');
  const instants = { from: () => NOW - 1, to: () => NOW };
  expect(await runCommand(backfill, { config, shard, output, ...instants })).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: `${output}: no samples, because shard 1 of 2 has no accounts\n`,
  });
});

test('rewind takes the shard of the option', async () => {
  const remote = [{ name: 'victoria', url: 'http://127.0.0.1:9/api/v1/write' }];
  const config = configFile(PROVIDER, { store: { path: 'store.db' }, remote_write: remote });
  openStore(join(config, '../store.db'))[Symbol.dispose]();
  const options = { config, receiver: 'victoria', to: () => NOW, shard: 'none' };
  // The configuration is loaded for the shard of the option.
  expect((await runCommand(rewind, options)).stderr).toContain('PROXYWATCH_SHARD is not valid');
});
