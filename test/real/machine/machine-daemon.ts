// Runs a real daemon with all collectors against a simulator, for faults of the machine, and checks its counters.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proxyAddress, userId, userPassword } from '../../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../../src/simulator/scenario.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { Program, waitUntil } from '../../cli/program.ts';
import { configText } from '../../cli/run-command.ts';
import {
  allPolledSince,
  CounterObserver,
  expectTruth,
  GRAPHS,
  type LastScrape,
  lastScrape,
} from '../../support/daemon-truth.ts';

const SCENARIO: ScenarioInput = {
  users: 5,
  proxies: 4,
  pace: null,
  traffic: { late: { ratio: 0.1, longest_minutes: 60 }, revised: { ratio: 0.1, longest_minutes: 120 } },
};

const COLLECTORS = 10;
const schedule = '*/3 * * * * *';

const accountOf = (scenario: ScenarioInput): Record<string, unknown> => {
  const { host, httpPort } = proxyAddress(0);
  const proxy = `${host}:${httpPort}:${userId(0)}:${userPassword(parseScenario(scenario).seed, 0)}`;
  return {
    traffic: { schedule, reread: '3h', catch_up: '4h', graphs: GRAPHS },
    residential_ledger: { schedule },
    proxy_users: { schedule },
    proxy_tests: {
      ...{ schedule, urls: ['https://shop.example/'], proxies: [{ name: 'first', proxy }] },
      tester_servers: ['london-2-digitalocean-proxytester-1'],
    },
    catalog: { schedule },
    quotes: { schedule, items: [{ name: 'isp-gb', product_code: 'isp_gb', quantity: 10 }] },
    geography: { schedule, asns: [64_500] },
    inventory: { schedule },
    services: { schedule },
    reconciliation: { schedule },
  };
};

export interface MachineDaemonOptions {
  /** Folder of the store; a new one by default. */
  readonly storeFolder?: string;
  readonly scenario?: ScenarioInput;
  readonly account?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the id of each process that is started. */
  readonly onSpawn?: (pid: number) => void;
  /** Whether its metrics take seconds to parse, so that the start waits only until it is ready. */
  readonly isLarge?: boolean;
}

export interface LogEntry {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export class MachineDaemon implements AsyncDisposable {
  readonly startedAt: number;
  readonly folder: string;
  readonly storePath: string;
  readonly simulator: Simulator;
  readonly #observer = new CounterObserver();
  readonly #clock: { now: number };
  readonly #options: MachineDaemonOptions;
  program: Program;
  url = '';
  #earlierLog = '';

  private constructor(
    clock: { now: number },
    simulator: Simulator,
    folder: string,
    storePath: string,
    options: MachineDaemonOptions,
  ) {
    [this.startedAt, this.#clock, this.simulator, this.#options] = [clock.now, clock, simulator, options];
    [this.folder, this.storePath] = [folder, storePath];
    this.program = this.#spawn();
  }

  /** Resolves when every collector has run. The simulated account then begins to change with `advance`. */
  static async start(options: MachineDaemonOptions = {}): Promise<MachineDaemon> {
    const { storeFolder, scenario = {}, account = {}, settings = {} } = options;
    const clock = { now: Date.now() };
    const full = { ...SCENARIO, ...scenario };
    const simulator = await startSimulator({ scenario: full, now: () => clock.now });
    const folder = mkdtempSync(join(tmpdir(), 'proxywatch-machine-'));
    const storePath = join(storeFolder ?? folder, 'proxywatch.db');
    const text = configText(
      simulator,
      { ...accountOf(full), ...account },
      {
        store: { path: storePath },
        metrics: { first_step_hold: '1s' },
        alerts: { evaluate: true },
        ...settings,
      },
    );
    writeFileSync(join(folder, 'config.yaml'), text);
    const daemon = new MachineDaemon(clock, simulator, folder, storePath, options);
    if (options.isLarge) {
      daemon.url = await daemon.program.url();
      await daemon.untilReadiness(200);
    } else await daemon.waitForPolls();
    return daemon;
  }

  /** Starts a daemon twice, so that the content of its store is in the file and not in the WAL. */
  static async startWithoutWal(): Promise<MachineDaemon> {
    const daemon = await MachineDaemon.start();
    await daemon.end('SIGTERM');
    daemon.restart();
    await daemon.waitForPolls();
    return daemon;
  }

  get configFile(): string {
    return join(this.folder, 'config.yaml');
  }

  /** Lines of this daemon's log and of the daemons before it. */
  get log(): LogEntry[] {
    const lines = `${this.#earlierLog}${this.program.stdout}`.split('\n');
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }

  /** The lines of levels warn and error. */
  get problems(): LogEntry[] {
    return this.log.filter(({ level }) => level === 'warn' || level === 'error');
  }

  /** The names of the alerts that have fired. */
  get fired(): string[] {
    return this.log.filter(({ msg }) => msg.startsWith('alert firing')).map(({ alert }) => String(alert));
  }

  /** The simulated account's clock advances, which produces and revises traffic. */
  advance(ms: number): void {
    this.#clock.now += ms;
  }

  async waitForPolls(): Promise<void> {
    this.url = await this.program.url();
    await allPolledSince(this.url, COLLECTORS, Date.now());
    await this.#observer.check(this.url);
  }

  async expectTruth(): Promise<void> {
    await this.#observer.check(this.url);
    expectTruth(await this.scrape(), this.simulator, this.startedAt);
    await this.#observer.check(this.url);
  }

  /** Expects that no counter fell since the last call. */
  async observe(): Promise<void> {
    await this.#observer.check(this.url);
  }

  scrape(): Promise<LastScrape> {
    return lastScrape(this.url, COLLECTORS);
  }

  async readiness(): Promise<[status: number, body: string]> {
    const response = await fetch(`${this.url}/-/ready`);
    return [response.status, await response.text()];
  }

  /** Returns the body of the first answer with this status. A later answer may have another one. */
  async untilReadiness(status: number): Promise<string> {
    let body = '';
    await waitUntil(async () => {
      const answer = await this.readiness();
      body = answer[1];
      return answer[0] === status;
    });
    return body;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.program.kill(signal);
    await this.program.ended;
    this.#earlierLog += this.program.stdout;
  }

  restart(): void {
    this.program = this.#spawn();
  }

  #spawn(): Program {
    const { env = {}, onSpawn } = this.#options;
    const program = Program.start(['run', '--config', this.configFile], { env });
    onSpawn?.(program.pid);
    return program;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
    await this.simulator[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}
