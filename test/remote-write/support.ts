// Connects a receiver of the product to a recording receiver, with a clock that a test moves.

import { setImmediate } from 'node:timers/promises';
import { Secret } from '../../src/lib/secret.ts';
import type { Answer } from '../../src/remote-write/answer.ts';
import { Receiver } from '../../src/remote-write/receiver.ts';
import type { ReceiverOptions } from '../../src/remote-write/receiver-options.ts';
import { type SendContext, sendBatch } from '../../src/remote-write/send-batch.ts';
import type { Batch, Series } from '../../src/remote-write/series.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { RecordingReceiver, type Responder } from './recording-receiver.ts';

export const USER_AGENT = 'proxywatch/1.2.3';
export const NOW = '2026-03-01T12:00:00Z';

export const oneSample: Batch = [{ labels: [['__name__', 'x']], samples: [{ at: 1_000, value: 5 }] }];

/** Returns a series with samples at the given times, whose values differ from each other. */
export const seriesOf = (name: string, times: readonly number[]): Series => ({
  labels: [['__name__', name]],
  samples: times.map((at) => ({ at, value: at * 10 })),
});

export interface Sender extends AsyncDisposable {
  readonly server: RecordingReceiver;
  readonly clock: FakeClock;
  /** All answers so far. */
  readonly answers: Answer[];
  /** The waits between requests so far (ms). */
  readonly waits: number[];
  readonly context: SendContext;
  send(batch: Batch, signal?: AbortSignal): ReturnType<typeof sendBatch>;
}

/** Starts a sender without jitter whose waits take no real time. */
export const startSender = async (
  respond: Responder = () => ({ status: 204 }),
  options: Partial<ReceiverOptions> = {},
): Promise<Sender> => {
  const server = await RecordingReceiver.start();
  server.respond = respond;
  const clock = new FakeClock(NOW);
  const receiver = new Receiver(
    { name: 'main', url: new Secret(server.url), timeoutMs: 10_000, ...options },
    { clock, userAgent: USER_AGENT },
  );
  const [answers, waits]: [Answer[], number[]] = [[], []];
  const context: SendContext = {
    clock: {
      ...{ now: () => clock.now(), monotonic: () => clock.monotonic(), deadline: (ms) => clock.deadline(ms) },
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        waits.push(ms);
        clock.advance(ms);
        await setImmediate();
      },
    },
    random: () => 0,
    encode: (part) => receiver.encode(part),
    send: (body, signal) => receiver.send(body, signal),
    onAnswer: (answer) => answers.push(answer),
  };
  return {
    ...{ server, clock, answers, waits, context },
    send: (batch, signal = new AbortController().signal) => sendBatch(batch, context, signal),
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
};
