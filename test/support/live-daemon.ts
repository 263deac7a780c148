// A whole daemon with its HTTP server against simulated accounts, on a clock that moves on only when nothing goes on:
// paces and schedules take their own time, and none of it is the machine's.

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
import { FakeClock } from './fake-clock.ts';
import { Samples } from './samples.ts';

export interface LiveAccount {
  readonly name: string;
  /** With keys of its own, and a pace that it refuses requests beyond. */
  readonly scenario: ScenarioInput;
  /** Settings of the account beside address and keys. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Turns of the event loop in which all that goes on waits for its pace: enough for what an answer sets going. */
const QUIET_TURNS = 4;

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
      await createApp({ settings, clock, log, version, nodeVersion: '24.0.0', isLasting: false }),
    );
    const stop = new AbortController();
    const serving = serve({ app, settings, clock, log, version, signal: stop.signal });
    stack.defer(async () => {
      stop.abort();
      await serving;
    });
    return new LiveDaemon(clock, app, simulators, stack.move(), requests, url);
  }

  /** Lives on for `ms`; `look` is called whenever all has come to rest, before the clock moves on. */
  async live(ms: number, look: () => void | Promise<void> = () => {}): Promise<void> {
    const end = this.clock.now() + ms;
    for (;;) {
      await this.#rest();
      await look();
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

  async #rest(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet = this.#isWaiting() ? quiet + 1 : 0) await nextTurn();
  }

  /** Whether no request is under way, and no account computes: what runs of it waits for its turn to ask. */
  #isWaiting(): boolean {
    if (this.#requests.count > 0) return false;
    const { accounts, runner } = this.app;
    const running = new Set(runner.going().map(({ account }) => account));
    return accounts.every(({ name, client }) => !running.has(name) || client.pace.waiting > 0);
  }
}

const accessTo = (simulator: Simulator | undefined): object => ({
  base_url: simulator?.baseUrl,
  public_key: simulator?.publicKey,
  private_key: simulator?.privateKey,
});

/** Counts the process's requests from the moment they are made until their answers are whole, as undici tells of them. */
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
