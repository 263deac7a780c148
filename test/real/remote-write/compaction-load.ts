// Makes a real Prometheus compact samples out of order whenever a test wants it, at times of the past.

import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { Batch } from '../../../src/remote-write/series.ts';
import { writeRequestBody } from '../../../src/remote-write/write-request.ts';
import { waitUntil } from '../../cli/program.ts';
import type { Engine } from './engines.ts';

/** Prometheus visits each of them, so it takes long enough for samples to arrive meanwhile. */
const VISITED_SERIES = 20_000;
/** Prometheus compacts when its newest samples span three hours, and begins a block every two hours. */
const STEP_MS = 130 * MINUTE;
/** Nothing is written between the two parts of a compaction for a shorter time. */
const QUIET_MS = 500;

export class CompactionLoad {
  /** The time of the newest sample (ms). */
  newest: number;
  readonly #engine: Engine;

  private constructor(engine: Engine, newest: number) {
    this.#engine = engine;
    this.newest = newest;
  }

  static async start(engine: Engine): Promise<CompactionLoad> {
    const load = new CompactionLoad(engine, Math.floor(Date.now() / HOUR) * HOUR - 40 * DAY);
    await load.#push([load.#steady]);
    // The first step is too short for a compaction.
    load.newest += STEP_MS;
    await load.#push([load.#steady]);
    return load;
  }

  /** Calls `send` when a compaction begins, with a signal that is aborted when the compaction is over. */
  async compact(send: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const over = new AbortController();
    for (const age of [0, HOUR]) await this.#push(this.#visited(this.newest - age - MINUTE));
    const before = await this.#counts();
    this.newest += STEP_MS;
    const sending = send(over.signal);
    await this.#push([this.#steady]);
    await waitUntil(async () => (await this.#counts()).collections >= before.collections + 2);
    let last = await this.#counts();
    let since = performance.now();
    await waitUntil(async () => {
      const now = await this.#counts();
      if (now.blocks !== last.blocks || now.collections !== last.collections) since = performance.now();
      last = now;
      return performance.now() - since > QUIET_MS;
    });
    over.abort();
    await sending;
  }

  get #steady(): Batch[number] {
    return { labels: [['__name__', 'steady']], samples: [{ at: this.newest, value: 1 }] };
  }

  #visited(at: number): Batch {
    return Array.from({ length: VISITED_SERIES }, (_, index) => ({
      labels: [
        ['__name__', 'visited'],
        ['i', `${index}`],
      ] as const,
      samples: [{ at, value: 1 }],
    }));
  }

  /** The number of compacted blocks, and of collections of what was compacted. */
  async #counts(): Promise<{ readonly blocks: number; readonly collections: number }> {
    const text = await (await fetch(`${this.#engine.url}/metrics`)).text();
    const read = (name: string): number =>
      Number(new RegExp(`^prometheus_tsdb_${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return { blocks: read('compactions_total'), collections: read('head_gc_duration_seconds_count') };
  }

  async #push(batch: Batch): Promise<void> {
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
    const body = writeRequestBody(batch);
    const answer = await fetch(`${this.#engine.url}/api/v1/write`, { method: 'POST', body, headers });
    if (!answer.ok) throw new Error(await answer.text());
  }
}
