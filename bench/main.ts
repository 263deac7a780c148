// Runs the named benchmark, or all without a name: node bench/main.ts [name] [--option value …]

import { type Bench, type Figure, printFigures } from './harness.ts';

/** Each is loaded when it runs, so that it measures the memory of its own modules. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  alerts: async () => (await import('./alerts.ts')).alerts,
  answers: async () => (await import('./answers.ts')).answers,
  api: async () => (await import('./lists.ts')).api,
  blocks: async () => (await import('./blocks.ts')).blocks,
  exposition: async () => (await import('./exposition.ts')).exposition,
  failover: async () => (await import('./failover.ts')).failover,
  growth: async () => (await import('./growth.ts')).growth,
  maintenance: async () => (await import('./blocks.ts')).maintenance,
  memory: async () => (await import('./daemons.ts')).memory,
  page: async () => (await import('./lists.ts')).page,
  poll: async () => (await import('./poll.ts')).poll,
  probes: async () => (await import('./probes.ts')).probes,
  'remote-write': async () => (await import('./remote-write.ts')).remoteWrite,
  scale: async () => (await import('./scale.ts')).scale,
  start: async () => (await import('./daemons.ts')).start,
  store: async () => (await import('./store.ts')).store,
  'user-use': async () => (await import('./user-use.ts')).userUse,
};

const [first = '', ...rest] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('--');
const figures: Figure[] = [];
for (const name of isNamed ? [first] : Object.keys(BENCHES)) {
  const load = BENCHES[name];
  if (!load) throw new Error(`No bench is named ${name}; there are: ${Object.keys(BENCHES).join(', ')}`);
  console.log(`# ${name}`);
  const bench = await load();
  figures.push(...((await bench(isNamed ? rest : process.argv.slice(2))) ?? []));
}
if (figures.length > 0) printFigures(figures);
