// Sends the published history to one receiver, batch by batch, until it is disposed of.

import { setImmediate } from 'node:timers/promises';
import { MINUTE } from '../../lib/time.ts';
import { Receiver } from '../../remote-write/receiver.ts';
import { type BatchResult, sendBatch } from '../../remote-write/send-batch.ts';
import type {
  DueSamples,
  ReceiverCounts,
  ReceiverPosition,
  ReceiverState,
  SentCounts,
  StoredBatch,
} from '../../store/publication-store.ts';
import { type FailureLog, logFailure, type Services } from '../services.ts';
import { batchOf, bodyOf, formBatch } from './form-batch.ts';
import type { SentHistory } from './histories.ts';
import { keptEarly, MAX_KEPT } from './kept-samples.ts';
import { type RemoteWriteOptions, receiverOptionsOf } from './options.ts';
import { earlyText, ReceiverLog } from './receiver-log.ts';

/** The time between two looks for new history (ms), which settles slowly. */
const IDLE_MS = MINUTE;

const STORE_FAILED = 'remote write could not use the store, and tries again';

const NOWHERE: ReceiverPosition = { streams: new Map(), correction: 0 };

const later = (one: ReceiverPosition, other: ReceiverPosition): ReceiverPosition => ({
  streams: new Map([...one.streams, ...other.streams]),
  correction: Math.max(one.correction, other.correction),
});

export interface WriterContext extends FailureLog, Pick<Services, 'store' | 'clock' | 'userAgent'> {
  /** Returns the receiver as it is stored, and stores a new one. Rejects with StoreError. */
  readonly open: () => Promise<ReceiverState>;
  /** Publishes what has settled. */
  readonly histories: () => Promise<readonly SentHistory[]>;
  readonly counted: (receiver: string, counts: WriterCounts) => void;
}

/** What is added to the counters of a receiver. */
type WriterCounts = Readonly<
  Partial<Record<'accepted' | 'refused' | 'expired' | 'bytes' | 'failures', number>>
>;

export class RemoteWriter implements AsyncDisposable {
  readonly name: string;
  readonly #options: RemoteWriteOptions;
  readonly #context: WriterContext;
  readonly #receiver: Receiver;
  readonly #log: ReceiverLog;
  readonly #stop = new AbortController();
  #passing: Promise<void> | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;
  /**
   * Since when the receiver has taken nothing although samples wait (ms); null if it has all, and undefined before that is
   * known. A receiver that refuses everything counts as one that takes nothing.
   */
  waitingSince: number | null | undefined;
  /** The position behind rows and corrections without samples, so that these are not read again. */
  #behindEmpty: ReceiverPosition = NOWHERE;
  /** Since the receiver was added; undefined before the first look. */
  counts: ReceiverCounts | undefined;
  /** When the receiver last accepted samples since the start of the daemon (ms). */
  lastAcceptedAt: number | undefined;
  #lastError: string | undefined;
  /** Why samples are kept that the receiver has not accepted yet. */
  #earlyReason: string | undefined;
  #hasStoreFailed = false;

  constructor(options: RemoteWriteOptions, context: WriterContext) {
    const { clock, userAgent } = context;
    const log = context.log.child({ receiver: options.name });
    this.name = options.name;
    this.#options = options;
    this.#context = { ...context, log };
    this.#receiver = new Receiver(receiverOptionsOf(options), { clock, userAgent });
    this.#log = new ReceiverLog(clock, log);
  }

  /** Whether the receiver has accepted samples since the start, or has everything. */
  get isProven(): boolean {
    return this.waitingSince === null || this.lastAcceptedAt !== undefined;
  }

  /** The path and the query of the url may contain a token. */
  get host(): string {
    return new URL(this.#options.url.reveal()).host;
  }

  /** Why the receiver did not take the last request, or some samples yet, without secrets. */
  get lastError(): string | undefined {
    return this.#hasStoreFailed ? STORE_FAILED : (this.#lastError ?? this.#earlyReason);
  }

  /** Starts to send what is new, unless the writer is at it already, or has looked a short time ago. */
  tick(): void {
    const { clock } = this.#context;
    if (this.#passing || this.#stop.signal.aborted || clock.monotonic() < this.#dueAt) return;
    this.#passing = this.#pass().finally(() => {
      this.#passing = undefined;
      this.#dueAt = clock.monotonic() + IDLE_MS;
    });
  }

  /** Resolves when the receiver has everything, or does not take requests. */
  async idle(): Promise<void> {
    while (this.#passing && !this.#log.isFailing) await setImmediate();
  }

  /** Ends at once. A batch on its way stays in the store, and is sent again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#passing;
    await this.#receiver[Symbol.asyncDispose]();
  }

  /** Ends when the receiver has everything. An error ends it too, and the next pass tries again. */
  async #pass(): Promise<void> {
    try {
      while (!this.#stop.signal.aborted && (await this.#sendNext()));
      this.#hasStoreFailed = false;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#hasStoreFailed = true;
      this.#waits(this.#context.clock.now());
      logFailure(this.#context, error, STORE_FAILED);
    }
  }

  /** Takes from the store since when samples wait, so that this is known right after a restart. Throws StoreError. */
  async recall(): Promise<void> {
    const { batch, kept, refusingSince } = await this.#context.open();
    for (const since of [refusingSince, batch?.at, kept.since]) this.#waits(since);
  }

  /** Returns whether there was something to send. */
  async #sendNext(): Promise<boolean> {
    const { store, clock, open } = this.#context;
    const state = await open();
    this.#count(state.counts);
    if (state.kept.samples === 0) this.#earlyReason = undefined;
    const due = await store.remoteWrite.dueSamples(this.name, clock.now());
    if (due) {
      await this.#sendKept(due);
      return true;
    }
    const batch = state.batch ?? (await this.#storeNext(state));
    if (batch) {
      this.#waits(batch.at);
      await this.#send(batch);
    } else if (state.refusingSince === null) this.#waitsSince(state.kept.since);
    return batch !== undefined;
  }

  /** Stores the next batch before it is sent, so that the same batch is sent after a crash. */
  async #storeNext(state: ReceiverState): Promise<StoredBatch | undefined> {
    const { store, clock, histories } = this.#context;
    const { name, external_labels } = this.#options;
    if (state.kept.samples >= MAX_KEPT) return undefined;
    const progress = { ...state, position: later(state.position, this.#behindEmpty) };
    const { signal } = this.#stop;
    const formed = await formBatch(await histories(), progress, store.publications, external_labels, signal);
    signal.throwIfAborted();
    const { batch, samples, next, expired } = formed;
    if (samples === 0) {
      if (expired > 0) await store.remoteWrite.skip(name, next, expired);
      this.#behindEmpty = later(this.#behindEmpty, next);
      return undefined;
    }
    this.#behindEmpty = NOWHERE;
    const stored = { body: bodyOf(batch), samples, next, at: clock.now() };
    await store.remoteWrite.saveBatch(name, stored, expired);
    return stored;
  }

  async #send({ body }: StoredBatch): Promise<void> {
    const { store, clock } = this.#context;
    const { result, counts } = await this.#deliver(body);
    await store.remoteWrite.completeBatch(this.name, counts, keptEarly(result.early, clock.now()));
    this.#sent(result);
  }

  /** Sends samples again that the receiver did not take yet. */
  async #sendKept({ id, body, at }: DueSamples): Promise<void> {
    const { store, clock } = this.#context;
    const { result, counts } = await this.#deliver(body);
    await store.remoteWrite.completeKept(this.name, id, counts, keptEarly(result.early, clock.now(), at));
    this.#sent(result);
  }

  async #deliver(body: Uint8Array): Promise<{ readonly result: BatchResult; readonly counts: SentCounts }> {
    const { clock, counted } = this.#context;
    let sentBytes = 0;
    const result = await sendBatch(
      batchOf(body),
      {
        ...{ clock, random: Math.random, send: (request, signal) => this.#receiver.send(request, signal) },
        onAnswer: (answer, bytes) => {
          sentBytes += bytes;
          this.#hasStoreFailed = false;
          this.#log.answered(answer);
          const hasFailed = answer.kind === 'retry' || answer.kind === 'misconfigured';
          this.#lastError = answer.kind === 'accepted' ? undefined : answer.reason;
          counted(this.name, { bytes, failures: hasFailed ? 1 : 0 });
        },
      },
      this.#stop.signal,
    );
    const { accepted, refused } = result;
    return { result, counts: { accepted, refused, bytes: sentBytes } };
  }

  #sent(result: BatchResult): void {
    const { clock, counted } = this.#context;
    const { accepted, refused, early } = result;
    counted(this.name, { accepted, refused });
    if (accepted > 0) {
      this.waitingSince = null;
      this.lastAcceptedAt = clock.now();
    }
    if (early) {
      this.#lastError = undefined;
      this.#earlyReason = earlyText(early, clock.now());
    }
    this.#log.sent(result);
  }

  #waits(since: number | null | undefined): void {
    if (typeof since === 'number') this.waitingSince = Math.min(this.waitingSince ?? since, since);
  }

  /** While samples are kept, the receiver has taken nothing since it last accepted some. */
  #waitsSince(keptSince: number | null): void {
    this.waitingSince = keptSince && Math.max(keptSince, this.lastAcceptedAt ?? keptSince);
  }

  /** What expired before this process started is not counted again. */
  #count(counts: ReceiverCounts): void {
    const { expired: before } = this.counts ?? counts;
    this.#context.counted(this.name, { expired: counts.expired - before });
    this.counts = counts;
  }
}
