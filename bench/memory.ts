// Measures the memory of whole processes (Linux): the daemon, the demo, and what there is to compare them with.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  answers,
  build,
  freePort,
  inMb,
  Measured,
  type Memory,
  ROOT,
  scrape,
  startProgram,
  startProvider,
  temporaryFolder,
  writeConfig,
} from './daemon-process.ts';
import type { Figure } from './figure.ts';

const SCRAPE_EVERY_MS = 15_000;

/** Options: `--minutes` (10; 60 shows the memory an hour later) and `--users` (100000). */
export const memory = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const options = {
    minutes: { type: 'string', default: '10' },
    users: { type: 'string', default: '100000' },
  } as const;
  const { minutes, users } = parseArgs({ args: [...args], options }).values;
  const spanMs = Number(minutes) * 60_000;
  build();
  console.log('| process | highest RSS | RSS at the end | share of a core at the end |\n|---|---|---|---|');
  const imports = await importsOnly();
  await blackboxExporter();
  const many = { scenario: { users: Number(users), pace: null }, account: { requests_per_second: 1_000 } };
  // They run at the same time, because each of them is idle most of the time.
  const [small, withSimulator, large] = await Promise.all([
    daemon({}, {}, spanMs),
    demo(spanMs),
    daemon(many.scenario, many.account, spanMs, `daemon, ${users} users`),
  ]);
  return [
    { what: 'highest memory, small account', value: small.peak / 1e6, unit: 'MB', goal: 128 },
    {
      what: 'memory at the end / a process that only imports the same modules',
      value: small.rss / imports.rss,
      unit: '×',
      goal: 1.25,
    },
    { what: 'highest memory of the demo', value: withSimulator.peak / 1e6, unit: 'MB', goal: 220 },
    { what: `highest memory, ${users} users`, value: large.peak / 1e6, unit: 'MB', goal: 250 },
    {
      what: 'share of one core on a quiet day, small account',
      value: 100 * small.share,
      unit: '%',
      goal: 0.5,
    },
  ];
};

/** RSS in bytes, and the share of one core during the second half of the time. */
interface Usage extends Memory {
  readonly share: number;
}

const daemon = async (
  scenario: object,
  account: object,
  spanMs: number,
  name = 'daemon, small account',
): Promise<Usage> => {
  using folder = temporaryFolder();
  using provider = await startProvider(folder.path, scenario);
  const { config, address } = await writeConfig(folder.path, provider.url, account);
  using program = startProgram('run', '--config', config);
  return await observe(name, program, address, spanMs);
};

const demo = async (spanMs: number): Promise<Usage> => {
  const address = `127.0.0.1:${await freePort()}`;
  using program = startProgram('demo', '--listen', address);
  return await observe('demo, with the simulated provider', program, address, spanMs);
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

/** Scrapes for the span, and prints a row. */
const observe = async (name: string, program: Measured, address: string, spanMs: number): Promise<Usage> => {
  await answers(`http://${address}/metrics`);
  const scrapes = Math.ceil(spanMs / SCRAPE_EVERY_MS);
  let [cpuMs, halfAt] = [0, 0];
  for (let n = 0; n < scrapes; n += 1) {
    if (n === scrapes >> 1) [cpuMs, halfAt] = [program.cpuMs, performance.now()];
    await setTimeout(SCRAPE_EVERY_MS);
    await scrape(address);
  }
  const share = (program.cpuMs - cpuMs) / (performance.now() - halfAt);
  return report(name, { ...program.memory, share });
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
  console.log(`| ${name} | ${inMb(usage.peak)} | ${inMb(usage.rss)} | ${(100 * usage.share).toFixed(2)}% |`);
  return usage;
};
