// Compares probes with those of prometheus-blackbox-exporter and a bare loop, and paces probes of 10,000 proxies.

import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inMb, temporaryFolder } from './daemon-process.ts';
import { type Figure, median } from './figure.ts';
import { ask, MEASURED_CORE, messageOf, OTHER_CORE, startScript } from './pinned.ts';
import { BLACKBOX, type Blackbox, isBlackboxInstalled, startBlackbox } from './probe-blackbox.ts';
import type { PaceRequest, PaceResult } from './probe-pace.ts';
import type { ServerPorts } from './probe-servers.ts';
import type { LoopRequest, LoopResult, Work } from './probe-worker.ts';

const PARALLEL = 50;
const MOST_PROBES_AT_ONCE = 50;
/** As `proxywatch run` starts itself. */
const FLAGS = [
  ...['-r', fileURLToPath(new URL('../src/low-memory.cjs', import.meta.url))],
  '--max-semi-space-size=1',
];
const ROUND_MS = 300_000;
/** An answer of a real proxy takes this long. */
const PROXY_MS = 200;

interface Contender {
  readonly name: string;
  /** Returns probes for each second of CPU time. */
  readonly run: () => Promise<number>;
}

/** Options: `--rounds` (5), `--seconds` of each measurement (3), `--pace-seconds` (60), `--quick`, `--no-flags` of the daemon. */
export const probes = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const options = {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    'pace-seconds': { type: 'string', default: '60' },
    quick: { type: 'boolean', default: false },
    'no-flags': { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const { rounds, seconds, pace } = values.quick
    ? { rounds: 2, seconds: 1, pace: 5 }
    : {
        rounds: Number(values.rounds),
        seconds: Number(values.seconds),
        pace: Number(values['pace-seconds']),
      };
  const flags = values['no-flags'] ? [] : FLAGS;
  return [...(await compare(rounds, 1_000 * seconds, flags)), ...(await measurePace(1_000 * pace, flags))];
};

const startServers = async (answerAfterMs: number) => {
  const process = startScript(OTHER_CORE, 'probe-servers.ts', [String(answerAfterMs)]);
  const ports = await messageOf<ServerPorts>(process);
  return { ports, [Symbol.dispose]: () => void process.kill('SIGKILL') };
};

const startWorker = async (flags: readonly string[]) => {
  const process = startScript(MEASURED_CORE, 'probe-worker.ts', [], flags);
  await messageOf(process);
  return { process, [Symbol.dispose]: () => void process.kill('SIGKILL') };
};

/** blackbox_exporter never resumes a session. */
const COMPARED_WORKS = { http: 'full handshake', resumed: 'resumed session' };

/**
 * Scrapes a second in the comparisons with blackbox_exporter: as many as one core makes (0), and somewhat more than 10,000
 * proxies with 2 urls need every 5 minutes. At the low rate, each probe of every program takes twice the CPU time.
 */
const RATES = [0, 100];
/** Keeps one core busy without a long queue. */
const SCRAPES_AT_ONCE = 20;

const compare = async (rounds: number, ms: number, flags: readonly string[]): Promise<Figure[]> => {
  using servers = await startServers(0);
  using ours = await startWorker(flags);
  using bare = await startWorker(flags);
  using folder = temporaryFolder();
  const { ports } = servers;
  const loop = (name: string, worker: ChildProcess, work: Work, rate = 0): Contender => ({
    name,
    run: async () => {
      const kind = name === 'bare' ? 'bare' : 'ours';
      const request: LoopRequest = { kind, work, ports, ms, parallel: PARALLEL, rate };
      return perCpuSecond(await ask<LoopResult>(worker, request));
    },
  });
  const sides = (work: Work) => [loop('ours', ours.process, work), loop('bare', bare.process, work)];
  console.log(
    `probes for each second of CPU time on one core, median of ${rounds} rounds of ${ms / 1_000} s`,
  );
  console.log("| depth | ours | other | other's | ours / other |\n|---|---|---|---|---|");
  const tunnel = await ratioOf('tunnel', sides('tunnel'), rounds);
  await ratioOf('http, full handshake', sides('http'), rounds);
  await ratioOf('http, resumed session', sides('resumed'), rounds);
  const figures = [
    { what: 'probes: CPU time of a tunnel / that of a bare loop', value: 1 / tunnel, unit: '×', goal: 1.25 },
  ] as Figure[];
  if (!isBlackboxInstalled()) console.log(`${BLACKBOX} is not installed`);
  else {
    using blackbox = await startBlackbox(folder.path, ports);
    const compared = Object.entries(COMPARED_WORKS).flatMap(([work, title]) =>
      RATES.map((rate) => ({ work: work as Work, title, rate })),
    );
    for (const { work, title, rate } of compared) {
      const name = `http, ${title}${rate > 0 ? `, ${rate} a second` : ''}`;
      const other = scraped(blackbox, rate, ms);
      const ratio = await ratioOf(name, [loop('ours', ours.process, work, rate), other], rounds);
      // A loop on node:tls without any limits and counts shows what is possible.
      await ratioOf(`bare loop: ${name}`, [loop('bare', bare.process, work, rate), other], rounds);
      const what = `probes: CPU time at depth ${name} / that of ${BLACKBOX}`;
      figures.push({ what, value: 1 / ratio, unit: '×', goal: 0.5 });
    }
  }
  return figures;
};

const perCpuSecond = ({ probes, cpuMs }: Pick<LoopResult, 'probes' | 'cpuMs'>): number =>
  (1_000 * probes) / cpuMs;

const scraped = (blackbox: Blackbox, rate: number, ms: number): Contender => ({
  name: BLACKBOX,
  run: async () => {
    const cpuMs = blackbox.cpuMs;
    const probes = await (rate > 0 ? scrapeAt(rate, blackbox, ms) : scrapeAll(blackbox, ms));
    return perCpuSecond({ probes, cpuMs: blackbox.cpuMs - cpuMs });
  },
});

const scrapeAt = async (rate: number, blackbox: Blackbox, ms: number): Promise<number> => {
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  for (let n = 0; (1_000 * n) / rate < ms; n += 1) {
    await setTimeout(Math.max(0, (1_000 * n) / rate - (performance.now() - startedAt)));
    running.push(blackbox.probe());
  }
  await Promise.all(running);
  return running.length;
};

const scrapeAll = async (blackbox: Blackbox, ms: number): Promise<number> => {
  const endsAt = performance.now() + ms;
  let probes = 0;
  const scrape = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      await blackbox.probe();
      probes += 1;
    }
  };
  await Promise.all(Array.from({ length: SCRAPES_AT_ONCE }, scrape));
  return probes;
};

/** The contenders take turns, so that a change of the machine's speed hits both. The first two rounds are a warm-up. */
const ratioOf = async (
  work: string,
  [ours, other]: readonly Contender[],
  rounds: number,
): Promise<number> => {
  const results: { ours: number; other: number }[] = [];
  for (let round = -2; round < rounds; round += 1) {
    const result = { ours: (await ours?.run()) ?? 0, other: (await other?.run()) ?? 0 };
    if (round >= 0) results.push(result);
  }
  const ratio = median(results.map((result) => result.ours / result.other));
  const [mine, its] = [median(results.map((it) => it.ours)), median(results.map((it) => it.other))];
  console.log(`| ${work} | ${mine.toFixed(0)} | ${other?.name} | ${its.toFixed(0)} | ${ratio.toFixed(2)} |`);
  return ratio;
};

const measurePace = async (ms: number, flags: readonly string[]): Promise<Figure[]> => {
  using servers = await startServers(PROXY_MS);
  using worker = await startWorker(flags);
  const proxies = 10_000;
  const request: PaceRequest = {
    ...{ ports: servers.ports, proxies, roundMs: ROUND_MS, ms, parallel: MOST_PROBES_AT_ONCE },
  };
  const result = await ask<PaceResult>(worker.process, request);
  const rate = (1_000 * result.probes) / result.wallMs;
  const share = (100 * result.cpuMs) / result.wallMs;
  console.log(
    `\n${proxies} proxies × 2 urls every 5 minutes: ${result.probes} probes, ${rate.toFixed(1)} a second, ` +
      `${share.toFixed(0)}% of a core, ${inMb(result.rssBytes)}, at most ${result.mostSockets} sockets`,
  );
  const name = `probes of ${proxies} proxies every 5 minutes`;
  return [
    { what: `${name}: delay of the event loop, p99`, value: result.loopDelayP99Ms, unit: 'ms', goal: 20 },
    { what: `${name}: highest RSS`, value: result.rssBytes / 1e6, unit: 'MB', goal: 200 },
    {
      what: `${name}: sockets at once / parallel`,
      value: result.mostSockets / MOST_PROBES_AT_ONCE,
      unit: '×',
      goal: 1,
    },
  ];
};
