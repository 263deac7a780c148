// The memory that bad answers of the provider add to a running daemon: long, compressed, nested and dense ones, on every endpoint.

import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Reaction, startFaultyProvider } from '../../test/support/faulty-provider.ts';
import { type Case, turnsOf } from '../harness.ts';
import { answers as answering, type Measured } from '../processes.ts';
import { startDaemon, startProvider } from '../world.ts';

const GIGABYTE = 1e9;
const MEBIBYTE = Buffer.alloc(2 ** 20, ' ');
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

const bodyOf = (body: Buffer, headers = {}) => {
  const answer = { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: [body] };
  return (): Reaction => answer;
};

/** Three bytes for each object, so the parsed values are many times larger than the text. */
const dense = (bytes: number): Buffer => Buffer.from(`{"data":[${'{},'.repeat(bytes / 3)}{}]}`);

/** Made when the case runs. */
const KINDS: Readonly<Record<string, () => () => Reaction>> = {
  '1 GB': () => long,
  'a gzip bomb': () => bodyOf(gzipSync(Buffer.alloc(GIGABYTE / 4, ' ')), { 'content-encoding': 'gzip' }),
  '200,000 nested lists': () => bodyOf(Buffer.from(`{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)),
  'empty objects, 1 MB': () => bodyOf(dense(1e6 - 100)),
  'empty objects, 16 MB': () => bodyOf(dense(16e6 - 100)),
};
const addedBy = (kind: string): string => `memory that answers add: ${kind}`;

export const answers: Case = {
  title: 'bad answers of the provider, each kind for 20 seconds (4 with --small)',
  figures: Object.fromEntries(
    Object.keys(KINDS).map((kind) => [
      addedBy(kind),
      // These are within the limits of an answer, and are parsed.
      kind.startsWith('empty') ? { unit: 'MB' } : { unit: 'MB', most: 67 },
    ]),
  ),
  rounds: 1,
  contenders: async ({ versions, isSmall, stack }) => {
    const scenario = { users: 100, proxies: 100, pace: null };
    const provider = stack.use(await startFaultyProvider(await startProvider(stack, scenario)));
    const options = { urls: [provider.baseUrl], account: ACCOUNT };
    const ms = isSmall ? 4_000 : 20_000;
    return turnsOf(versions, async (version) => {
      const reading: Record<string, number> = {};
      for (const [kind, make] of Object.entries(KINDS)) {
        provider.fault = undefined;
        const react = make();
        await using stack = new AsyncDisposableStack();
        const { process, origin } = await startDaemon(stack, version, options);
        await answering(`${origin}/-/healthy`);
        const before = await peakRss(process, ms);
        provider.fault = { matches: () => true, react };
        reading[addedBy(kind)] = Math.max(0, (await peakRss(process, ms)) - before);
      }
      return reading;
    });
  },
};

const peakRss = async (daemon: Measured, ms: number): Promise<number> => {
  let peak = 0;
  for (const end = performance.now() + ms; performance.now() < end; await setTimeout(50))
    peak = Math.max(peak, daemon.memory.rss);
  return peak;
};
