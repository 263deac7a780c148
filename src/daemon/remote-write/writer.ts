// Sends the published history to one receiver, batch by batch, until it is disposed of.

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { MINUTE } from '../../lib/time.ts';
import { Receiver } from '../../remote-write/receiver.ts';
import { sendBatch } from '../../remote-write/send-batch.ts';
import { describeFailure } from '../../schedule/failure.ts';
import type { ReceiverState, StoredBatch } from '../../store/remote-write-store.ts';
import type { Store } from '../../store/store.ts';
import { batchOf, bodyOf } from './batch-body.ts';
import { formBatch } from './form-batch.ts';
import type { SentHistory } from './histories.ts';
import type { RemoteWriteOptions } from './options.ts';
import { OutageLog } from './outage-log.ts';
import { receiverOptionsOf } from './receiver-options.ts';
import { RefusalLog } from './refusal-log.ts';

/** History settles slowly, so new samples can wait this long (ms). */
const IDLE_MS = MINUTE;

const STORE_FAILED = 'remote write could not use the store, and tries again';

export interface WriterContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: string;
  /** Whether an error is logged elsewhere. */
  readonly isLogged: (error: unknown) => boolean;
  /** Publishes what has settled. */
  readonly histories: () => Promise<readonly SentHistory[]>;
  readonly counted: (receiver: string, counts: WriterCounts) => void;
}

/** What is added to the counters of a receiver. */
export interface WriterCounts {
  readonly accepted?: number;
  readonly refused?: number;
  readonly expired?: number;
  readonly bytes?: number;
  readonly failures?: number;
}

export class RemoteWriter implements AsyncDisposable {
  readonly #options: RemoteWriteOptions;
  readonly #context: WriterContext;
  readonly #receiver: Receiver;
  readonly #outages: OutageLog;
  readonly #refusals: RefusalLog;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #waitingSince: number | undefined;
  #expired: number | undefined;
  #lastError: string | undefined;

  constructor(options: RemoteWriteOptions, context: WriterContext) {
    const { clock, userAgent } = context;
    const log = context.log.child({ receiver: options.name });
    this.#options = options;
    this.#context = { ...context, log };
    this.#receiver = new Receiver(receiverOptionsOf(options), { clock, userAgent });
    this.#outages = new OutageLog(clock, log);
    this.#refusals = new RefusalLog(clock, log);
  }

  get name(): string {
    return this.#options.name;
  }

  /** Since when published samples have waited for the receiver (ms); undefined if it has all. */
  get waitingSince(): number | undefined {
    return this.#waitingSince;
  }

  /** What the receiver answered to the last request, if it did not take it. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends at once. A batch on its way stays in the store, and is sent again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#receiver[Symbol.asyncDispose]();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (!(await this.#sendNext())) await this.#context.clock.sleep(IDLE_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#logFailure(error);
        await this.#context.clock.sleep(IDLE_MS, signal).catch(() => {});
      }
    }
  }

  /** Returns whether there was something to send. */
  async #sendNext(): Promise<boolean> {
    const { store, clock } = this.#context;
    const { name, start } = this.#options;
    const age = start === 'now' ? 0 : start;
    const state = await store.remoteWrite.open(name, clock.now() - age);
    this.#countExpired(state.counts.expired);
    const batch = state.batch ?? (await this.#storeNext(state));
    this.#waitingSince = batch && Math.min(this.#waitingSince ?? batch.at, batch.at);
    if (batch) await this.#send(batch);
    return batch !== undefined;
  }

  /** Stores the next batch before it is sent, so that the same batch is sent after a crash. */
  async #storeNext(state: ReceiverState): Promise<StoredBatch | undefined> {
    const { store, clock, histories } = this.#context;
    const { name, external_labels } = this.#options;
    const formed = await formBatch(await histories(), state, store.publications, external_labels);
    this.#stop.signal.throwIfAborted();
    if (!formed) return undefined;
    const { batch, samples, next } = formed;
    const stored = { body: bodyOf(batch), samples, next, at: clock.now() };
    await store.remoteWrite.saveBatch(name, stored);
    return stored;
  }

  async #send({ body }: StoredBatch): Promise<void> {
    const { store, clock, counted } = this.#context;
    const { name } = this.#options;
    let sentBytes = 0;
    const result = await sendBatch(
      batchOf(body),
      {
        ...{ clock, random: Math.random, send: (request, signal) => this.#receiver.send(request, signal) },
        onAnswer: (answer, bytes) => {
          sentBytes += bytes;
          this.#outages.answered(answer);
          const hasFailed = answer.kind === 'retry' || answer.kind === 'misconfigured';
          this.#lastError = answer.kind === 'accepted' ? undefined : answer.reason;
          counted(name, { bytes, failures: hasFailed ? 1 : 0 });
        },
      },
      this.#stop.signal,
    );
    const { accepted, refused } = result;
    await store.remoteWrite.completeBatch(name, { accepted, refused, bytes: sentBytes });
    counted(name, { accepted, refused });
    this.#refusals.sent(result);
  }

  /** What expired before this process started is not counted again. */
  #countExpired(expired: number): void {
    this.#context.counted(this.name, { expired: expired - (this.#expired ?? expired) });
    this.#expired = expired;
  }

  #logFailure(error: unknown): void {
    const { log, isLogged } = this.#context;
    log[isLogged(error) ? 'debug' : 'error']({ ...describeFailure(error) }, STORE_FAILED);
  }
}
