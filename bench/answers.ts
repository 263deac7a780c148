// Measures the memory that bad answers add to a running daemon: long, compressed, nested and dense ones, on every endpoint.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { startSimulator } from '../src/simulator/simulator.ts';
import { type ProviderAnswer, type Reaction, startFaultyProvider } from '../test/support/faulty-provider.ts';
import { build, MAIN } from './daemon-process.ts';
import type { Figure } from './figure.ts';

const SAMPLE_MS = 50;
/** The kinds whose memory has a goal: they are refused as soon as they exceed a limit. */
const WITH_GOAL = ['1 GB', 'gzip bomb (250 MB)', '200,000 nested lists'];
const MIB = 2 ** 20;
const MEBIBYTE = Buffer.alloc(MIB, ' ');
const GIGABYTE = 1e9;
/** As the longest limit of an endpoint. */
const LONGEST_LIMIT = 16e6;
const JSON_HEADERS = { 'content-type': 'application/json' };

const EVERY_SECOND = { schedule: '* * * * * *' };
const ACCOUNT = {
  traffic: { ...EVERY_SECOND, catch_up: '6h', graphs: [{ name: 'isp', product_type: 'isp' }] },
  residential_ledger: EVERY_SECOND,
  inventory: EVERY_SECOND,
  services: EVERY_SECOND,
  proxy_users: EVERY_SECOND,
  catalog: EVERY_SECOND,
  quotes: { ...EVERY_SECOND, items: [{ name: 'isp', product_code: 'isp_gb', quantity: 10 }] },
  geography: { ...EVERY_SECOND, asns: [64_500], cities: [202], subdivisions: ['fr-idf'] },
};

const long = (): Reaction => ({
  write: (response) => {
    response.writeHead(200, JSON_HEADERS);
    let written = 0;
    const push = (): void => {
      while (!response.destroyed && written < GIGABYTE) {
        written += MIB;
        if (!response.write(MEBIBYTE)) return;
      }
    };
    response.on('drain', push);
    push();
  },
});

const bomb = gzipSync(Buffer.alloc(GIGABYTE / 4, ' '));
const nested = Buffer.from(`{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
/** Three bytes for each object, so the parsed values are many times larger than the text. */
const dense = (bytes: number): Buffer => Buffer.from(`{"data":[${'{},'.repeat(bytes / 3)}{}]}`);
const answer = (body: Buffer, headers = {}): ProviderAnswer => ({
  status: 200,
  headers: { ...JSON_HEADERS, ...headers },
  body: [body],
});
const [denseAtLimit, dense1MB] = [dense(LONGEST_LIMIT - 100), dense(1e6 - 100)];

const CASES: Readonly<Record<string, (() => Reaction) | undefined>> = {
  'good answers': undefined,
  '1 GB': long,
  'gzip bomb (250 MB)': () => answer(bomb, { 'content-encoding': 'gzip' }),
  '200,000 nested lists': () => answer(nested),
  'empty objects, 1 MB': () => answer(dense1MB),
  'empty objects, 16 MB': () => answer(denseAtLimit),
};

interface Memory {
  readonly before: number;
  readonly peak: number;
  readonly after: number;
  readonly answers: number;
}

/** Options: `--seconds` (20) and `--kinds` (all; names of answers, separated by semicolons). */
export const answers = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const options = {
    seconds: { type: 'string', default: '20' },
    kinds: { type: 'string', default: Object.keys(CASES).join(';') },
  } as const;
  const { seconds, kinds } = parseArgs({ args: [...args], options }).values;
  build();
  console.log(`RSS of the daemon; it settles for ${seconds} s, and each kind of answer lasts ${seconds} s`);
  console.log('| answers | sent | RSS before | peak | after | peak added |\n|---|---|---|---|---|---|');
  const added = new Map<string, number>();
  for (const name of kinds.split(';')) {
    const { before, peak, after, answers: sent } = await measure(CASES[name], 1_000 * Number(seconds));
    added.set(name, Math.max(0, peak - before));
    const cells = [name, sent, ...[before, peak, after, Math.max(0, peak - before)].map(inMiB)];
    console.log(`| ${cells.join(' | ')} |`);
  }
  return WITH_GOAL.flatMap((kind) => {
    const value = added.get(kind);
    const what = `memory that answers add: ${kind}`;
    return value === undefined ? [] : [{ what, value: value / 1e6, unit: 'MB', goal: 67 }];
  });
};

const inMiB = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;

const measure = async (react: (() => Reaction) | undefined, ms: number): Promise<Memory> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-bench-'));
  await using simulator = await startSimulator({
    scenario: { users: 100, proxies: 100, pace: null },
    now: Date.now,
  });
  await using provider = await startFaultyProvider(simulator.baseUrl);
  const { publicKey: public_key, privateKey: private_key } = simulator;
  const account = { name: 'bench', base_url: provider.baseUrl, public_key, private_key, ...ACCOUNT };
  const config = join(folder, 'config.yaml');
  const server = { listen: '127.0.0.1:0' };
  await writeFile(config, JSON.stringify({ server, store: { path: 'store.db' }, accounts: [account] }));
  const daemon = spawn(process.execPath, [MAIN, 'run', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await serving(daemon);
    const before = await peakRss(daemon, ms);
    provider.requests = [];
    if (react) provider.fault = { matches: () => true, react };
    const peak = await peakRss(daemon, ms);
    const sent = provider.requests.length;
    provider.fault = undefined;
    await delay(ms / 2);
    return { before, peak, after: await rssOf(daemon), answers: sent };
  } finally {
    daemon.kill();
    await rm(folder, { recursive: true });
  }
};

const serving = async (daemon: ChildProcess): Promise<void> => {
  if (!daemon.stdout) return;
  const lines = createInterface({ input: daemon.stdout });
  await new Promise<void>((resolve) => lines.on('line', (line) => line.includes('serves') && resolve()));
};

const peakRss = async (daemon: ChildProcess, ms: number): Promise<number> => {
  let peak = 0;
  for (const end = performance.now() + ms; performance.now() < end; await delay(SAMPLE_MS))
    peak = Math.max(peak, await rssOf(daemon));
  return peak;
};

const rssOf = async ({ pid }: ChildProcess): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
};
