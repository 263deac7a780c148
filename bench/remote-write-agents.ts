// Starts programs that scrape a target and send the samples by remote write: Prometheus as an agent, and vmagent.

import { type ChildProcess, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, cpuMsOf, freePort } from './daemon-process.ts';
import { MEASURED_CORE, startPinned } from './pinned.ts';
import { INSTANCE, JOB } from './remote-write-series.ts';

export interface RemoteWriteAgent extends Disposable {
  readonly cpuMs: number;
  pause(): void;
  resume(): void;
}

type ArgsOf = (folder: string, address: string, port: number, batch: number) => readonly string[];

const writeConfig = (folder: string, port: number, remoteWrite: object): string => {
  const file = join(folder, 'scrape.yml');
  const labels = { instance: INSTANCE };
  const job = { job_name: JOB, static_configs: [{ targets: [`127.0.0.1:${port}`], labels }] };
  const global = { scrape_interval: '1s', scrape_timeout: '1s' };
  writeFileSync(file, JSON.stringify({ global, scrape_configs: [job], ...remoteWrite }));
  return file;
};

const prometheus: ArgsOf = (folder, address, port, batch) => {
  const queue = { max_shards: 1, max_samples_per_send: batch, capacity: 10 * batch };
  const remote_write = [{ url: `http://127.0.0.1:${port}/prometheus`, queue_config: queue }];
  return [
    ...['--enable-feature=agent', `--config.file=${writeConfig(folder, port, { remote_write })}`],
    ...[`--storage.agent.path=${folder}`, `--web.listen-address=${address}`, '--log.level=error'],
  ];
};

const vmagent: ArgsOf = (folder, address, port) => [
  ...[`-promscrape.config=${writeConfig(folder, port, {})}`, `-remoteWrite.tmpDataPath=${folder}`],
  ...[`-remoteWrite.url=http://127.0.0.1:${port}/vmagent`, '-remoteWrite.queues=1'],
  ...[`-httpListenAddr=${address}`, '-loggerLevel=ERROR'],
];

export const AGENTS: Readonly<Record<string, ArgsOf>> = { prometheus, vmagent };

/** Returns undefined if the program is not installed. */
export const startAgent = async (
  name: string,
  folder: string,
  port: number,
  batch: number,
): Promise<RemoteWriteAgent | undefined> => {
  if (spawnSync('which', [name]).status !== 0) return undefined;
  const address = `127.0.0.1:${await freePort()}`;
  const args = AGENTS[name]?.(folder, address, port, batch) ?? [];
  const child = startPinned(MEASURED_CORE, [name, ...args], 'ignore', { GOMAXPROCS: '1' });
  await answers(`http://${address}/`);
  return measured(child);
};

const measured = (child: ChildProcess): RemoteWriteAgent => ({
  get cpuMs() {
    return cpuMsOf(child);
  },
  pause: () => void child.kill('SIGSTOP'),
  resume: () => void child.kill('SIGCONT'),
  [Symbol.dispose]: () => void child.kill('SIGKILL'),
});
