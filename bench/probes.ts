// Compares probes with those of prometheus-blackbox-exporter and a bare loop, and paces probes of 10,000 proxies.

import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import {
  type Bench,
  type Figure,
  figure,
  inMb,
  inTurns,
  median,
  ratioOf as medianRatio,
  optionsOf,
  printHead,
  printRow,
  temporaryFolder,
} from './harness.ts';
import type { ServerPorts } from './probe-servers.ts';
import type { LoopRequest, Paced, PaceRequest, Probed, Work } from './probe-worker.ts';
import {
  answers,
  DAEMON_FLAGS,
  freePort,
  isInstalled,
  MEASURED_CORE,
  Measured,
  OTHER_CORE,
  ROOT,
  startScript,
} from './processes.ts';

const PARALLEL = 50;
const MOST_PROBES_AT_ONCE = 50;
const ROUND_MS = 300_000;
/** An answer of a real proxy takes this long. */
const PROXY_MS = 200;
/** The contenders' first rounds are a warm-up. */
const WARM_UPS = 2;

interface Contender {
  readonly name: string;
  /** Returns probes for each second of CPU time. */
  readonly run: () => Promise<number>;
}

/** Options: `--rounds` (5), `--seconds` of each measurement (3), `--pace-seconds` (60), `--quick`, `--no-flags` of the daemon. */
export const probes: Bench = async (args) => {
  const defaults = { rounds: 5, seconds: 3, 'pace-seconds': 60, quick: false, flags: true };
  const { quick, flags: hasFlags, ...values } = optionsOf(args, defaults);
  const {
    rounds,
    seconds,
    'pace-seconds': pace,
  } = quick ? { rounds: 2, seconds: 1, 'pace-seconds': 5 } : values;
  const flags = hasFlags ? DAEMON_FLAGS : [];
  return [...(await compare(rounds, 1_000 * seconds, flags)), ...(await measurePace(1_000 * pace, flags))];
};

const startServers = async (stack: DisposableStack, answerAfterMs: number): Promise<ServerPorts> =>
  stack
    .use(startScript('probe-servers.ts', [String(answerAfterMs)], { core: OTHER_CORE }))
    .message<ServerPorts>();

const startWorker = async (stack: DisposableStack, flags: readonly string[]): Promise<Measured> => {
  const worker = stack.use(startScript('probe-worker.ts', [], { core: MEASURED_CORE, flags }));
  await worker.message();
  return worker;
};

/** blackbox_exporter never resumes a session. */
const COMPARED_WORKS = [
  ['http', 'full handshake'],
  ['resumed', 'resumed session'],
] as const;

/**
 * Scrapes a second in the comparisons with blackbox_exporter: as many as one core makes (0), and somewhat more than 10,000
 * proxies with 2 urls need every 5 minutes. At the low rate, each probe of every program takes twice the CPU time.
 */
const RATES = [0, 100];

const compare = async (rounds: number, ms: number, flags: readonly string[]): Promise<Figure[]> => {
  using stack = new DisposableStack();
  const ports = await startServers(stack, 0);
  const workers = { ours: await startWorker(stack, flags), bare: await startWorker(stack, flags) };
  const loop = (kind: LoopRequest['kind'], work: Work, rate = 0): Contender => ({
    name: kind,
    run: async () => {
      const request: LoopRequest = { kind, work, ports, ms, parallel: PARALLEL, rate };
      return perCpuSecond(await workers[kind].ask<Probed>(request));
    },
  });
  console.log(
    `probes for each second of CPU time on one core, median of ${rounds} rounds of ${ms / 1_000} s`,
  );
  printHead('depth', 'ours', 'other', "other's", 'ours / other');
  const withBare = (name: string, work: Work) =>
    ratioOf(name, loop('ours', work), loop('bare', work), rounds);
  const tunnel = await withBare('tunnel', 'tunnel');
  for (const [work, title] of COMPARED_WORKS) await withBare(`http, ${title}`, work);
  const figures = [figure('probes: CPU time of a tunnel / that of a bare loop', 1 / tunnel, '×', 1.25)];
  if (!isInstalled(BLACKBOX)) {
    console.log(`${BLACKBOX} is not installed`);
    return figures;
  }
  const blackbox = await startBlackbox(stack, ports);
  for (const [work, title] of COMPARED_WORKS)
    for (const rate of RATES) {
      const name = `http, ${title}${rate > 0 ? `, ${rate} a second` : ''}`;
      const other = { name: BLACKBOX, run: () => blackbox(rate, ms) };
      const ratio = await ratioOf(name, loop('ours', work, rate), other, rounds);
      // A loop on node:tls without any limits and counts shows what is possible.
      await ratioOf(`bare loop: ${name}`, loop('bare', work, rate), other, rounds);
      figures.push(figure(`probes: CPU time at depth ${name} / that of ${BLACKBOX}`, 1 / ratio, '×', 0.5));
    }
  return figures;
};

const perCpuSecond = ({ probes, cpuMs }: Pick<Probed, 'probes' | 'cpuMs'>): number =>
  (1_000 * probes) / cpuMs;

const ratioOf = async (work: string, ours: Contender, other: Contender, rounds: number): Promise<number> => {
  const results = await inTurns({ ours: ours.run, other: other.run }, rounds, WARM_UPS);
  const [mine, its] = [results.get('ours') ?? [], results.get('other') ?? []];
  const ratio = medianRatio(mine, its, (perSecond) => perSecond);
  printRow(work, median(mine).toFixed(0), other.name, median(its).toFixed(0), ratio.toFixed(2));
  return ratio;
};

const BLACKBOX = 'prometheus-blackbox-exporter';
const CA_FILE = join(ROOT, 'test/fixtures/probe-certificates/target-ca.pem');
/** Keeps one core busy without a long queue. */
const SCRAPES_AT_ONCE = 20;

/**
 * Starts blackbox_exporter with its HTTP prober and a proxy. Returns a function that asks it for probes as scrapes do, and
 * returns the probes for each second of CPU time.
 */
const startBlackbox = async (stack: DisposableStack, ports: ServerPorts) => {
  const config = `${stack.use(temporaryFolder()).path}/blackbox.yml`;
  const http = {
    proxy_url: `http://bench:password@127.0.0.1:${ports.proxy}`,
    ...{ tls_config: { ca_file: CA_FILE }, preferred_ip_protocol: 'ip4' },
  };
  writeFileSync(config, JSON.stringify({ modules: { probe: { prober: 'http', timeout: '10s', http } } }));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [`--config.file=${config}`, `--web.listen-address=${address}`, '--log.level=error'];
  // One core, as the others.
  const env = { GOMAXPROCS: '1' };
  const program = stack.use(new Measured(BLACKBOX, args, { core: MEASURED_CORE, env }));
  await answers(`http://${address}/-/healthy`);
  const agent = stack.adopt(new Agent({ keepAlive: true }), (it) => it.destroy());
  const url = `http://${address}/probe?module=probe&target=https://localhost:${ports.target}/`;
  const probe = async (): Promise<void> => {
    const answer = await new Promise<string>((resolve, reject) => {
      get(url, { agent }, (response) => resolve(text(response))).on('error', reject);
    });
    if (!/^probe_success 1$/m.test(answer)) throw new Error(`${BLACKBOX}: a probe failed`);
  };
  return async (rate: number, ms: number): Promise<number> => {
    const cpuMs = program.cpuMs;
    const probes = await (rate > 0 ? probeAt(rate, ms, probe) : probeAll(ms, probe));
    return perCpuSecond({ probes, cpuMs: program.cpuMs - cpuMs });
  };
};

const probeAt = async (rate: number, ms: number, probe: () => Promise<void>): Promise<number> => {
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  for (let n = 0; (1_000 * n) / rate < ms; n += 1) {
    await setTimeout(Math.max(0, (1_000 * n) / rate - (performance.now() - startedAt)));
    running.push(probe());
  }
  await Promise.all(running);
  return running.length;
};

const probeAll = async (ms: number, probe: () => Promise<void>): Promise<number> => {
  const endsAt = performance.now() + ms;
  let probes = 0;
  const turn = async (): Promise<void> => {
    for (; performance.now() < endsAt; probes += 1) await probe();
  };
  await Promise.all(Array.from({ length: SCRAPES_AT_ONCE }, turn));
  return probes;
};

const measurePace = async (ms: number, flags: readonly string[]): Promise<Figure[]> => {
  using stack = new DisposableStack();
  const ports = await startServers(stack, PROXY_MS);
  const worker = await startWorker(stack, flags);
  const proxies = 10_000;
  const request: PaceRequest = { ports, proxies, roundMs: ROUND_MS, ms, parallel: MOST_PROBES_AT_ONCE };
  const { probes, cpuMs, wallMs, loopDelayP99Ms, rssBytes, mostSockets } = await worker.ask<Paced>(request);
  console.log(
    `\n${proxies} proxies × 2 urls every 5 minutes: ${probes} probes, ${((1_000 * probes) / wallMs).toFixed(1)} a second, ` +
      `${((100 * cpuMs) / wallMs).toFixed(0)}% of a core, ${inMb(rssBytes)}, at most ${mostSockets} sockets`,
  );
  const name = `probes of ${proxies} proxies every 5 minutes`;
  return [
    figure(`${name}: delay of the event loop, p99`, loopDelayP99Ms, 'ms', 20),
    figure(`${name}: highest RSS`, rssBytes / 1e6, 'MB', 200),
    figure(`${name}: sockets at once / parallel`, mostSockets / MOST_PROBES_AT_ONCE, '×', 1),
  ];
};
