// Measures the memory that bad answers add to a running daemon: long, compressed, nested and dense ones, on every endpoint.

import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { startSimulator } from '../src/simulator/simulator.ts';
import { type Reaction, startFaultyProvider } from '../test/support/faulty-provider.ts';
import { type Bench, figure, inMib, optionsOf, printHead, printRow, temporaryFolder } from './harness.ts';
import { answers as answering, build, type Measured, startProgram, writeConfig } from './processes.ts';

const SAMPLE_MS = 50;
/** The kinds whose memory has a goal: they are refused as soon as they exceed a limit. */
const WITH_GOAL = ['1 GB', 'gzip bomb (250 MB)', '200,000 nested lists'];
const MEBIBYTE = Buffer.alloc(2 ** 20, ' ');
const GIGABYTE = 1e9;
/** As the longest limit of an endpoint. */
const LONGEST_LIMIT = 16e6;
const JSON_HEADERS = { 'content-type': 'application/json' };

const EVERY_SECOND = { schedule: '* * * * * *' };
const ACCOUNT = {
  traffic: { ...EVERY_SECOND, catch_up: '6h', graphs: [{ name: 'isp', product_type: 'isp' }] },
  ...{ residential_ledger: EVERY_SECOND, inventory: EVERY_SECOND, services: EVERY_SECOND },
  ...{ proxy_users: EVERY_SECOND, catalog: EVERY_SECOND },
  quotes: { ...EVERY_SECOND, items: [{ name: 'isp', product_code: 'isp_gb', quantity: 10 }] },
  geography: { ...EVERY_SECOND, asns: [64_500], cities: [202], subdivisions: ['fr-idf'] },
};

const long = (): Reaction => ({
  write: (response) => {
    response.writeHead(200, JSON_HEADERS);
    let written = 0;
    const push = (): void => {
      while (!response.destroyed && written < GIGABYTE) {
        written += MEBIBYTE.length;
        if (!response.write(MEBIBYTE)) return;
      }
    };
    response.on('drain', push);
    push();
  },
});

/** Three bytes for each object, so the parsed values are many times larger than the text. */
const dense = (bytes: number): Buffer => Buffer.from(`{"data":[${'{},'.repeat(bytes / 3)}{}]}`);

const answerOf = (body: Buffer, headers = {}) => {
  const answer = { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: [body] };
  return () => answer;
};

const KINDS: Readonly<Record<string, (() => Reaction) | undefined>> = {
  'good answers': undefined,
  '1 GB': long,
  'gzip bomb (250 MB)': answerOf(gzipSync(Buffer.alloc(GIGABYTE / 4, ' ')), { 'content-encoding': 'gzip' }),
  '200,000 nested lists': answerOf(Buffer.from(`{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)),
  'empty objects, 1 MB': answerOf(dense(1e6 - 100)),
  'empty objects, 16 MB': answerOf(dense(LONGEST_LIMIT - 100)),
};

/** Options: `--seconds` (20) and `--kinds` (all; names of answers, separated by semicolons). */
export const answers: Bench = async (args) => {
  const { seconds, kinds } = optionsOf(args, { seconds: 20, kinds: Object.keys(KINDS).join(';') });
  build();
  console.log(`RSS of the daemon; it settles for ${seconds} s, and each kind of answer lasts ${seconds} s`);
  printHead('answers', 'sent', 'RSS before', 'peak', 'after', 'peak added');
  const added = new Map<string, number>();
  for (const name of kinds.split(';')) {
    const { before, peak, after, sent } = await measure(KINDS[name], 1_000 * seconds);
    added.set(name, Math.max(0, peak - before));
    printRow(name, sent, ...[before, peak, after, Math.max(0, peak - before)].map((bytes) => inMib(bytes)));
  }
  return WITH_GOAL.flatMap((kind) => {
    const value = added.get(kind);
    return value === undefined ? [] : [figure(`memory that answers add: ${kind}`, value / 1e6, 'MB', 67)];
  });
};

const measure = async (react: (() => Reaction) | undefined, ms: number) => {
  using folder = temporaryFolder();
  const scenario = { users: 100, proxies: 100, pace: null };
  await using simulator = await startSimulator({ scenario, now: Date.now });
  await using provider = await startFaultyProvider(simulator.baseUrl);
  const { publicKey: public_key, privateKey: private_key } = simulator;
  const account = { public_key, private_key, ...ACCOUNT };
  const { config, address } = await writeConfig(folder.path, [provider.baseUrl], account);
  using daemon = startProgram('run', '--config', config);
  await answering(`http://${address}/-/healthy`);
  const before = await peakRss(daemon, ms);
  provider.requests = [];
  if (react) provider.fault = { matches: () => true, react };
  const peak = await peakRss(daemon, ms);
  const sent = provider.requests.length;
  provider.fault = undefined;
  await delay(ms / 2);
  return { before, peak, after: daemon.memory.rss, sent };
};

const peakRss = async (daemon: Measured, ms: number): Promise<number> => {
  let peak = 0;
  for (const end = performance.now() + ms; performance.now() < end; await delay(SAMPLE_MS))
    peak = Math.max(peak, daemon.memory.rss);
  return peak;
};
