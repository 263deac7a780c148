// Measures whole daemons (Linux): their memory, their start, and how their cost grows. Others are there to compare them with.

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DAY, HOUR, MINUTE } from '../src/lib/time.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { fillGraph, graphOf } from './data.ts';
import {
  type Bench,
  figure,
  inMb,
  inMs,
  median,
  optionsOf,
  printHead,
  printRow,
  temporaryFolder,
} from './harness.ts';
import {
  answers,
  build,
  freePort,
  isInstalled,
  Measured,
  type Memory,
  ROOT,
  startProgram,
  startProvider,
  writeConfig,
} from './processes.ts';

const SCRAPE_EVERY_MS = 15_000;
const BLACKBOX = 'prometheus-blackbox-exporter';

/** Options: `--minutes` (10; 60 shows the memory an hour later) and `--users` (100000). */
export const memory: Bench = async (args) => {
  const { minutes, users } = optionsOf(args, { minutes: 10, users: 100_000 });
  const spanMs = minutes * MINUTE;
  build();
  printHead('process', 'highest RSS', 'RSS at the end', 'share of a core at the end');
  const imports = await importsOnly();
  await blackboxExporter();
  const many = { users, pace: null };
  // They run at the same time, because each of them is idle most of the time.
  const [small, withSimulator, large] = await Promise.all([
    daemon('daemon, small account', spanMs),
    demo(spanMs),
    daemon(`daemon, ${users} users`, spanMs, many, { requests_per_second: 1_000 }),
  ]);
  const relative = 'memory at the end / a process that only imports the same modules';
  return [
    figure('highest memory, small account', small.peak / 1e6, 'MB', 128),
    figure(relative, small.rss / imports.rss, '×', 1.25),
    figure('highest memory of the demo', withSimulator.peak / 1e6, 'MB', 220),
    figure(`highest memory, ${users} users`, large.peak / 1e6, 'MB', 250),
    figure('share of one core on a quiet day, small account', 100 * small.share, '%', 0.5),
  ];
};

/** RSS in bytes, and the share of one core during the second half of the time. */
interface Usage extends Memory {
  readonly share: number;
}

const daemon = async (name: string, spanMs: number, scenario = {}, account = {}): Promise<Usage> => {
  using folder = temporaryFolder();
  using provider = await startProvider(folder.path, scenario);
  const { config, address } = await writeConfig(folder.path, [provider.url], account);
  using program = startProgram('run', '--config', config);
  return await observe(name, program, address, spanMs);
};

const demo = async (spanMs: number): Promise<Usage> => {
  const address = `127.0.0.1:${await freePort()}`;
  using program = startProgram('demo', '--listen', address);
  return await observe('demo, with the simulated provider', program, address, spanMs);
};

/** The process with the smallest job of its kind. */
const blackboxExporter = async (): Promise<void> => {
  if (!isInstalled(BLACKBOX)) return printRow(`${BLACKBOX} is not installed`, '', '', '');
  const address = `127.0.0.1:${await freePort()}`;
  const config = '--config.file=/etc/prometheus/blackbox.yml';
  using program = new Measured(BLACKBOX, [config, `--web.listen-address=${address}`, '--log.level=error']);
  await observe(BLACKBOX, program, address, 2 * SCRAPE_EVERY_MS);
};

/** Scrapes for the span, and prints a row. */
const observe = async (name: string, program: Measured, address: string, spanMs: number): Promise<Usage> => {
  await answers(`http://${address}/metrics`);
  const scrapes = Math.ceil(spanMs / SCRAPE_EVERY_MS);
  let [cpuMs, halfAt] = [0, 0];
  for (let n = 0; n < scrapes; n += 1) {
    if (n === scrapes >> 1) [cpuMs, halfAt] = [program.cpuMs, performance.now()];
    await setTimeout(SCRAPE_EVERY_MS);
    await answers(`http://${address}/metrics`);
  }
  return report(name, { ...program.memory, share: (program.cpuMs - cpuMs) / (performance.now() - halfAt) });
};

const importsOnly = async (): Promise<Usage> => {
  const code = `import ${JSON.stringify(join(ROOT, 'dist/low-memory.cjs'))};
    await import(${JSON.stringify(join(ROOT, 'dist/chunks/run.js'))});
    setInterval(() => {}, 1e6);`;
  using program = new Measured(process.execPath, ['--input-type=module', '-e', code]);
  await setTimeout(5_000);
  return report('only imports the same modules', { ...program.memory, share: 0 });
};

const report = (name: string, usage: Usage): Usage => {
  printRow(name, inMb(usage.peak), inMb(usage.rss), `${(100 * usage.share).toFixed(2)}%`);
  return usage;
};

const START_ROUNDS = 7;

/** Measures the time to the first answer: of a daemon whose store holds a year, and of the demo. */
export const start: Bench = async () => {
  using folder = temporaryFolder();
  build();
  using provider = await startProvider(folder.path, {});
  const { config, address, store } = await writeConfig(folder.path, [provider.url]);
  await fillYear(store);
  const timesMs: number[] = [];
  for (let round = 0; round < START_ROUNDS; round += 1) {
    using program = startProgram('run', '--config', config);
    timesMs.push(await answers(`http://${address}/-/healthy`));
    if (round === 0) await setTimeout(10_000);
    console.log(`${inMs(timesMs.at(-1) ?? 0)}, RSS ${inMb(program.memory.rss)}`);
    await program.killed();
  }
  // Before it answers, the demo reads the simulated provider's past three days.
  const demoAddress = `127.0.0.1:${await freePort()}`;
  using _demo = startProgram('demo', '--listen', demoAddress);
  const demoMs = await answers(`http://${demoAddress}/metrics`);
  const first = 'process start to the first answer of';
  return [
    figure(`${first} /-/healthy, with the store of a year`, median(timesMs), 'ms', 1_000),
    figure(`${first} the demo`, demoMs, 'ms', 10_000),
  ];
};

/** Stores a year of hours of five graphs, for an account that the daemon does not poll, so that no setting differs from them. */
const fillYear = async (path: string): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0 });
  const now = Date.now() - (Date.now() % DAY);
  for (const name of ['all', 'datacenter', 'isp', 'residential', 'mobile']) {
    const graph = graphOf(name, { account: 'earlier', requestFormat: '', bucketMs: HOUR });
    await fillGraph(store, graph, { from: now - 365 * DAY, days: 365, now });
  }
  console.log(`store: ${inMb(store.size().bytes)}`);
};
