// proxywatch demo: the daemon against the embedded simulated provider, with some days behind it at once.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../app.ts';
import type { ListenAddress } from '../config/network.ts';
import { serve } from '../daemon.ts';
import { DAY, HOUR } from '../lib/time.ts';
import { type Settings, settingsSchema } from '../settings.ts';
import { demoProxies } from '../simulator/demo-scenario.ts';
import { demoScenario, type Simulator, startSimulator } from '../simulator/simulator.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { createLog } from './logger.ts';
import { ReplayClock } from './replay-clock.ts';

export interface DemoOptions {
  readonly listen: ListenAddress;
  /** Folder of the store; a temporary one by default. */
  readonly data?: string;
}

/** What is replayed into a new store, so that totals, forecasts and faults are there to be looked at. */
const REPLAYED_MS = 3 * DAY;
const REPLAY_STEP_MS = 2 * HOUR;

export const demo = async (context: CommandContext, options: DemoOptions): Promise<ExitCode> => {
  if (options.data !== undefined) return runDemo(context, options.listen, options.data);
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-demo-'));
  try {
    return await runDemo(context, options.listen, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

const runDemo = async (context: CommandContext, listen: ListenAddress, folder: string): Promise<ExitCode> => {
  const { signal, stdout, version } = context;
  const clock = new ReplayClock();
  await using simulator = await startSimulator({ scenario: demoScenario, now: () => clock.now() });
  const settings = { ...demoSettings(simulator, join(folder, 'proxywatch.db')), server: { listen } };
  const log = createLog(settings.log, stdout);
  log.info({}, 'demo: replaying the last days of a simulated account');
  await using app = await createApp({ settings, clock, log, version });
  await replay(app, clock);
  await serve({ app, settings, clock, log, version, signal });
  log.info({}, 'stopping');
  return 0;
};

/** Lives through the days before now in long steps; a store that was kept needs none. */
const replay = async ({ accounts, runner, store }: App, clock: ReplayClock): Promise<void> => {
  const states = await Promise.all(accounts.map(({ name }) => store.runs.states(name)));
  if (states.flat().length > 0) return;
  clock.goBack(REPLAYED_MS);
  for (const { jobs } of accounts) for (const job of jobs) await runner.add(job);
  await runner.idle();
  while (clock.advance(REPLAY_STEP_MS)) {
    runner.tick();
    await runner.idle();
  }
};

const demoSettings = ({ baseUrl, publicKey, privateKey }: Simulator, path: string): Settings =>
  settingsSchema.parse({
    store: { path },
    log: { format: 'pretty' },
    accounts: [
      {
        name: 'demo',
        base_url: baseUrl,
        public_key: publicKey,
        private_key: privateKey,
        requests_per_second: 1_000,
        traffic: {
          catch_up: '3d',
          graphs: [
            ...['datacenter', 'isp', 'residential', 'mobile'].map((type) => ({
              name: type,
              product_type: type,
            })),
            { name: 'shop', hostname: 'shop.example' },
          ],
        },
        proxy_tests: {
          urls: ['https://www.example.com/', { name: 'shop', url: 'https://shop.example/health?token=demo' }],
          proxies: demoProxies(),
        },
      },
    ],
  });
