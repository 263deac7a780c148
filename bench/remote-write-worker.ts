// Sends batches in a process of its own, with the sender of proxywatch or with a bare loop, and measures the CPU time.

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import protobuf from 'protobufjs';
import snappy from 'snappyjs';
import { systemClock } from '../src/lib/clock.ts';
import { Secret } from '../src/lib/secret.ts';
import { Receiver } from '../src/remote-write/receiver.ts';
import { sendBatch } from '../src/remote-write/send-batch.ts';
import type { Batch } from '../src/remote-write/series.ts';
import { batchOf } from './remote-write-series.ts';

export interface SendRequest {
  readonly kind: 'ours' | 'bare';
  readonly url: string;
  readonly series: number;
  /** Samples of a batch. */
  readonly batch: number;
  readonly ms: number;
}

type Send = (batch: Batch) => Promise<void>;

const { signal } = new AbortController();

const ours = (url: string): Send => {
  const receiver = new Receiver(
    { name: 'bench', url: new Secret(url), timeoutMs: 10_000 },
    { clock: systemClock, userAgent: 'proxywatch/bench' },
  );
  const send = receiver.send.bind(receiver);
  return async (batch) => {
    const { accepted } = await sendBatch(batch, { clock: systemClock, random: Math.random, send }, signal);
    if (accepted !== batch.length) throw new Error('the receiver refused samples');
  };
};

const { root } = protobuf.parse(`
  syntax = "proto3";
  message WriteRequest { repeated TimeSeries timeseries = 1; }
  message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
  message Label { string name = 1; string value = 2; }
  message Sample { double value = 1; int64 timestamp = 2; }
`);
const WRITE_REQUEST = root.lookupType('WriteRequest');

/** What a program without an encoder of its own would do: a library for protobuf, and no checks and no limits. */
const bare = (url: string): Send => {
  const agent = new Agent({ keepAlive: true });
  return async (batch) => {
    const timeseries = batch.map(({ labels, samples }) => ({
      labels: labels.map(([name, value]) => ({ name, value })),
      samples: samples.map(({ at, value }) => ({ timestamp: at, value })),
    }));
    const body = snappy.compress(Buffer.from(WRITE_REQUEST.encode({ timeseries }).finish()));
    const post = request(url, { method: 'POST', agent }).end(body);
    const [response] = await once(post, 'response');
    await response.resume().toArray();
  };
};

const SENDS = { ours, bare };

const measure = async ({ kind, url, series, batch, ms }: SendRequest): Promise<{ cpuMs: number }> => {
  const send = SENDS[kind](url);
  const startedAt = performance.now();
  let usedUs = 0;
  for (let round = 0; performance.now() - startedAt < ms; round += 1)
    for (let from = 0; from < series; from += batch) {
      // The store makes the batch, and not the sender.
      const samples = batchOf(from, Math.min(batch, series - from), round, Date.now());
      const cpu = process.cpuUsage();
      await send(samples);
      const { user, system } = process.cpuUsage(cpu);
      usedUs += user + system;
    }
  return { cpuMs: usedUs / 1_000 };
};

process.on('disconnect', () => process.exit());
process.on('message', async (message: SendRequest) => process.send?.(await measure(message)));
process.send?.('ready');
