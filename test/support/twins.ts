// Runs twins: daemons that start from the same store and see the same provider, one healthy and the others with a fault.

import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Deadline } from '../../src/lib/clock.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { type ScenarioInput, type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { FakeClock } from './fake-clock.ts';
import {
  type FaultyProvider,
  type FaultyProviderOptions,
  type PlantedFault,
  type ProviderRequest,
  startFaultyProvider,
} from './faulty-provider.ts';
import { Harness, parseSamples } from './harness.ts';
import { type LogLine, recordingLog } from './recording-log.ts';

/** Waits of a run are shorter: its pace, retries, and pauses. The deadline of a run is at least as long. */
const SHORTEST_RUN_LIMIT_MS = 10 * MINUTE;
/** The connections of a client. Further requests wait for one of them. */
const CONNECTIONS = 8;

/**
 * A clock whose short sleeps end immediately. The deadline of a request ends as soon as all requests in flight are held
 * back, so no test waits for it, and no request that is answered meets it.
 */
export class TwinClock extends FakeClock {
  #deadlines = new Map<AbortController, number>();
  #held = 0;

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms >= SHORTEST_RUN_LIMIT_MS) return super.sleep(ms, signal);
    await setImmediate();
    signal?.throwIfAborted();
    this.elapse(ms);
  }

  override deadline(ms: number): Deadline {
    const controller = new AbortController();
    this.#deadlines.set(controller, ms);
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        this.#deadlines.delete(controller);
        this.#endDeadlines();
      },
    };
  }

  /** Tells the clock that a request in flight gets no answer. */
  requestHeld(): void {
    this.#held += 1;
    this.#endDeadlines();
  }

  #endDeadlines(): void {
    if (this.#held === 0 || this.#held < Math.min(CONNECTIONS, this.#deadlines.size)) return;
    const ended = [...this.#deadlines];
    this.#deadlines = new Map();
    this.#held = 0;
    for (const [controller] of ended) controller.abort(new DOMException('timeout', 'TimeoutError'));
    this.elapse(Math.max(0, ...ended.map(([, ms]) => ms)));
  }
}

export interface TwinsOptions {
  /** When the preparation begins. */
  readonly start: string;
  readonly scenario: ScenarioInput;
  /** The settings of the account. */
  readonly account: Record<string, unknown>;
  /** The steps of the preparation, by which the clock advances (ms). */
  readonly preparation: readonly number[];
  /** The steps of a twin's life. */
  readonly life: readonly number[];
  readonly holdScale: number;
  /** The last tick of each step (ms), after which alerts are evaluated. Default: a second. */
  readonly tickMs?: number;
  /** Options of the provider that may be faulty. */
  readonly provider?: Pick<FaultyProviderOptions, 'tls' | 'headers'>;
  /** The address of the provider, if it differs from that of the server. */
  readonly baseUrlOf?: (provider: FaultyProvider) => string;
}

/** What may differ from the preparation in a twin's life. */
export interface LifeOptions extends Pick<TwinsOptions, 'account' | 'life'> {
  /** Called after each step of the life, and before the first one with 0. */
  readonly onStep?: (harness: Harness, step: number) => void | Promise<void>;
  readonly atEnd?: (harness: Harness) => void | Promise<void>;
  /** Receives the lines of the log as they are written. */
  readonly log?: LogLine[];
}

/** What a twin showed at the end of its life. */
export interface Twin {
  /** The samples at the end, by name and labels as written. */
  readonly samples: ReadonlyMap<string, number>;
  readonly log: readonly LogLine[];
  readonly requests: readonly ProviderRequest[];
}

export class Twins implements AsyncDisposable {
  /** The samples at the beginning of each twin's life. */
  readonly before: ReadonlyMap<string, number>;
  readonly simulator: Simulator;
  readonly provider: FaultyProvider;
  readonly #options: TwinsOptions;
  readonly #folder: string;
  readonly #bornAt: number;
  readonly #setClock: (clock: TwinClock) => void;

  private constructor(fields: {
    before: ReadonlyMap<string, number>;
    options: TwinsOptions;
    simulator: Simulator;
    provider: FaultyProvider;
    folder: string;
    bornAt: number;
    setClock: (clock: TwinClock) => void;
  }) {
    this.before = fields.before;
    this.#options = fields.options;
    this.simulator = fields.simulator;
    this.provider = fields.provider;
    this.#folder = fields.folder;
    this.#bornAt = fields.bornAt;
    this.#setClock = fields.setClock;
  }

  /** Lets a healthy daemon run through the preparation, and keeps its store for the twins. */
  static async prepare(options: TwinsOptions): Promise<Twins> {
    let clock = new TwinClock(options.start);
    const simulator = await startSimulator({
      scenario: { pace: null, ...options.scenario },
      now: () => clock.now(),
    });
    const provider = await startFaultyProvider(simulator.baseUrl, {
      onSilence: () => clock.requestHeld(),
      // All twins live at the same times, so the provider has to compute an answer only once.
      rememberBy: () => clock.now(),
      ...options.provider,
    });
    const folder = await mkdtemp(join(tmpdir(), 'proxywatch-twins-'));
    await using harness = await Harness.build({ ...harnessOptions(options, provider, simulator), clock });
    for (const step of options.preparation) await harness.advance(step);
    const before = parseSamples(await harness.metricsText());
    await harness.stop();
    await copyFile(harness.storePath, join(folder, STORE));
    const setClock = (next: TwinClock): void => {
      clock = next;
    };
    return new Twins({ before, options, simulator, provider, folder, bornAt: clock.now(), setClock });
  }

  /** Lets a twin live with the fault; without a fault it is the healthy one. `changes` may give it another life. */
  async live(fault?: PlantedFault, changes: Partial<LifeOptions> = {}): Promise<Twin> {
    const { onStep, atEnd, log = [], ...others } = changes;
    const options = { ...this.#options, ...others };
    const { provider } = this;
    provider.fault = fault;
    provider.requests = [];
    const clock = new TwinClock(this.#bornAt);
    this.#setClock(clock);
    await using harness = await Harness.build({
      ...harnessOptions(options, provider, this.simulator),
      clock,
      log: recordingLog(log),
      storeFile: join(this.#folder, STORE),
    });
    await onStep?.(harness, 0);
    for (const [index, step] of options.life.entries()) {
      const { tickMs = TICK_MS } = options;
      await harness.advance(step - tickMs);
      // A daemon that ticks only every few minutes takes itself for a machine that slept, and holds alerts back.
      await harness.advance(tickMs);
      await onStep?.(harness, index + 1);
    }
    await atEnd?.(harness);
    return { samples: parseSamples(await harness.metricsText()), log, requests: provider.requests };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.provider[Symbol.asyncDispose]();
    await this.simulator[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const STORE = 'store.db';
const TICK_MS = SECOND;

const harnessOptions = (
  { start, account, holdScale, baseUrlOf = ({ baseUrl }) => baseUrl }: TwinsOptions,
  provider: FaultyProvider,
  simulator: Simulator,
) => ({
  now: start,
  simulator,
  holdScale,
  account: { base_url: baseUrlOf(provider), ...account },
  alerts: { evaluate: true },
  // Both twins show every family.
  metrics: { derived_counters: true },
});
