// Lets a daemon live through a simulated week, in which it is killed and its receivers fail.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR, MINUTE, SECOND } from '../../../../src/lib/time.ts';
import { type Simulator, startSimulator } from '../../../../src/simulator/simulator.ts';
import { openFileReadOnly } from '../../../../src/store/sqlite/file/open.ts';
import { DrivenDaemon } from '../../../support/driven-daemon/driven-daemon.ts';
import { configurationOf, SCENARIO, START } from './account.ts';

/** As far apart as the polls. */
const STEP_MS = 30 * MINUTE;

export class Week implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly #listings = new Set<number>();
  readonly #folder: string;
  readonly #clock: { now: number };
  #daemon: DrivenDaemon | undefined;
  #isKilled = false;
  #kills = 0;

  private constructor(simulator: Simulator, folder: string, clock: { now: number }) {
    this.simulator = simulator;
    this.#folder = folder;
    this.#clock = clock;
  }

  static async begin(): Promise<Week> {
    const clock = { now: START };
    const folder = await mkdtemp(join(tmpdir(), 'proxywatch-week-'));
    await mkdir(join(folder, 'temporary'));
    const simulator = await startSimulator({ scenario: SCENARIO, now: () => clock.now });
    return new Week(simulator, folder, clock);
  }

  /** Starts the daemon. `receivers` are settings of receivers by name. */
  async start(receivers: Readonly<Record<string, object>>): Promise<void> {
    const configuration = configurationOf(this.#folder, this.simulator, receivers);
    await writeFile(this.configFile, JSON.stringify(configuration));
    await this.#startDaemon();
  }

  /** The times of the listings of users that a daemon stored (ms). */
  get listings(): readonly number[] {
    return [...this.#listings].toSorted((a, b) => a - b);
  }

  /** Hours since the start. */
  get hours(): number {
    return (this.#clock.now - START) / HOUR;
  }

  get kills(): number {
    return this.#kills;
  }

  get #storeFile(): string {
    return join(this.#folder, 'proxywatch.db');
  }

  get configFile(): string {
    return join(this.#folder, 'config.json');
  }

  /** Kills the daemon at once. The next step starts it again. */
  kill(): void {
    this.#kills += 1;
    this.#isKilled = true;
    this.#daemon?.kill();
  }

  async advanceTo(time: number): Promise<void> {
    while (this.#clock.now < time) {
      this.#clock.now = Math.min(time, this.#clock.now + STEP_MS);
      await this.#step();
    }
  }

  /** Ends the daemon in order. */
  async stop(): Promise<void> {
    await this.#daemon?.[Symbol.asyncDispose]();
    this.#daemon = undefined;
  }

  async metrics(): Promise<string> {
    return (await fetch(`${await this.#daemon?.url}/metrics`)).text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.simulator[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }

  /** Repeats the step with a new daemon for as long as the daemon is killed in it. */
  async #step(): Promise<void> {
    try {
      // A request that a killed daemon left behind can kill its successor between two steps.
      if (this.#isKilled) await this.stop();
      if (!this.#daemon) await this.#startDaemon();
      await this.#daemon?.advanceTo(this.#clock.now);
    } catch (error) {
      if (!this.#isKilled) throw error;
      return this.#step();
    }
    this.#noteListings();
  }

  async #startDaemon(): Promise<void> {
    const now = this.#clock.now;
    this.#isKilled = false;
    this.#daemon = DrivenDaemon.start(this.configFile, now, join(this.#folder, 'temporary'), SECOND);
    await this.#daemon.url;
    await this.#daemon.advanceTo(now);
  }

  /** A daemon that was killed may have asked for a listing without storing it. A later listing then has its use. */
  #noteListings(): void {
    const store = openFileReadOnly(this.#storeFile);
    try {
      const times = store.prepare<[], { at: number }>(STORED_LISTINGS).all();
      for (const { at } of times) this.#listings.add(at);
    } finally {
      store.close();
    }
  }
}

/** Periods that are rolled up were noted before. */
const STORED_LISTINGS = `SELECT since AS at FROM user_usage WHERE resolution = 'raw'
  UNION SELECT until FROM user_usage WHERE resolution = 'raw'`;
