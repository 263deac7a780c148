// Runs a whole daemon with its HTTP server against simulated accounts, on a fake clock that advances only when the
// daemon is idle. So paces and schedules take simulated time, however slow the machine is.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type App, createApp } from '../../src/daemon/app.ts';
import { serve } from '../../src/daemon/serve.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { type ScenarioInput, type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { writeEmptyStore } from './empty-store.ts';
import { FakeClock } from './fake-clock.ts';
import { Samples } from './samples.ts';

export interface LiveAccount {
  readonly name: string;
  /** Has its own keys, and a pace above which the simulator rejects requests. */
  readonly scenario: ScenarioInput;
  /** Settings of the account in addition to its URL and keys. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The daemon counts as idle after this many event loop turns without work: enough to process an answer. */
const IDLE_TURNS = 4;

export class LiveDaemon implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly app: App;
  readonly simulators: readonly Simulator[];
  readonly #stack: AsyncDisposableStack;
  readonly #requests: RequestsInFlight;
  readonly #url: Promise<string>;

  private constructor(
    clock: FakeClock,
    app: App,
    simulators: readonly Simulator[],
    stack: AsyncDisposableStack,
    requests: RequestsInFlight,
    url: Promise<string>,
  ) {
    this.clock = clock;
    this.app = app;
    this.simulators = simulators;
    this.#stack = stack;
    this.#requests = requests;
    this.#url = url;
  }

  static async start(now: string, accounts: readonly LiveAccount[]): Promise<LiveDaemon> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'proxywatch-'));
    stack.defer(() => rm(folder, { recursive: true }));
    writeEmptyStore(join(folder, 'proxywatch.db'));
    const clock = new FakeClock(now);
    const requests = stack.use(new RequestsInFlight());
    const simulators: Simulator[] = [];
    for (const { scenario } of accounts)
      simulators.push(stack.use(await startSimulator({ scenario, now: () => clock.now() })));
    const settings = settingsSchema.parse({
      server: { listen: '127.0.0.1:0' },
      store: { path: join(folder, 'proxywatch.db') },
      accounts: accounts.map(({ name, settings }, index) => ({
        name,
        ...accessTo(simulators[index]),
        ...settings,
      })),
    });
    const { promise: url, resolve: onServing } = Promise.withResolvers<string>();
    const log: Log = { ...silentLog, info: ({ url }) => typeof url === 'string' && onServing(url) };
    const version = '0.0.0-test';
    const app = stack.use(
      await createApp({ settings, clock, log, version, nodeVersion: '24.0.0', isDurable: false }),
    );
    const stop = new AbortController();
    const serving = serve({ app, settings, clock, log, version, signal: stop.signal });
    stack.defer(async () => {
      stop.abort();
      await serving;
    });
    return new LiveDaemon(clock, app, simulators, stack.move(), requests, url);
  }

  /** Runs for `ms` of simulated time. Calls `onIdle` whenever the daemon is idle, before the clock advances. */
  async runFor(ms: number, onIdle: () => void | Promise<void> = () => {}): Promise<void> {
    const end = this.clock.now() + ms;
    for (;;) {
      await this.#waitUntilIdle();
      await onIdle();
      if (this.clock.now() >= end) return;
      this.clock.advance(Math.min(end - this.clock.now(), this.clock.nextWakeMs));
    }
  }

  async samples(): Promise<Samples> {
    return new Samples(await (await fetch(`${await this.#url}/metrics`)).text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #waitUntilIdle(): Promise<void> {
    for (let idleTurns = 0; idleTurns < IDLE_TURNS; idleTurns = this.#isIdle() ? idleTurns + 1 : 0)
      await nextTurn();
  }

  /** Whether no request is in flight and every account that runs only waits for its pace. */
  #isIdle(): boolean {
    if (this.#requests.count > 0) return false;
    const { accounts, runner } = this.app;
    const running = new Set(runner.runsInProgress().map(({ account }) => account));
    return accounts.every(({ name, client }) => !running.has(name) || client.pace.waiting > 0);
  }
}

const accessTo = (simulator: Simulator | undefined): object => ({
  base_url: simulator?.baseUrl,
  public_key: simulator?.publicKey,
  private_key: simulator?.privateKey,
});

/** Counts the process's requests from their creation to the end of their answers, as undici reports them. */
class RequestsInFlight implements Disposable {
  count = 0;
  readonly #listeners: readonly (readonly [string, () => void])[];

  constructor() {
    const begin = (): void => {
      this.count += 1;
    };
    const end = (): void => {
      this.count -= 1;
    };
    this.#listeners = [
      ['undici:request:create', begin],
      ['undici:request:trailers', end],
      ['undici:request:error', end],
    ];
    for (const [channel, listener] of this.#listeners) subscribe(channel, listener);
  }

  [Symbol.dispose](): void {
    for (const [channel, listener] of this.#listeners) unsubscribe(channel, listener);
  }
}
