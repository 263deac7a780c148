// All receivers of the daemon, and how those of another configuration take their place.

import { isUnchanged } from '../../config/unchanged.ts';
import type { NewNotice } from '../../store/alert-store.ts';
import { AlertmanagerReceiver } from './alertmanager.ts';
import { HeartbeatReceiver } from './heartbeat.ts';
import type { ReceiverOptions } from './options.ts';
import type { Receiver, ReceiverContext } from './receiver.ts';
import { WebhookReceiver } from './webhook.ts';

interface Entry {
  readonly options: ReceiverOptions;
  readonly receiver: Receiver;
}

export class Receivers implements AsyncDisposable {
  readonly #context: ReceiverContext;
  #entries: readonly Entry[] = [];

  constructor(context: ReceiverContext) {
    this.#context = context;
  }

  get list(): readonly Receiver[] {
    return this.#entries.map(({ receiver }) => receiver);
  }

  /** Those that are the same go on; what is under way to others ends, and what waits for them stays in the store. */
  async replace(wanted: readonly ReceiverOptions[]): Promise<void> {
    const keptOf = (options: ReceiverOptions) =>
      this.#entries.find((entry) => isUnchanged(entry.options, options));
    const kept = wanted.map(keptOf);
    const gone = this.#entries.filter((entry) => !kept.includes(entry));
    // First the old, so that no notice is under way twice.
    await Promise.all(gone.map(({ receiver }) => receiver[Symbol.asyncDispose]()));
    this.#entries = wanted.map(
      (options, index) => kept[index] ?? { options, receiver: this.#receiverOf(options) },
    );
    // A new one begins with what waited for its name.
    this.changed();
  }

  /** Notices that the store did not take. */
  tell(notices: readonly NewNotice[]): void {
    for (const notice of notices) this.list.find(({ name }) => name === notice.receiver)?.tell?.(notice);
  }

  changed(): void {
    for (const receiver of this.list) receiver.changed();
  }

  tick(): void {
    for (const receiver of this.list) receiver.tick();
  }

  async idle(): Promise<void> {
    await Promise.all(this.list.map((receiver) => receiver.idle()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.list.map((receiver) => receiver[Symbol.asyncDispose]()));
  }

  #receiverOf(options: ReceiverOptions): Receiver {
    switch (options.type) {
      case 'alertmanager':
        return new AlertmanagerReceiver(options, this.#context);
      case 'webhook':
        return new WebhookReceiver(options, this.#context);
      case 'heartbeat':
        return new HeartbeatReceiver(options, this.#context);
    }
  }
}
