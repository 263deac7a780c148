// Runs a daemon against the simulated provider with real HTTP and a real store, on a clock that the test moves.

import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { type App, createApp } from '../../src/daemon/app.ts';
import { type Settings, settingsSchema } from '../../src/daemon/settings.ts';
import type { Log } from '../../src/lib/log.ts';
import { silentLog } from '../../src/lib/log.ts';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import type { Probe } from '../../src/prober/probe.ts';
import { type ScenarioInput, type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { writeEmptyStore } from './empty-store.ts';
import { FakeClock } from './fake-clock.ts';
import { Samples } from './samples.ts';

/** A clock whose sleeps of less than a minute (pace, retries) end immediately. A test ends longer sleeps itself. */
export class QuickClock extends FakeClock {
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms >= MINUTE) return super.sleep(ms, signal);
    await setImmediate();
    signal?.throwIfAborted();
    this.elapse(ms);
  }
}

export interface HarnessOptions {
  readonly now: string;
  /** The clock. The default is a new `QuickClock` at `now`. */
  readonly clock?: FakeClock;
  readonly scenario?: ScenarioInput;
  /** A simulator that the caller starts and closes. The default is one with the scenario. */
  readonly simulator?: Simulator;
  /** Faults of the simulator from the start. */
  readonly faults?: readonly object[];
  /** Settings of the account `main` in addition to its URL and keys. */
  readonly account?: Record<string, unknown>;
  /** Names of accounts that differ from `main` only in their names. */
  readonly copies?: readonly string[];
  readonly firstStepHold?: string;
  /** The `metrics` section of the settings, in addition to the hold. */
  readonly metrics?: Readonly<Record<string, unknown>>;
  /** The `store.backup` section of the settings. */
  readonly backup?: Readonly<Record<string, unknown>>;
  /** A store file to copy and start with. The default is a new store. */
  readonly storeFile?: string;
  /** Retention settings of the store. */
  readonly retention?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** The `alerts` section of the settings. By default alerts are not evaluated. */
  readonly alerts?: Readonly<Record<string, unknown>>;
  /** The `remote_write` section of the settings. */
  readonly remoteWrite?: readonly Readonly<Record<string, unknown>>[];
  /** Factor by which the holds of alerts are multiplied. */
  readonly holdScale?: number;
  /** Makes probes. The default is that of the daemon. */
  readonly probe?: Probe;
}

export class Harness implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly simulator: Simulator;
  readonly folder: string;
  #options: HarnessOptions;
  #app: App | undefined;

  private constructor(options: HarnessOptions, clock: FakeClock, simulator: Simulator, folder: string) {
    this.#options = options;
    this.clock = clock;
    this.simulator = simulator;
    this.folder = folder;
  }

  static async build(options: HarnessOptions): Promise<Harness> {
    const clock = options.clock ?? new QuickClock(options.now);
    const simulator =
      options.simulator ??
      (await startSimulator({
        scenario: { pace: null, ...startOf(options), ...options.scenario },
        now: () => clock.now(),
      }));
    if (options.faults) simulator.faults.replace(options.faults);
    const harness = new Harness(options, clock, simulator, await mkdtemp(join(tmpdir(), 'proxywatch-')));
    if (options.storeFile) await copyFile(options.storeFile, harness.storePath);
    else writeEmptyStore(harness.storePath);
    await harness.start();
    return harness;
  }

  get app(): App {
    if (!this.#app) throw new Error('the app is not running');
    return this.#app;
  }

  get storePath(): string {
    return join(this.folder, 'proxywatch.db');
  }

  /** The settings of the account in addition to its URL and keys. */
  get accountOptions(): Readonly<Record<string, unknown>> {
    return this.#options.account ?? {};
  }

  get settings(): Settings {
    const { baseUrl, publicKey, privateKey } = this.simulator;
    const {
      account = {},
      copies = [],
      firstStepHold = '2m',
      retention = {},
      alerts = {},
      remoteWrite = [],
      backup,
      metrics = {},
    } = this.#options;
    return settingsSchema.parse({
      alerts,
      remote_write: remoteWrite,
      store: { path: this.storePath, retention, ...(backup && { backup }) },
      metrics: { first_step_hold: firstStepHold, ...metrics },
      accounts: ['main', ...copies].map((name) => ({
        name,
        base_url: baseUrl,
        public_key: publicKey,
        ...('private_key_file' in account ? {} : { private_key: privateKey }),
        requests_per_second: 1_000_000,
        // To read the week that is the default takes longer than all else of most tests.
        traffic: { catch_up: '3h' },
        ...account,
      })),
    });
  }

  /** Starts the daemon and waits for the runs that are due. */
  async start(): Promise<void> {
    const { log = silentLog, holdScale = 1, probe } = this.#options;
    this.#app = await createApp({
      settings: this.settings,
      clock: this.clock,
      log,
      holdScale,
      version: '0.0.0-test',
      nodeVersion: '24.0.0',
      // Tests do not need durability, and without it they are faster.
      isDurable: false,
      ...(probe && { probe }),
    });
    for (const { jobs } of this.app.accounts) for (const job of jobs) await this.app.runner.add(job);
    await this.app.runner.idle();
  }

  /** Restarts the daemon as if the account's settings had been changed in the file. */
  async restart(account: Record<string, unknown> = {}): Promise<void> {
    await this.stop();
    this.#options = { ...this.#options, account: { ...this.#options.account, ...account } };
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#app?.[Symbol.asyncDispose]();
    this.#app = undefined;
  }

  /** Advances the clock and waits until all runs that are due have finished. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.app.runner.tick();
    this.app.alerting.tick();
    await this.app.runner.idle();
    await this.app.alerting.idle();
    await this.app.maintenance.idle();
    await this.app.backups.idle();
    this.app.reports.tick();
    await this.app.reports.idle();
    await this.app.alerting.idle();
    this.app.remoteWriting.tick();
    await this.app.remoteWriting.idle();
  }

  async metricsText(format: 'text' | 'openmetrics' = 'text'): Promise<string> {
    const { body } = await this.app.exposition.scrape({ format, encoding: 'identity' });
    return text(body);
  }

  /** Returns samples by name and labels as written, such as `proxywatch_traffic_bytes_total{account="main"}`. */
  async metrics(): Promise<Map<string, number>> {
    return parseSamples(await this.metricsText());
  }

  async samples(): Promise<Samples> {
    return new Samples(await this.metricsText());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    if (!this.#options.simulator) await this.simulator[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * An account whose use is not read begins today, and one with the default traffic a week ago. The simulator adds up the traffic
 * of all its days for the quotas of the users.
 */
const startOf = ({ now, account = {} }: HarnessOptions): ScenarioInput => {
  const isUseRead = ['traffic', 'residential_ledger', 'proxy_users'].some((name) => account[name] !== false);
  if (isUseRead && account.traffic) return {};
  const start = Date.parse(`${now.slice(0, 10)}T00:00:00Z`) - (isUseRead ? 7 * DAY : 0);
  return { start: new Date(start).toISOString() };
};

export const parseSamples = (exposition: string): Map<string, number> =>
  new Map(
    exposition
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const space = line.lastIndexOf(' ');
        return [line.slice(0, space), Number(line.slice(space + 1))];
      }),
  );
