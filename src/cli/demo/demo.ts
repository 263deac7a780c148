// proxywatch demo: runs the daemon against the built-in simulated provider, after it has replayed some days.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListenAddress } from '../../config/network.ts';
import { createApp } from '../../daemon/app.ts';
import { serve } from '../../daemon/serve.ts';
import type { Settings } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import { demoScenario, FIRST_PROXY_PORT, startSimulator } from '../../simulator/simulator.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { saveMemory } from '../heap-size.ts';
import { createLog } from '../logger.ts';
import { inTemporaryFolder } from '../output-file.ts';
import { type ProgressBar, progressBar, showWork } from '../progress-bar.ts';
import { type Break, breakDemo, breakRoute, DemoBreaks } from './breaks.ts';
import { demoSettings, loadDemoAccount, replaySettings } from './demo-settings.ts';

export interface DemoOptions {
  readonly listen: ListenAddress;
  /** Folder of the store; a temporary one by default. */
  readonly data?: string;
  /** What to break in the demo that runs at `listen`, instead of starting one. */
  readonly break?: Break;
}

/** Time replayed into a new store, so that it has totals, forecasts and faults to look at. */
const REPLAYED_MS = 3 * DAY;
/** Each hour of the plots has a result. It divides no period of the simulated outages, so the proxy tests meet them. */
const REPLAY_STEP_MS = 50 * MINUTE;

export const demo = async (
  context: CommandContext,
  { data, listen, ...options }: DemoOptions,
): Promise<ExitCode> => {
  if (options.break) return breakDemo(context, listen, options.break);
  if (data !== undefined) return runDemo(context, listen, data);
  return inTemporaryFolder('demo', (folder) => runDemo(context, listen, folder));
};

const runDemo = async (context: CommandContext, listen: ListenAddress, folder: string): Promise<ExitCode> => {
  const { signal, stdout, stderr, version, nodeVersion, docsUrl } = context;
  const clock = createReplayClock();
  const { start, isNew } = loadDemoAccount(folder, clock.now());
  await using simulator = await startSimulator({
    scenario: { ...demoScenario, start: new Date(start).toISOString() },
    now: () => clock.now(),
    proxies: { port: FIRST_PROXY_PORT },
  });
  const caFile = join(folder, 'simulator-ca.pem');
  await writeFile(caFile, simulator.proxies.ca);
  const settings = demoSettings(simulator, join(folder, 'proxywatch.db'), listen, caFile);
  using bar = progressBar(stderr, settings.log.format === 'pretty');
  const log = createLog(settings.log, bar.keepBelow(stdout));
  if (isNew) {
    log.info({}, 'the demo replays three days of a simulated account, which takes less than half a minute');
    await replay(context, replaySettings(settings), clock, bar);
  }
  await using app = await createApp({ settings, clock, log, version, nodeVersion, docsUrl });
  using _heap = saveMemory(app.exposition);
  await using _ = showWork(bar, app, clock);
  await serve({
    app,
    settings,
    clock,
    log,
    version,
    signal,
    addRoutes: breakRoute(new DemoBreaks(simulator), log),
  });
  log.info({}, 'received a stop signal, stopping');
  return 0;
};

/** Replays the days before now in long steps. The daemon finds an older store, as after a restart, and does the last one. */
const replay = async (
  { signal, version, nodeVersion }: CommandContext,
  settings: Settings,
  clock: ReturnType<typeof createReplayClock>,
  bar: ProgressBar,
): Promise<void> => {
  clock.setBehind(REPLAYED_MS);
  // The simulated history need not survive a power loss.
  await using app = await createApp({
    ...{ settings, clock, log: silentLog, version, nodeVersion },
    isDurable: false,
    // Steps of the clock are longer than most hold times, which do not pass in them.
    holdScale: 0,
  });
  for (const { jobs } of app.accounts) for (const job of jobs) await app.runner.add(job);
  bar.show('replaying', 0);
  await app.runner.idle();
  await app.alerting.idle();
  for (let left = REPLAYED_MS - REPLAY_STEP_MS; left > 0 && !signal.aborted; left -= REPLAY_STEP_MS) {
    bar.show('replaying', 1 - left / REPLAYED_MS);
    clock.setBehind(left);
    app.runner.tick();
    await app.runner.idle();
    await app.alerting.idle();
  }
  bar.hide();
  clock.setBehind(0);
};

/** The system clock, which can be set behind the current time to replay the past. */
const createReplayClock = () => {
  let behindMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() - behindMs,
    /** Sets the clock behind the current time; 0 restores it. */
    setBehind: (ms: number): void => {
      behindMs = ms;
    },
  };
};
