// Runs the named benchmark, or all without a name: node bench/main.ts [name] [--option value …]

import { alerts } from './alerts.ts';
import { answers } from './answers.ts';
import { blocks } from './blocks.ts';
import { exposition } from './exposition.ts';
import { maintenance } from './maintenance.ts';
import { memory } from './memory.ts';
import { poll } from './poll.ts';
import { start } from './start.ts';
import { store } from './store.ts';

const BENCHES: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  alerts,
  answers,
  blocks,
  exposition,
  maintenance,
  memory,
  poll,
  start,
  store,
};

const [first = '', ...rest] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('--');
const names = isNamed ? [first] : Object.keys(BENCHES);
for (const name of names) {
  const bench = BENCHES[name];
  if (!bench) throw new Error(`No bench is named ${name}; there are: ${Object.keys(BENCHES).join(', ')}`);
  console.log(`# ${name}`);
  await bench(isNamed ? rest : process.argv.slice(2));
}
