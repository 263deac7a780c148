// Tests that a daemon whose line is down blames its own machine and nothing else, in a network namespace of its own.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type SimulatorWithProxies, startSimulator } from '../../../src/simulator/simulator.ts';
import { Program, waitUntil } from '../../cli/program.ts';
import { configText } from '../../cli/run-command.ts';
import { createFolder } from '../../config/support.ts';
import { Line } from '../../probes-blame/line.ts';
import { CHECK, lineOf, SHOP } from '../../probes-blame/world.ts';
import { describeWith } from '../with-programs.ts';
import { createNamespace, HERE, type Namespace, PROGRAMS } from './namespace.ts';

/** Enough for an outage of the provider. */
const PROXIES = 12;
const EVERY_SECOND = { schedule: '* * * * * *' };

const accountOf = ({ proxies }: SimulatorWithProxies, controls: readonly Line[], ca_file: string) => {
  const entries = proxies.proxies.map((proxy, index) => ({
    ...{ name: `p${index}`, product_type: proxy.type, proxy: lineOf(proxy) },
  }));
  return {
    ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
    proxy_tests: { ...EVERY_SECOND, max_runs_per_day: 1_000_000, urls: [CHECK, SHOP], proxies: entries },
    probes: {
      ...{ ...EVERY_SECOND, timeout: '1s', max_bytes_per_day: '100GiB' },
      urls: [CHECK, SHOP].map((target) => ({ ...target, ca_file })),
      control: { urls: controls.map(({ url }) => url) },
    },
  };
};

const startWorld = async (namespace: Namespace) => {
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(
    await startSimulator({
      ...{ now: () => Date.now(), scenario: { pace: null, proxies: PROXIES } },
      ...{ host: HERE, proxies: { host: HERE } },
    }),
  );
  const { targets, ca } = simulator.proxies;
  const controls = [
    stack.use(await Line.to(targets.http, HERE)),
    stack.use(await Line.to(targets.http, HERE)),
  ];
  const folder = createFolder({ 'ca.pem': ca });
  const others = {
    ...{ store: { path: join(folder, 'store.db') }, server: { listen: '127.0.0.1:0' } },
    alerts: { evaluate: true },
  };
  const config = join(folder, 'config.yaml');
  writeFileSync(
    config,
    configText(simulator, accountOf(simulator, controls, join(folder, 'ca.pem')), others),
  );
  const program = stack.use(Program.start(['run', '--config', config], { within: namespace.command }));
  const url = await program.url();
  const read = (path: string): Promise<string> => namespace.run('curl', '-sS', `${url}${path}`);
  const alerts = async (): Promise<string[]> => {
    const { data } = JSON.parse(await read('/api/v1/alerts')) as { data: { state: string; alert: string }[] };
    return data.filter(({ state }) => state === 'firing').map(({ alert }) => alert);
  };
  const blamed = async (): Promise<string[]> =>
    (await read('/metrics'))
      .split('\n')
      .filter((line) => line.startsWith('proxywatch_fault{') && line.endsWith(' 1'));
  const sampleOf = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(await read('/metrics'))?.[1]);
  const kept = stack.move();
  return { alerts, blamed, sampleOf, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() };
};

const FAILING_ROUNDS = 'proxywatch_probe_controls_failing_rounds';

describeWith(PROGRAMS, 'a daemon whose line is down', () => {
  it.each(['shutDown', 'unplug'] as const)('blames this machine and nothing else: %s', async (cut) => {
    using namespace = createNamespace();
    await using world = await startWorld(namespace);
    const { alerts, blamed, sampleOf } = world;
    const nothingElse = async (): Promise<void> => {
      expect(await blamed()).toEqual([]);
      expect((await alerts()).filter((alert) => alert !== 'ProbesFailingHere')).toEqual([]);
    };
    await waitUntil(async () => (await sampleOf(FAILING_ROUNDS)) === 0);
    await nothingElse();
    namespace[cut]();
    // Two rounds make the alert fire. Twice as many would also make every fault begin.
    await waitUntil(async () => {
      await nothingElse();
      return (await sampleOf(FAILING_ROUNDS)) >= 4;
    });
    expect(await alerts()).toEqual(['ProbesFailingHere']);
    namespace.mend();
    await waitUntil(async () => {
      await nothingElse();
      return (await alerts()).length === 0;
    });
    expect(await sampleOf(FAILING_ROUNDS)).toBe(0);
  });
});
