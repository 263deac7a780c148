// Sends batches in a process of its own, with the sender of proxywatch or with a bare loop, and measures the CPU time.

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import protobuf from 'protobufjs';
import snappy from 'snappyjs';
import { systemClock } from '../src/lib/clock.ts';
import { Secret } from '../src/lib/secret.ts';
import { Receiver } from '../src/remote-write/receiver.ts';
import { sendBatch } from '../src/remote-write/send-batch.ts';
import type { Batch, Series } from '../src/remote-write/series.ts';
import { serve } from './processes.ts';

const METRIC = 'proxywatch_history_user_traffic_bytes';
/** The agents add these labels to what they scrape. */
export const JOB = 'bench';
export const INSTANCE = 'bench:80';

const userOf = (index: number): string => `user-${(index * 7_919) % 1_000_003}`;

/** A value that no compression guesses, and that is new in each round. */
const sampleValue = (index: number, round: number): number => ((index + 1) * 1_000_003 * (round + 17)) % 1e10;

/** One sample of each series, as a scrape gives. */
const batchOf = (from: number, count: number, round: number, at: number): Batch =>
  Array.from({ length: count }, (_, offset): Series => {
    const index = from + offset;
    return {
      labels: [
        ['__name__', METRIC],
        ['account', 'main'],
        ['instance', INSTANCE],
        ['job', JOB],
        ['product_type', 'residential'],
        ['proxy_user_id', userOf(index)],
      ],
      samples: [{ at, value: sampleValue(index, round) }],
    };
  });

/** The same samples as an exposition, without the labels that a scraper adds. */
export const expositionOf = (count: number, round: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `${METRIC}{account="main",product_type="residential",proxy_user_id="${userOf(index)}"} ${sampleValue(index, round)}\n`,
  ).join('');

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

const measure = async ({ kind, url, series, batch, ms }: SendRequest): Promise<number> => {
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
  return usedUs / 1_000;
};

if (import.meta.main) serve('ready', measure);
