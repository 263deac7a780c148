// Tests reloads: unchanged jobs are not disturbed, changed ones run again, removed ones end, and an invalid file changes nothing.

import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { StoreError } from '../../src/store/errors.ts';
import { waitUntil } from '../cli/program.ts';
import { createFolder } from '../config/support.ts';
import { decreasedCounters } from '../support/counters.ts';
import { startRequestGate } from '../support/request-gate.ts';
import { accountOf, Daemon, type Sections } from './support.ts';

const NO_CHANGES = { result: 'reloaded', added: [], changed: [], removed: [], needsRestart: [] };

const oneAccount =
  (more: Sections = {}) =>
  (simulator: Parameters<typeof accountOf>[0]) => ({
    accounts: [accountOf(simulator, more)],
  });

/** Starts a daemon whose provider is behind a gate, which closes during a run of traffic. */
const startGated = async () => {
  const gates: Awaited<ReturnType<typeof startRequestGate>>[] = [];
  const daemon = await Daemon.start(async (simulator) => {
    gates.push(await startRequestGate(simulator.baseUrl));
    return { accounts: [accountOf({ ...simulator, baseUrl: gates[0]?.baseUrl ?? '' })] };
  });
  const [gate] = gates;
  if (!gate) throw new Error('there is no gate');
  gate.close();
  daemon.clock.advance(MINUTE);
  daemon.app.runner.tick();
  await waitUntil(() => gate.waiting === 1);
  const account = (more: Sections) => ({
    accounts: [accountOf({ ...daemon.simulator, baseUrl: gate.baseUrl }, more)],
  });
  return { daemon, gate, account };
};

describe('unchanged settings', () => {
  it('keep the run, the schedule and the state of their jobs', async () => {
    const { daemon, gate, account } = await startGated();
    await using _ = gate;
    await using __ = daemon;
    const before = daemon.status('main/traffic');
    expect(before?.runningSince).toBe(daemon.clock.now());
    expect(await daemon.reload(account({ proxy_users: { schedule: '0 * * * *' } }))).toEqual({
      ...NO_CHANGES,
      changed: ['main/proxy_users'],
    });
    expect(daemon.status('main/traffic')).toEqual(before);
    gate.open();
    await daemon.app.runner.idle();
    const [run] = (await daemon.app.store.runs.states('main')).filter(
      ({ collector }) => collector === 'traffic',
    );
    expect(run).toMatchObject({ result: 'ok', startedAt: before?.runningSince });
  });

  it('may be written in another way', async () => {
    await using daemon = await Daemon.start(oneAccount());
    const jobs = daemon.app.accounts.flatMap((account) => account.jobs);
    const requestsBefore = daemon.simulator.requests.count();
    const [account] = oneAccount()(daemon.simulator).accounts;
    const { name, traffic, ...defaults } = account ?? {};
    const answer = await daemon.reload({
      defaults: { ...defaults, schedule_time_zone: 'UTC' },
      accounts: [{ name, traffic }],
    });
    await daemon.app.runner.idle();
    expect(answer).toEqual(NO_CHANGES);
    expect(daemon.app.accounts.flatMap((account) => account.jobs)).toEqual(jobs);
    expect(daemon.simulator.requests.count()).toBe(requestsBefore);
  });
});

describe('changed settings', () => {
  it('move the info of proxies to the collector that shows it now', async () => {
    const url = 'https://www.example.com/';
    const proxy_tests = { urls: [url], proxies: [{ name: 'own', proxy: '192.0.2.9:8000:alice:secret' }] };
    await using daemon = await Daemon.start(oneAccount({ proxy_tests }));
    const proxyInfoCounts = async (more: Sections): Promise<[number, number | undefined]> => {
      await daemon.reload(oneAccount(more)(daemon.simulator));
      await daemon.app.runner.idle();
      const samples = await daemon.samples();
      const own = samples.all('proxywatch_proxy_info', { proxy_id: 'own' }).length;
      return [samples.all('proxywatch_proxy_info').length, own];
    };
    expect(await proxyInfoCounts({ proxy_tests, inventory: {} })).toEqual([4, 1]);
    expect(await proxyInfoCounts({ inventory: {} })).toEqual([3, 0]);
    expect(await proxyInfoCounts({ proxy_tests, inventory: {} })).toEqual([4, 1]);
    expect(await proxyInfoCounts({ proxy_tests })).toEqual([1, 1]);
  });

  it('of the inventory neither restart the proxy tests nor name them', async () => {
    const proxy_tests = {
      urls: ['https://www.example.com/'],
      proxies: [{ name: 'own', proxy: '192.0.2.9:8000:alice:secret' }],
    };
    await using daemon = await Daemon.start(oneAccount({ proxy_tests }));
    const calls = () => daemon.simulator.requests.count('proxy_test_run/create');
    const callsBefore = calls();
    const inventory = oneAccount({ proxy_tests, inventory: {}, services: {} })(daemon.simulator);
    expect(await daemon.reload(inventory)).toEqual({
      ...NO_CHANGES,
      added: ['main/inventory', 'main/services'],
    });
    await daemon.app.runner.idle();
    expect(calls()).toBe(callsBefore);
    expect(await daemon.reload(oneAccount({ proxy_tests })(daemon.simulator))).toEqual({
      ...NO_CHANGES,
      removed: ['main/inventory', 'main/services'],
    });
  });

  it('end the current run and start one with the new settings at once', async () => {
    const { daemon, gate, account } = await startGated();
    await using _ = gate;
    await using __ = daemon;
    const graphs = [{ name: 'shop', hostname: 'shop.example' }];
    const answer = await daemon.reload(account({ traffic: { catch_up: '1h', graphs } }));
    expect(answer).toEqual({ ...NO_CHANGES, changed: ['main/traffic'] });
    gate.open();
    await daemon.app.runner.idle();
    const samples = await daemon.samples();
    expect(samples.value('proxywatch_collector_success', { collector: 'traffic' })).toBe(1);
    expect(samples.value('proxywatch_graph_requests_total', { graph: 'shop' })).toBe(0);
    // The run that was ended does not count.
    expect(samples.by('result', 'proxywatch_collector_runs_total', { collector: 'traffic' })).toMatchObject({
      ok: 2,
      failed: 0,
    });
  });

  it('also restart the reconciliation when one of its sources changes', async () => {
    const reconciled = (more: Sections) => oneAccount({ reconciliation: {}, ...more });
    await using daemon = await Daemon.start(reconciled({}));
    const other = reconciled({ residential_ledger: { usage_reasons: ['usage', 'burn'] } });
    expect(await daemon.reload(other(daemon.simulator))).toEqual({
      ...NO_CHANGES,
      changed: ['main/residential_ledger', 'main/reconciliation'],
    });
  });

  it('restart every collector of the account when they are its zone or parameters', async () => {
    await using daemon = await Daemon.start(oneAccount());
    const all = ['main/traffic', 'main/residential_ledger', 'main/proxy_users'];
    const zoned = { accounts: oneAccount()(daemon.simulator).accounts, schedule_time_zone: 'Asia/Kolkata' };
    expect(await daemon.reload(zoned)).toEqual({ ...NO_CHANGES, changed: all });
    await daemon.app.runner.idle();
    const others = oneAccount({ parameters: { concurrency: 'x' } })(daemon.simulator);
    expect(await daemon.reload(others)).toEqual({ ...NO_CHANGES, changed: all });
    await daemon.app.runner.idle();
    const runs = (await daemon.samples()).by('collector', 'proxywatch_collector_runs_total', {
      result: 'ok',
    });
    expect(runs).toEqual({ traffic: 3, residential_ledger: 3, proxy_users: 3 });
  });
});

describe('a new key, pace or address', () => {
  it('applies to the next run: the current one ends with the old client, which is then closed', async () => {
    const { daemon, gate, account } = await startGated();
    await using _ = gate;
    await using __ = daemon;
    const simulator = await startSimulator({
      scenario: { users: 3, pace: null },
      now: () => daemon.clock.now(),
    });
    await using ___ = simulator;
    const answer = await daemon.reload(
      account({ base_url: simulator.baseUrl, requests_per_second: 500_000 }),
    );
    expect(answer).toEqual({ ...NO_CHANGES, changed: ['main'] });
    expect((await daemon.samples()).value('proxywatch_api_requests_per_second_limit')).toBe(500_000);
    expect(daemon.status('main/traffic')?.runningSince).not.toBeNull();
    expect(await gate.connections()).toBeGreaterThan(0);
    gate.open();
    await daemon.app.runner.idle();
    await waitUntil(async () => (await gate.connections()) === 0);
    expect(simulator.requests.count()).toBe(0);
    await daemon.advance(MINUTE);
    expect(simulator.requests.count('analytics/graph', 200)).toBe(1);
  });

  it('repairs an account whose keys were wrong', async () => {
    await using daemon = await Daemon.start(oneAccount({ private_key: 'wrong' }));
    expect((await daemon.samples()).value('proxywatch_collector_success', { collector: 'traffic' })).toBe(0);
    await daemon.reload(oneAccount()(daemon.simulator));
    await daemon.advance(MINUTE);
    expect((await daemon.samples()).value('proxywatch_collector_success', { collector: 'traffic' })).toBe(1);
  });
});

describe('removal', () => {
  it('of a collector ends its run and drops its series, and its counters continue when it is added again', async () => {
    const { daemon, gate, account } = await startGated();
    await using _ = gate;
    await using __ = daemon;
    const before = await daemon.metrics();
    expect(await daemon.reload(account({ traffic: false, proxy_users: false }))).toEqual({
      ...NO_CHANGES,
      removed: ['main/traffic', 'main/proxy_users'],
    });
    gate.open();
    expect(daemon.jobs).toEqual(['main/residential_ledger']);
    const rest = [...(await daemon.metrics()).keys()];
    expect(rest.filter((series) => /traffic|graph|proxy_user/.test(series))).toEqual([]);
    expect(rest).toContain('proxywatch_collector_success{account="main",collector="residential_ledger"}');
    expect(await daemon.app.store.traffic.graphs('main')).toHaveLength(1);

    expect(await daemon.reload(account({}))).toEqual({
      ...NO_CHANGES,
      added: ['main/traffic', 'main/proxy_users'],
    });
    await daemon.app.runner.idle();
    const after = await daemon.metrics();
    expect(decreasedCounters(before, after)).toEqual([]);
    const missing = [...before.keys()].filter((series) => !after.has(series));
    // The last success of an endpoint is known again only after the next request to it.
    expect(missing.filter((series) => !series.startsWith('proxywatch_api_last_success'))).toEqual([]);
  });

  it('of an account drops all its series', async () => {
    await using daemon = await Daemon.start((simulator) => ({
      accounts: [accountOf(simulator), accountOf(simulator, { name: 'shop' })],
    }));
    const both = { accounts: [accountOf(daemon.simulator), accountOf(daemon.simulator, { name: 'shop' })] };
    const before = await daemon.metrics();
    expect(await daemon.reload(oneAccount()(daemon.simulator))).toEqual({ ...NO_CHANGES, removed: ['shop'] });
    await daemon.advance(MINUTE);
    expect(await daemon.metricsText()).not.toContain('"shop"');
    expect(daemon.app.accounts.map(({ name }) => name)).toEqual(['main']);
    expect(await daemon.app.store.runs.states('shop')).toHaveLength(3);
    expect(await daemon.reload(both)).toEqual({ ...NO_CHANGES, added: ['shop'] });
    await daemon.advance(MINUTE);
    const after = await daemon.metrics();
    const own = (series: string) => series.includes('account="shop"') && series.includes('_total{');
    const fallen = [...before].filter(([series, value]) => own(series) && (after.get(series) ?? -1) < value);
    expect(fallen).toEqual([]);
    expect([...before.keys()].filter(own).length).toBeGreaterThan(20);
  });
});

describe('a file with a mistake', () => {
  it('changes nothing, and is reported in the answer, the log and the metrics', async () => {
    await using daemon = await Daemon.start(oneAccount());
    const jobs = daemon.app.runner.status();
    const loadedAt = daemon.clock.now() / SECOND;
    await daemon.advance(SECOND);
    const answer = await daemon.reload('server: {listen: here}\naccounts: []\n');
    expect(answer).toMatchObject({
      result: 'mistakes',
      mistakes: [
        { file: daemon.file, line: 1, column: 18, path: 'server.listen' },
        { file: daemon.file, line: 2, column: 11, path: 'accounts' },
      ],
    });
    expect(daemon.lines.at(-1)).toMatchObject({
      level: 'error',
      message: expect.stringContaining('The old configuration stays in effect'),
      fields: {
        mistakes: [
          expect.stringContaining(':1:18: server.listen: '),
          expect.stringContaining(':2:11: accounts: '),
        ],
      },
    });
    expect(daemon.app.runner.status()).toEqual(jobs);
    const reloaded = async () => {
      const samples = await daemon.samples();
      return [
        samples.value('proxywatch_config_last_reload_successful'),
        samples.value('proxywatch_config_last_reload_success_timestamp_seconds'),
      ];
    };
    expect(await reloaded()).toEqual([0, loadedAt]);
    await daemon.reload(oneAccount()(daemon.simulator));
    expect(await reloaded()).toEqual([1, daemon.clock.now() / SECOND]);
  });

  it('may be a mistake that only the store reveals', async () => {
    const graphs = (hostname: string) => ({
      traffic: { catch_up: '1h', graphs: [{ name: 'shop', hostname }] },
    });
    await using daemon = await Daemon.start(oneAccount(graphs('shop.example')));
    const jobs = daemon.app.accounts.flatMap((account) => account.jobs);
    const other = oneAccount({ ...graphs('www.example.com'), proxy_users: false })(daemon.simulator);
    expect(await daemon.reload(other)).toMatchObject({
      result: 'mistakes',
      mistakes: [
        { path: 'accounts[0].traffic.graphs[0]', line: 1, message: expect.stringContaining('new name') },
      ],
    });
    expect(daemon.app.accounts.flatMap((account) => account.jobs)).toEqual(jobs);
  });
});

it('is rolled back when the store fails midway', async () => {
  const { daemon, gate, account } = await startGated();
  await using _ = gate;
  await using __ = daemon;
  const { traffic } = daemon.app.store;
  const { openGraph } = traffic;
  const opened: string[] = [];
  const fullForShop: typeof openGraph = (identity, ...rest) => {
    opened.push(`${identity.account} ${identity.requestFormat}`);
    if (identity.account !== 'shop') return openGraph(identity, ...rest);
    return Promise.reject(new StoreError('unwritable', 'the disk is full'));
  };
  Object.assign(traffic, { openGraph: fullForShop });
  const other = account({ time_zone: 'Asia/Kolkata', proxy_users: false });
  const added = accountOf(daemon.simulator, { name: 'shop' });
  expect(await daemon.reload({ accounts: [...other.accounts, added] })).toEqual({
    result: 'failed',
    error: 'the disk is full',
  });
  expect(daemon.jobs.toSorted()).toEqual(['main/proxy_users', 'main/residential_ledger', 'main/traffic']);
  gate.open();
  await daemon.app.runner.idle();
  const samples = await daemon.samples();
  expect(samples.by('collector', 'proxywatch_collector_success')).toEqual({
    proxy_users: 1,
    residential_ledger: 1,
    traffic: 1,
  });
  // The graph that was already opened for another zone is opened again for the former one.
  expect(opened.map((text) => text.match(/^\w+|UTC|Kolkata/g)?.join(' '))).toEqual([
    'main Kolkata',
    'shop UTC',
    'main UTC',
  ]);
  expect(samples.value('proxywatch_config_last_reload_successful')).toBe(0);
  expect(await daemon.metricsText()).not.toContain('"shop"');
});

it('applies the log level, and reports until the restart which settings need one', async () => {
  await using daemon = await Daemon.start(oneAccount());
  const accounts = [accountOf(daemon.simulator)];
  const others = {
    server: { listen: ':1' },
    metrics: { first_step_hold: '9m' },
    log: { level: 'debug', format: 'pretty' },
  };
  const needsRestart = ['server.listen', 'metrics.first_step_hold', 'log.format'];
  expect(await daemon.reload({ accounts, ...others })).toEqual({ ...NO_CHANGES, needsRestart });
  expect(daemon.level).toBe('debug');
  expect(daemon.lines.at(-1)).toMatchObject({ level: 'warn', fields: { needsRestart } });
  expect(await daemon.reload({ accounts, ...others })).toEqual({ ...NO_CHANGES, needsRestart });
  expect(await daemon.reload({ accounts })).toEqual(NO_CHANGES);
  expect(daemon.level).toBe('info');
});

it('runs one at a time: requests during a reload share the next one', async () => {
  const { daemon, gate, account } = await startGated();
  await using _ = gate;
  await using __ = daemon;
  const first = daemon.reload(account({ traffic: false }));
  await waitUntil(() => daemon.loadCount === 1);
  const others = [daemon.reload(account({ traffic: false, proxy_users: false })), daemon.reloader.request()];
  expect(await first).toMatchObject({ removed: ['main/traffic'] });
  for (const answer of await Promise.all(others))
    expect(answer).toMatchObject({ removed: ['main/proxy_users'] });
  expect(daemon.loadCount).toBe(2);
  await daemon.reloader[Symbol.asyncDispose]();
  expect(await daemon.reloader.request()).toEqual({ result: 'failed', error: 'proxywatch is stopping' });
});

it('compares secret files by path: another path with the same secret is a new key', async () => {
  const folder = createFolder({ one: 'demo-private', two: 'demo-private' });
  const keyIn = (name: string) =>
    oneAccount({ private_key: undefined, private_key_file: `${folder}/${name}` });
  await using daemon = await Daemon.start(keyIn('one'));
  expect(await daemon.reload(keyIn('one')(daemon.simulator))).toEqual(NO_CHANGES);
  expect(await daemon.reload(keyIn('two')(daemon.simulator))).toEqual({ ...NO_CHANGES, changed: ['main'] });
  expect(await daemon.reload(oneAccount()(daemon.simulator))).toEqual({ ...NO_CHANGES, changed: ['main'] });
  expect(await daemon.reload(oneAccount({ private_key: 'other' })(daemon.simulator))).toEqual({
    ...NO_CHANGES,
    changed: ['main'],
  });
});
