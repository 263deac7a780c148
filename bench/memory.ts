// Measures the memory of whole processes (Linux): the daemon, the demo, and what there is to compare them with.

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  answers,
  build,
  freePort,
  inMb,
  Measured,
  ROOT,
  scrape,
  startProgram,
  startProvider,
  temporaryFolder,
  writeConfig,
} from './daemon-process.ts';

const SCRAPE_EVERY_MS = 15_000;
/** What the import of these modules loads is not needed by `run`. */
const NOT_IN_RUN = ['program', 'worker-thread', 'simulator', 'demo', 'doctor', 'reconcile'];

/** Options: `--minutes` (10; 60 shows the memory an hour later) and `--users` (100000). */
export const memory = async (args: readonly string[]): Promise<void> => {
  const options = {
    minutes: { type: 'string', default: '10' },
    users: { type: 'string', default: '100000' },
  } as const;
  const { minutes, users } = parseArgs({ args: [...args], options }).values;
  const spanMs = Number(minutes) * 60_000;
  build();
  console.log('| process | highest RSS | RSS at the end | share of a core at the end |\n|---|---|---|---|');
  const imports = await importsOnly();
  report('only imports the same modules', imports, imports, 0);
  await blackboxExporter();
  const small = await daemon({}, {}, spanMs);
  console.log(`\nRSS at the end / imports: ${(small / imports).toFixed(2)} (goal: at most 1.25)`);
  await demo(spanMs);
  const many = { scenario: { users: Number(users), pace: null }, account: { requests_per_second: 1_000 } };
  await daemon(many.scenario, many.account, Math.min(spanMs, 10 * 60_000), `daemon, ${users} users`);
};

const daemon = async (
  scenario: object,
  account: object,
  spanMs: number,
  name = 'daemon, small account',
): Promise<number> => {
  using folder = temporaryFolder();
  using provider = await startProvider(folder.path, scenario);
  const { config, address } = await writeConfig(folder.path, provider.url, account);
  using program = startProgram('run', '--config', config);
  return observe(name, program, address, spanMs);
};

const demo = async (spanMs: number): Promise<void> => {
  const address = `127.0.0.1:${await freePort()}`;
  using program = startProgram('demo', '--listen', address);
  await observe('demo, with the simulated provider', program, address, spanMs);
};

/** The process with the smallest job of its kind, if it is installed. */
const blackboxExporter = async (): Promise<void> => {
  const name = 'prometheus-blackbox-exporter';
  if (spawnSync('which', [name]).status !== 0) return console.log(`| ${name} is not installed | | | |`);
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [
    '--config.file=/etc/prometheus/blackbox.yml',
    `--web.listen-address=${address}`,
    '--log.level=error',
  ];
  using program = new Measured(name, flags);
  await observe(name, program, address, 2 * SCRAPE_EVERY_MS);
};

/** Scrapes for the span, prints a row and returns the RSS at the end. */
const observe = async (name: string, program: Measured, address: string, spanMs: number): Promise<number> => {
  await answers(`http://${address}/metrics`);
  const scrapes = Math.ceil(spanMs / SCRAPE_EVERY_MS);
  let [cpuMs, halfAt] = [0, 0];
  for (let n = 0; n < scrapes; n += 1) {
    if (n === scrapes >> 1) [cpuMs, halfAt] = [program.cpuMs, performance.now()];
    await setTimeout(SCRAPE_EVERY_MS);
    await scrape(address);
  }
  const { rss, peak } = program.memory;
  report(name, peak, rss, (program.cpuMs - cpuMs) / (performance.now() - halfAt));
  return rss;
};

const importsOnly = async (): Promise<number> => {
  const files = globSync(join(ROOT, 'dist/chunks/*.js')).filter(
    (file) => !NOT_IN_RUN.includes(basename(file, '.js')),
  );
  const code = `import ${JSON.stringify(join(ROOT, 'dist/low-memory.cjs'))};
    for (const file of ${JSON.stringify(files)}) await import(file);
    setInterval(() => {}, 1e6);`;
  using program = new Measured(process.execPath, ['--input-type=module', '-e', code]);
  await setTimeout(5_000);
  return program.memory.rss;
};

const report = (name: string, peak: number, rss: number, share: number): void =>
  console.log(`| ${name} | ${inMb(peak)} | ${inMb(rss)} | ${(100 * share).toFixed(2)}% |`);
