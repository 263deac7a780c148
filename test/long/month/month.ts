// Lets a daemon live through simulated days with faults, and records what it holds at the end of each day.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { DrivenDaemon } from '../../support/driven-daemon/driven-daemon.ts';
import { FakeReceiver } from '../../support/fake-receiver.ts';
import { Samples } from '../../support/samples.ts';
import { proxyLinesOn, START, scenarioOf } from './account.ts';
import { Clients } from './clients.ts';
import { configurationOn } from './configuration.ts';
import { DailyFigures } from './daily-figures.ts';
import { writeKeys } from './disturbances.ts';
import { Events } from './events.ts';
import { fileSizesIn, rowsIn } from './files.ts';
import { POLLS } from './options.ts';

export class Month implements AsyncDisposable {
  readonly figures = new DailyFigures();
  readonly simulator: Simulator;
  readonly daemon: DrivenDaemon;
  readonly clients: Clients;
  readonly events: Events;
  readonly receiver: FakeReceiver;
  readonly #folder: string;
  readonly #clock: { now: number };
  readonly #stack: AsyncDisposableStack;

  private constructor(
    parts: Pick<Month, 'simulator' | 'daemon' | 'clients' | 'events' | 'receiver'>,
    folder: string,
    clock: { now: number },
    stack: AsyncDisposableStack,
  ) {
    this.simulator = parts.simulator;
    this.daemon = parts.daemon;
    this.clients = parts.clients;
    this.events = parts.events;
    this.receiver = parts.receiver;
    this.#folder = folder;
    this.#clock = clock;
    this.#stack = stack;
  }

  static async begin(seed: number): Promise<Month> {
    await using stack = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'proxywatch-month-'));
    stack.defer(() => rmSync(folder, { recursive: true }));
    const clock = { now: START };
    const simulator = stack.use(await startSimulator({ scenario: scenarioOf(seed), now: () => clock.now }));
    const receiver = stack.use(await FakeReceiver.start());
    const surroundings = { folder, providerUrl: simulator.baseUrl, receiverUrl: receiver.url };
    const configFile = join(folder, 'config.yaml');
    for (const name of ['store', 'temporary']) mkdirSync(join(folder, name));
    writeKeys(folder, simulator);
    writeFileSync(join(folder, 'proxies.txt'), proxyLinesOn(0, seed));
    writeFileSync(configFile, JSON.stringify(configurationOn(0, surroundings)));
    const daemon = stack.use(DrivenDaemon.start(configFile, START, join(folder, 'temporary')));
    const url = await daemon.url;
    // The first runs, which are the baseline of the counters, end before the account's clock moves.
    await daemon.advanceTo(START);
    const events = new Events({ simulator, receiver, surroundings }, url, seed);
    const parts = { simulator, daemon, clients: new Clients(url), events, receiver };
    return new Month(parts, folder, clock, stack.move());
  }

  get now(): number {
    return this.#clock.now;
  }

  /** Advances by a day. */
  async day(): Promise<void> {
    const end = this.now + DAY;
    while (this.now < end) {
      await this.#advance(MINUTE);
      const hours = (this.now - START) / HOUR;
      if (!Number.isInteger(hours) || this.now === end) continue;
      if (hours % (2 / POLLS) === 0) await this.clients.visit();
      const sleepMs = await this.events.hour(this.now);
      if (sleepMs > 0) await this.#advance(sleepMs);
    }
    this.receiver.received.length = 0;
  }

  /** Records what the daemon holds at the end of the day. */
  async record(day: number): Promise<void> {
    this.figures.add(day, {
      ...(await this.daemon.held()),
      ...fileSizesIn(join(this.#folder, 'store')),
      ...fileSizesIn(join(this.#folder, 'temporary')),
      ...rowsIn(join(this.#folder, 'store', 'proxywatch.db')),
    });
  }

  async samples(): Promise<Samples> {
    return new Samples(await (await fetch(`${await this.daemon.url}/metrics?account=main`)).text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #advance(ms: number): Promise<void> {
    this.#clock.now += ms;
    await this.daemon.advanceTo(this.now);
  }
}
