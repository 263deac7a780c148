// Compares remote write with Prometheus as an agent, with vmagent, and with a bare loop that encodes and sends.

import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './daemon-process.ts';
import { type Figure, median } from './figure.ts';
import { ask, MEASURED_CORE, messageOf, OTHER_CORE, startScript } from './pinned.ts';
import { AGENTS, startAgent } from './remote-write-agents.ts';
import type { Received } from './remote-write-servers.ts';
import type { SendRequest } from './remote-write-worker.ts';

/** As `proxywatch run` starts itself. */
const FLAGS = [
  ...['-r', fileURLToPath(new URL('../src/low-memory.cjs', import.meta.url))],
  '--max-semi-space-size=1',
];
/** The largest batch of the daemon. */
const BATCH = 5_000;

interface Round {
  readonly perCpuSecond: number;
  readonly bytesPerSample: number;
}

interface Contender {
  readonly name: string;
  readonly run: () => Promise<Round>;
}

/** Options: `--rounds` (5), `--seconds` of each measurement (5), and `--series` (20000), of which agents scrape all once a second. */
export const remoteWrite = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const options = {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    series: { type: 'string', default: '20000' },
  } as const;
  const { rounds, seconds, series } = parseArgs({ args: [...args], options }).values;
  const ms = 1_000 * Number(seconds);
  using stack = new DisposableStack();
  const servers = owned(stack, startScript(OTHER_CORE, 'remote-write-servers.ts', [series]));
  const port = await messageOf<number>(servers);
  const measure = (name: string, work: () => Promise<number>): Contender => ({
    name,
    run: () => roundOf(servers, `/${name}`, work),
  });
  const contenders: Contender[] = [];
  for (const kind of ['ours', 'bare'] as const) {
    const worker = owned(stack, startScript(MEASURED_CORE, 'remote-write-worker.ts', [], FLAGS));
    await messageOf(worker);
    const request: SendRequest = {
      ...{ kind, url: `http://127.0.0.1:${port}/${kind}`, series: Number(series), batch: BATCH, ms },
    };
    contenders.push(measure(kind, async () => (await ask<{ cpuMs: number }>(worker, request)).cpuMs));
  }
  for (const name of Object.keys(AGENTS)) {
    const agent = await startAgent(name, stack.use(temporaryFolder()).path, port, BATCH);
    if (agent) {
      stack.use(agent).pause();
      contenders.push(measure(name, () => cpuMsDuring(agent, ms)));
    } else console.log(`${name} is not installed`);
  }
  return await compare(contenders, Number(rounds));
};

const owned = (stack: DisposableStack, child: ChildProcess): ChildProcess =>
  stack.adopt(child, (process) => process.kill('SIGKILL'));

const cpuMsDuring = async (
  agent: { readonly cpuMs: number; pause(): void; resume(): void },
  ms: number,
): Promise<number> => {
  const before = agent.cpuMs;
  agent.resume();
  await setTimeout(ms);
  agent.pause();
  return agent.cpuMs - before;
};

const roundOf = async (servers: ChildProcess, path: string, work: () => Promise<number>): Promise<Round> => {
  const before = await ask<Received>(servers, { path });
  const cpuMs = await work();
  const after = await ask<Received>(servers, { path });
  const samples = after.samples - before.samples;
  return {
    perCpuSecond: (1_000 * samples) / cpuMs,
    bytesPerSample: (after.bytes - before.bytes) / samples,
  };
};

/** The contenders take turns, so that other load affects all of them. The first round is a warm-up. */
const compare = async (contenders: readonly Contender[], rounds: number): Promise<Figure[]> => {
  const results = new Map<string, Round[]>();
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, run } of contenders) {
      const result = await run();
      if (round > 0) results.set(name, [...(results.get(name) ?? []), result]);
    }
  console.log(
    '| sender | samples for each second of CPU time | bytes of a sample | ours / this |\n|---|---|---|---|',
  );
  const ours = results.get('ours') ?? [];
  return [...results].flatMap(([name, its]) => {
    const ratio = (figure: keyof Round): number =>
      median(ours.map((mine, index) => mine[figure] / (its[index]?.[figure] ?? Number.NaN)));
    const middle = (figure: keyof Round): number => median(its.map((it) => it[figure]));
    const [speed, bytes] = [middle('perCpuSecond').toFixed(0), middle('bytesPerSample').toFixed(1)];
    console.log(`| ${name} | ${speed} | ${bytes} | ${ratio('perCpuSecond').toFixed(2)} |`);
    return name === 'ours' ? [] : figuresOf(name, 1 / ratio('perCpuSecond'), ratio('bytesPerSample'));
  });
};

const figuresOf = (name: string, cpu: number, bytes: number): Figure[] => [
  { what: `remote write: CPU time of a sample / that of ${name}`, value: cpu, unit: '×', goal: 1 },
  { what: `remote write: bytes of a sample / those of ${name}`, value: bytes, unit: '×', goal: 1 },
];
