// Compares remote write with Prometheus as an agent, with vmagent, and with a bare loop that encodes and sends.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  type Bench,
  type Contenders,
  figure,
  inTurns,
  median,
  optionsOf,
  printHead,
  printRow,
  ratioOf,
  temporaryFolder,
} from './harness.ts';
import {
  answers,
  DAEMON_FLAGS,
  freePort,
  isInstalled,
  MEASURED_CORE,
  Measured,
  OTHER_CORE,
  startScript,
} from './processes.ts';
import type { Received } from './remote-write-servers.ts';
import { INSTANCE, JOB, type SendRequest } from './remote-write-worker.ts';

/** The largest batch of the daemon. */
const BATCH = 5_000;

interface Round {
  readonly perCpuSecond: number;
  readonly bytesPerSample: number;
}

/** Options: `--rounds` (5), `--seconds` of each measurement (5), and `--series` (20000), of which agents scrape all once a second. */
export const remoteWrite: Bench = async (args) => {
  const { rounds, seconds, series } = optionsOf(args, { rounds: 5, seconds: 5, series: 20_000 });
  const ms = 1_000 * seconds;
  using stack = new DisposableStack();
  const servers = stack.use(startScript('remote-write-servers.ts', [String(series)], { core: OTHER_CORE }));
  const port = await servers.message<number>();
  const contenders: Record<string, () => Promise<Round>> = {};
  const add = (name: string, cpuMs: () => Promise<number>): void => {
    contenders[name] = () => roundOf(servers, `/${name}`, cpuMs);
  };
  for (const kind of ['ours', 'bare'] as const) {
    const options = { core: MEASURED_CORE, flags: DAEMON_FLAGS };
    const worker = stack.use(startScript('remote-write-worker.ts', [], options));
    await worker.message();
    const request: SendRequest = { kind, url: `http://127.0.0.1:${port}/${kind}`, series, batch: BATCH, ms };
    add(kind, () => worker.ask<number>(request));
  }
  for (const [name, argsOf] of Object.entries(AGENTS))
    if (isInstalled(name)) {
      const agent = stack.use(await startAgent(name, argsOf(stack.use(temporaryFolder()).path, port)));
      add(name, () => cpuMsDuring(agent, ms));
    } else console.log(`${name} is not installed`);
  return await compare(contenders, rounds);
};

type ArgsOf = (folder: string, port: number) => (address: string) => readonly string[];

const writeScrapeConfig = (folder: string, port: number, remoteWrite: object): string => {
  const file = join(folder, 'scrape.yml');
  const labels = { instance: INSTANCE };
  const job = { job_name: JOB, static_configs: [{ targets: [`127.0.0.1:${port}`], labels }] };
  const global = { scrape_interval: '1s', scrape_timeout: '1s' };
  writeFileSync(file, JSON.stringify({ global, scrape_configs: [job], ...remoteWrite }));
  return file;
};

const prometheus: ArgsOf = (folder, port) => {
  const queue = { max_shards: 1, max_samples_per_send: BATCH, capacity: 10 * BATCH };
  const remote_write = [{ url: `http://127.0.0.1:${port}/prometheus`, queue_config: queue }];
  const config = writeScrapeConfig(folder, port, { remote_write });
  return (address) => [
    ...['--enable-feature=agent', `--config.file=${config}`, `--storage.agent.path=${folder}`],
    ...[`--web.listen-address=${address}`, '--log.level=error'],
  ];
};

const vmagent: ArgsOf = (folder, port) => (address) => [
  ...[`-promscrape.config=${writeScrapeConfig(folder, port, {})}`, `-remoteWrite.tmpDataPath=${folder}`],
  ...[`-remoteWrite.url=http://127.0.0.1:${port}/vmagent`, '-remoteWrite.queues=1'],
  ...[`-httpListenAddr=${address}`, '-loggerLevel=ERROR'],
];

const AGENTS: Readonly<Record<string, ArgsOf>> = { prometheus, vmagent };

/** Starts a program that scrapes a target and sends the samples by remote write. It is paused between its turns. */
const startAgent = async (
  name: string,
  argsFor: (address: string) => readonly string[],
): Promise<Measured> => {
  const address = `127.0.0.1:${await freePort()}`;
  const agent = new Measured(name, argsFor(address), { core: MEASURED_CORE, env: { GOMAXPROCS: '1' } });
  await answers(`http://${address}/`);
  agent.child.kill('SIGSTOP');
  return agent;
};

const cpuMsDuring = async (agent: Measured, ms: number): Promise<number> => {
  const before = agent.cpuMs;
  agent.child.kill('SIGCONT');
  await setTimeout(ms);
  agent.child.kill('SIGSTOP');
  return agent.cpuMs - before;
};

const roundOf = async (servers: Measured, path: string, work: () => Promise<number>): Promise<Round> => {
  const before = await servers.ask<Received>({ path });
  const cpuMs = await work();
  const after = await servers.ask<Received>({ path });
  const samples = after.samples - before.samples;
  return {
    perCpuSecond: (1_000 * samples) / cpuMs,
    bytesPerSample: (after.bytes - before.bytes) / samples,
  };
};

const compare = async (contenders: Contenders<Round>, rounds: number) => {
  const results = await inTurns(contenders, rounds);
  printHead('sender', 'samples for each second of CPU time', 'bytes of a sample', 'ours / this');
  const ours = results.get('ours') ?? [];
  return [...results].flatMap(([name, its]) => {
    const speed = ratioOf(ours, its, ({ perCpuSecond }) => perCpuSecond);
    const bytes = ratioOf(ours, its, ({ bytesPerSample }) => bytesPerSample);
    const middle = (key: keyof Round, digits: number) => median(its.map((it) => it[key])).toFixed(digits);
    printRow(name, middle('perCpuSecond', 0), middle('bytesPerSample', 1), speed.toFixed(2));
    if (name === 'ours') return [];
    return [
      figure(`remote write: CPU time of a sample / that of ${name}`, 1 / speed, '×', 1),
      figure(`remote write: bytes of a sample / those of ${name}`, bytes, '×', 1),
    ];
  });
};
