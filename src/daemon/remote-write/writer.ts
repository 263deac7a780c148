// Sends the published history to one receiver, batch by batch, until it is disposed of.

import { setImmediate } from 'node:timers/promises';
import { MINUTE } from '../../lib/time.ts';
import type { Answer } from '../../remote-write/answer.ts';
import { Receiver } from '../../remote-write/receiver.ts';
import type { BatchResult } from '../../remote-write/send-batch.ts';
import {
  type DueSamples,
  type KeptSummary,
  NOTHING_SENT,
  type ReceiverCounts,
  type ReceiverState,
  type StoredBatch,
} from '../../store/publication-store.ts';
import { type FailureLog, logFailure, type Services } from '../services.ts';
import { type Delivered, deliver, keptOf, MAX_KEPT } from './deliver.ts';
import { bodyOf, formBatch, isFull, later, NOWHERE } from './form-batch.ts';
import type { SentHistory } from './histories.ts';
import { type RemoteWriteOptions, receiverOptionsOf } from './options.ts';
import { ReceiverLog } from './receiver-log.ts';

/** The time between two looks for new history (ms), which settles slowly. */
const IDLE_MS = MINUTE;

const STORE_FAILED = 'remote write could not use the store, and tries again';

export interface WriterContext extends FailureLog, Pick<Services, 'store' | 'clock' | 'userAgent'> {
  /** Returns the receiver as it is stored, and stores a new one. Rejects with StoreError. */
  readonly open: () => Promise<ReceiverState>;
  /** Publishes what has settled. */
  readonly histories: () => Promise<readonly SentHistory[]>;
  readonly counted: (receiver: string, counts: WriterCounts) => void;
}

/** What is added to the counters of a receiver. */
type WriterCounts = Readonly<
  Partial<Record<'accepted' | 'refused' | 'expired' | 'repeated' | 'bytes' | 'failures', number>>
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
  #behindEmpty = NOWHERE;
  /** Since the receiver was added; undefined before the first look. */
  counts: ReceiverCounts | undefined;
  /** When the receiver last accepted samples since the start of the daemon (ms). */
  lastAcceptedAt: number | undefined;
  #lastError: string | undefined;
  #hasStoreFailed = false;
  /** Whether the last batch was full, or is not known. */
  #wasFull = true;
  /** Whether the receiver may store samples twice, as its last answer says. */
  #keepsRepeats = false;

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
    return this.#hasStoreFailed ? STORE_FAILED : (this.#lastError ?? this.#log.earlyReason);
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
    const { batch, kept, refusingSince, counts } = await this.#context.open();
    const earlySince = counts.accepted === 0 ? kept.earlySince : null;
    for (const since of [refusingSince, batch?.at, earlySince]) this.#waits(since);
  }

  /** Returns whether there was something to send. What is sent once more is last, because it delays nothing then. */
  async #sendNext(): Promise<boolean> {
    const state = await this.#context.open();
    const { kept, refusingSince } = state;
    this.#count(state.counts);
    this.#log.waiting(kept.early);
    const isHeld = kept.samples >= MAX_KEPT;
    const early = state.batch ? undefined : await this.#due(false);
    const batch = state.batch ?? (early || isHeld ? undefined : await this.#storeNext(state));
    const due = batch ? undefined : (early ?? (await this.#due(true)));
    if (batch) await this.#send(batch);
    else if (due) await this.#sendKept(due);
    else if (isHeld) this.#waits(this.#context.clock.now());
    else if (refusingSince === null) this.#hasAllBut(kept);
    return batch !== undefined || due !== undefined;
  }

  #due(isRepeat: boolean): Promise<DueSamples | undefined> {
    const { store, clock } = this.#context;
    return store.remoteWrite.dueSamples(this.name, isRepeat, clock.now());
  }

  /** Stores the next batch before it is sent, so that the same batch is sent after a crash. */
  async #storeNext(state: ReceiverState): Promise<StoredBatch | undefined> {
    const { store, clock, histories } = this.#context;
    const { name, external_labels } = this.#options;
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

  async #send({ body, samples, at }: StoredBatch): Promise<void> {
    this.#waits(at);
    const delivered = await this.#deliver(body);
    const { clock, store } = this.#context;
    const kept = keptOf(delivered, clock.now(), isFull(samples) || this.#wasFull);
    this.#wasFull = isFull(samples);
    await store.remoteWrite.completeBatch(this.name, delivered.counts, kept);
    this.#sent(delivered.result);
  }

  /** Sends samples that the receiver did not take yet, or that it gets once more. */
  async #sendKept({ id, body, samples, at, isRepeat }: DueSamples): Promise<void> {
    const { clock, counted, store } = this.#context;
    // The receiver was replaced, or the settings changed, since these samples were kept.
    if (isRepeat && (this.#keepsRepeats || !this.#options.repeat_old))
      return await store.remoteWrite.completeKept(this.name, { id, at }, NOTHING_SENT, []);
    this.#waits(clock.now());
    const delivered = await this.#deliver(body, isRepeat);
    const kept = keptOf(delivered, clock.now(), false, at);
    const since = { id, at: this.waitingSince ?? at };
    await store.remoteWrite.completeKept(this.name, since, delivered.counts, kept);
    if (isRepeat) counted(this.name, { repeated: samples });
    this.#sent(delivered.result);
  }

  #deliver(body: Uint8Array, isRepeat = false): Promise<Delivered> {
    const { clock, counted } = this.#context;
    const onAnswer = (answer: Answer, bytes: number): void => {
      this.#hasStoreFailed = false;
      this.#log.answered(answer);
      if (answer.kind === 'accepted') this.#keepsRepeats = answer.keepsRepeats === true;
      const hasFailed = answer.kind === 'retry' || answer.kind === 'misconfigured';
      const { reason } = answer.kind === 'accepted' ? { ...answer.partial?.refusal } : answer;
      this.#lastError = hasFailed || !isRepeat ? reason : undefined;
      counted(this.name, { bytes, failures: hasFailed ? 1 : 0 });
    };
    const context = { clock, onAnswer, receiver: this.#receiver, repeatOld: this.#options.repeat_old };
    return deliver(body, context, this.#stop.signal, isRepeat);
  }

  #sent(result: BatchResult): void {
    const { clock, counted } = this.#context;
    const { accepted, refused, early } = result;
    counted(this.name, { accepted, refused });
    if (accepted > 0) {
      this.waitingSince = null;
      this.lastAcceptedAt = clock.now();
    }
    if (early) this.#lastError = undefined;
    this.#log.sent(result);
  }

  #waits(since: number | null | undefined): void {
    if (typeof since === 'number') this.waitingSince = Math.min(this.waitingSince ?? since, since);
  }

  /** While samples are kept, the receiver has taken nothing since it last accepted some. A restart forgets when that was. */
  #hasAllBut({ earlySince }: KeptSummary): void {
    if (earlySince === null) this.waitingSince = null;
    else if (this.lastAcceptedAt !== undefined) this.waitingSince = Math.max(earlySince, this.lastAcceptedAt);
    else if (this.counts?.accepted === 0) this.waitingSince = earlySince;
  }

  /** What expired before this process started is not counted again. */
  #count(counts: ReceiverCounts): void {
    const { expired: before } = this.counts ?? counts;
    this.#context.counted(this.name, { expired: counts.expired - before });
    this.counts = counts;
  }
}
