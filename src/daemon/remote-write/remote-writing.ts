// Keeps a writer for each configured receiver of remote write, beside the polls.

import { isUnchanged } from '../../config/unchanged.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { ReceiverState } from '../../store/publication-store.ts';
import type { Settings } from '../settings.ts';
import { publishHistories, type SentHistory, startOf } from './histories.ts';
import type { RemoteWriteOptions } from './options.ts';
import { RemoteWriter, type WriterContext } from './writer.ts';

/** Receivers share what is published at the same time (ms). */
const SHARED_MS = 10 * SECOND;
/** A receiver that is down publishes nothing, so it is done for all at least this often (ms). */
const PUBLISH_MS = 5 * MINUTE;

interface Running {
  readonly options: RemoteWriteOptions;
  readonly writer: RemoteWriter;
}

type SharedContext = Omit<WriterContext, 'histories' | 'open'>;

export class RemoteWriting implements AsyncDisposable {
  readonly #context: SharedContext;
  #settings: Settings;
  #running: readonly Running[] = [];
  #publishing: Promise<void> = Promise.resolve();
  #shared: { readonly at: number; readonly histories: Promise<readonly SentHistory[]> } | undefined;

  constructor(context: SharedContext, settings: Settings) {
    this.#context = context;
    this.#settings = settings;
  }

  get writers(): readonly RemoteWriter[] {
    return this.#running.map(({ writer }) => writer);
  }

  /** Starts the writers of new and changed receivers, and ends those of others. Throws StoreError. */
  async configure(settings: Settings): Promise<void> {
    this.#settings = settings;
    this.#shared = undefined;
    const kept = this.#running.filter(({ options }) =>
      settings.remote_write.some((each) => isUnchanged(options, each)),
    );
    for (const { writer } of this.#running.filter((each) => !kept.includes(each)))
      await writer[Symbol.asyncDispose]();
    const added = settings.remote_write
      .filter(({ name }) => !kept.some(({ options }) => options.name === name))
      .map((options) => ({ options, writer: this.#writerOf(options) }));
    // A failure of the store must not leave a writer that has ended among those that run.
    this.#running = [...kept, ...added];
    await this.#context.store.remoteWrite.keepOnly(settings.remote_write.map(({ name }) => name));
    for (const { writer } of added) await writer.recall();
  }

  /** Call it often. It starts what is due. */
  tick(): void {
    for (const writer of this.writers) writer.tick();
    if (this.writers.length > 0) this.#publish();
  }

  /** Resolves when each receiver has everything, or does not take requests. */
  async idle(): Promise<void> {
    await Promise.all([this.#publishing, ...this.writers.map((writer) => writer.idle())]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#publishing, ...this.writers.map((writer) => writer[Symbol.asyncDispose]())]);
  }

  #writerOf(options: RemoteWriteOptions): RemoteWriter {
    const now = this.#context.clock.now();
    return new RemoteWriter(options, {
      ...this.#context,
      histories: () => this.#histories(),
      open: () => this.#open(options, now),
    });
  }

  /** A new receiver begins at its start at `now`, also if the store failed meanwhile. */
  async #open({ name, start }: RemoteWriteOptions, now: number): Promise<ReceiverState> {
    const { store } = this.#context;
    const known = await store.remoteWrite.find(name);
    return known ?? store.remoteWrite.open(name, await startOf(start, this.#settings, store, now));
  }

  /** Otherwise the store would roll up history that it does not know to be waiting, and not count what is lost. */
  #publish(): void {
    const { clock } = this.#context;
    if (this.#shared && clock.monotonic() - this.#shared.at < PUBLISH_MS) return;
    // The writers report failures of the store.
    this.#publishing = this.#histories().then(
      () => {},
      () => {},
    );
  }

  #histories(): Promise<readonly SentHistory[]> {
    const { store, clock } = this.#context;
    const now = clock.monotonic();
    if (!this.#shared || now - this.#shared.at >= SHARED_MS)
      this.#shared = { at: now, histories: publishHistories(this.#settings, store, clock) };
    return this.#shared.histories;
  }
}
