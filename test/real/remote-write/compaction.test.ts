// Tests that Prometheus ends up with all old samples, although it loses some of those that arrive while it compacts.

import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../../src/daemon/remote-write/form-batch.ts';
import { type RemoteWriteOptions, remoteWriteOptions } from '../../../src/daemon/remote-write/options.ts';
import { RemoteWriter } from '../../../src/daemon/remote-write/writer.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import type { Batch } from '../../../src/remote-write/series.ts';
import { makeFolder, openStore } from '../../store/support.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { engines } from '../engines.ts';
import { AGAIN_AFTER_PANIC, failAfterPanic } from '../server-process.ts';
import { CompactionLoad } from './compaction-load.ts';
import { type Engine, startPrometheus } from './engines.ts';

/** Each round leaves blocks that make the next one slower, so an engine has few. */
const ROUNDS = 5;
/** The rounds of each version, on a new engine after every five. */
const ALL_ROUNDS = Number(process.env.PROXYWATCH_COMPACTIONS ?? ROUNDS);
const repeats = Math.ceil(ALL_ROUNDS / ROUNDS) - 1;
const SENDERS = ['one', 'two'];
const SERIES = 10;
const SAMPLES = 40;

/** A writer whose batches a test forms. */
class Sender implements AsyncDisposable {
  readonly #store = openStore(join(makeFolder(), 'store.db'));
  readonly #clock = new FakeClock(Date.now());
  readonly #writer: RemoteWriter;
  #sent = 0;

  constructor(options: RemoteWriteOptions) {
    this.#writer = new RemoteWriter(options, {
      ...{ store: this.#store, clock: this.#clock, userAgent: 'proxywatch/test', log: silentLog },
      ...{ histories: async () => [], counted: () => {} },
      open: () => this.#store.remoteWrite.open(options.name, 0),
    });
  }

  get #name(): string {
    return this.#writer.name;
  }

  /** Sends batches of new series until the signal is aborted. Returns how many series. */
  async send(round: number, at: number, signal: AbortSignal): Promise<number> {
    let batches = 0;
    for (; !signal.aborted; batches += 1) {
      const samples = SERIES * SAMPLES;
      const next = { streams: new Map(), correction: 0 };
      const body = bodyOf(this.#batch(round, at));
      await this.#store.remoteWrite.saveBatch(this.#name, { body, samples, next, at: this.#clock.now() });
      await this.#pass();
    }
    return batches * SERIES;
  }

  /** Sends what is kept. Returns how many samples were kept. */
  async repeat(): Promise<number> {
    const { kept } = await this.#store.remoteWrite.open(this.#name, 0);
    this.#clock.advance(10 * MINUTE);
    await this.#pass();
    expect((await this.#store.remoteWrite.open(this.#name, 0)).kept.samples).toBe(0);
    return kept.samples;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]();
    this.#store[Symbol.dispose]();
  }

  async #pass(): Promise<void> {
    // The writer looks once a minute. That is no time for what is kept.
    this.#clock.elapse(MINUTE);
    this.#writer.tick();
    await this.#writer.idle();
    await setImmediate();
  }

  #batch(round: number, at: number): Batch {
    return Array.from({ length: SERIES }, () => {
      this.#sent += 1;
      const labels = [
        ['__name__', 'proxywatch_history_test_bytes'],
        ['i', `${this.#name} ${this.#sent}`],
        ['round', `${round}`],
      ] as const;
      const sample = (_: unknown, index: number) => ({ at: at + index * SECOND, value: 1 + index });
      return { labels, samples: Array.from({ length: SAMPLES }, sample) };
    });
  }
}

/** Returns how many samples of the round the engine has of series by number. */
const seriesByCount = async (
  engine: Engine,
  round: number,
  at: number,
): Promise<ReadonlyMap<number, number>> => {
  const expression = `count_over_time(proxywatch_history_test_bytes{round="${round}"}[30m])`;
  const counts = await engine.query(expression, at + 20 * MINUTE);
  const bySize = Map.groupBy(counts.values(), (count) => count);
  return new Map([...bySize].map(([count, series]) => [count, series.length]));
};

describe.each(engines('prometheus'))('old samples that arrive while $name compacts', ({ path }) => {
  failAfterPanic();
  it('are all there after the second sending, once', {
    timeout: 420_000,
    repeats,
    ...AGAIN_AFTER_PANIC,
  }, async () => {
    await using engine = await startPrometheus('30d', undefined, path);
    await using stack = new AsyncDisposableStack();
    const senders = SENDERS.map((name) => {
      const [options] = remoteWriteOptions.parse([{ name, url: `${engine.url}/api/v1/write` }]);
      if (!options) throw new Error('there is no receiver');
      return stack.use(new Sender(options));
    });
    const load = await CompactionLoad.start(engine);
    const found = { series: 0, roundsWithLoss: 0, seriesWithLoss: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const at = load.newest - HOUR;
      let sent: number[] = [];
      await load.compact(async (signal) => {
        sent = await Promise.all(senders.map((sender) => sender.send(round, at, signal)));
      });
      const series = sent.reduce((sum, count) => sum + count, 0);
      const before = await seriesByCount(engine, round, at);
      const lost = series - (before.get(SAMPLES) ?? 0);
      found.series += series;
      found.seriesWithLoss += lost;
      found.roundsWithLoss += Math.min(lost, 1);
      const repeated = await Promise.all(senders.map((sender) => sender.repeat()));
      expect(repeated).toEqual(sent.map((count) => count * SAMPLES));
      expect([round, await seriesByCount(engine, round, at)]).toEqual([round, new Map([[SAMPLES, series]])]);
    }
    console.log({ engine: path, rounds: ROUNDS, ...found });
    expect(found.roundsWithLoss).toBeGreaterThan(0);
  });
});
