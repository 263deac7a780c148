// Runs a daemon with a configuration file that the test can reload, on a clock that the test controls.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../src/config/environment.ts';
import { type App, createApp } from '../../src/daemon/app.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { Reloader } from '../../src/daemon/serve.ts';
import type { ReloadAnswer } from '../../src/http/daemon-view.ts';
import { type LevelledLog, type LogLevel, silentLog } from '../../src/lib/log.ts';
import type { JobStatus } from '../../src/schedule/job.ts';
import { type ScenarioInput, type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { writeEmptyStore } from '../support/empty-store.ts';
import { parseSamples, QuickClock } from '../support/harness.ts';
import { Samples } from '../support/samples.ts';

export const START = '2026-07-06T12:01:30Z';

export type Sections = Readonly<Record<string, unknown>>;

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Sections;
}

export class Daemon implements AsyncDisposable {
  readonly clock = new QuickClock(START);
  readonly lines: LogLine[] = [];
  readonly file: string;
  level: LogLevel = 'info';
  env: Environment;
  /** Number of times that the file was loaded. */
  loadCount = 0;
  readonly reloader: Reloader;
  #app: App | undefined;

  private constructor(file: string, env: Environment) {
    this.file = file;
    this.env = env;
    const load = () => {
      this.loadCount += 1;
      return loadSettings(this.file, this.env);
    };
    this.reloader = new Reloader({ load, clock: this.clock, log: this.#log });
  }

  /** Starts a daemon and a simulated provider on the same clock. */
  static async start(
    configure: (simulator: Simulator) => Sections | Promise<Sections>,
    scenario: ScenarioInput = {},
    env: Environment = {},
  ): Promise<Daemon & { readonly simulator: Simulator }> {
    const daemon = new Daemon(join(createFolder({}), 'config.yaml'), env);
    const simulator = await startSimulator({
      scenario: { start: '2026-07-06T00:00:00Z', users: 3, proxies: 3, pace: null, ...scenario },
      now: () => daemon.clock.now(),
    });
    daemon.#simulator = simulator;
    daemon.write(await configure(simulator));
    await daemon.begin();
    await daemon.app.runner.idle();
    return Object.assign(daemon, { simulator });
  }
  #simulator: Simulator | undefined;

  get app(): App {
    if (!this.#app) throw new Error('the app is not running');
    return this.#app;
  }

  /** Writes the configuration file; JSON is valid YAML. */
  write(config: Sections | string): void {
    writeFileSync(this.file, typeof config === 'string' ? config : JSON.stringify(config));
  }

  async begin(): Promise<void> {
    const { config: settings, mistakeAt } = loadSettings(this.file, this.env);
    const [version, nodeVersion] = ['0.0.0-test', '24.0.0'];
    writeEmptyStore(settings.store.path);
    this.#app = await createApp({
      ...{ settings, mistakeAt, version, nodeVersion, isDurable: false },
      ...{ clock: this.clock, log: this.#log },
    });
    for (const { jobs } of this.app.accounts) for (const job of jobs) await this.app.runner.add(job);
    this.reloader.start(this.app);
  }

  /** Writes the file and reloads it; does not wait for the runs that this starts. */
  async reload(config: Sections | string): Promise<ReloadAnswer> {
    this.write(config);
    return this.reloader.request();
  }

  /** Advances the clock and waits until all due runs have ended. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.app.runner.tick();
    await this.app.runner.idle();
  }

  /** Returns the status of a job, such as `main/traffic`. */
  status(name: string): JobStatus | undefined {
    return this.app.runner.status().find(({ account, collector }) => `${account}/${collector}` === name);
  }

  get jobs(): string[] {
    return this.app.runner.status().map(({ account, collector }) => `${account}/${collector}`);
  }

  async metricsText(): Promise<string> {
    const { body } = await this.app.exposition.scrape({ format: 'text', encoding: 'identity' });
    return text(body);
  }

  /** Returns samples by their name and labels as written. */
  async metrics(): Promise<Map<string, number>> {
    return parseSamples(await this.metricsText());
  }

  async samples(): Promise<Samples> {
    return new Samples(await this.metricsText());
  }

  async stop(): Promise<void> {
    await this.reloader[Symbol.asyncDispose]();
    await this.#app?.[Symbol.asyncDispose]();
    this.#app = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#app) await this.stop();
    await this.#simulator?.[Symbol.asyncDispose]();
  }

  get #log(): LevelledLog {
    const write = (level: string) => (fields: Sections, message: string) =>
      void this.lines.push({ level, message, fields });
    const log: LevelledLog = {
      ...silentLog,
      ...{ info: write('info'), warn: write('warn'), error: write('error') },
      child: () => log,
      setLevel: (level) => {
        this.level = level;
      },
    };
    return log;
  }
}

/** Returns the settings of a simulator's account, which is polled without a pace limit and with few requests. */
export const accountOf = (
  { baseUrl, publicKey, privateKey }: Pick<Simulator, 'baseUrl' | 'publicKey' | 'privateKey'>,
  more: Sections = {},
): Sections => ({
  name: 'main',
  base_url: baseUrl,
  public_key: publicKey,
  private_key: privateKey,
  requests_per_second: 1_000_000,
  traffic: { catch_up: '1h', graphs: [] },
  reconciliation: false,
  ...more,
});
