// Runs the named benchmark, or all without a name: node bench/main.ts [name] [--option value …]

import { alerts } from './alerts.ts';
import { answers } from './answers.ts';
import { api } from './api.ts';
import { blocks } from './blocks.ts';
import { exposition } from './exposition.ts';
import { failover } from './failover.ts';
import { type Figure, printFigures } from './figure.ts';
import { growth } from './growth.ts';
import { maintenance } from './maintenance.ts';
import { memory } from './memory.ts';
import { page } from './page.ts';
import { poll } from './poll.ts';
import { probes } from './probes.ts';
import { remoteWrite } from './remote-write.ts';
import { scale } from './scale.ts';
import { start } from './start.ts';
import { store } from './store.ts';
import { userUse } from './user-use.ts';

/** Only prints its results, because they have no goals. */
const printing =
  (bench: (args: readonly string[]) => Promise<void>) =>
  async (args: readonly string[]): Promise<readonly Figure[]> => {
    await bench(args);
    return [];
  };

const BENCHES: Readonly<Record<string, (args: readonly string[]) => Promise<readonly Figure[]>>> = {
  alerts: printing(alerts),
  answers,
  api,
  blocks: printing(blocks),
  exposition,
  failover: printing(failover),
  growth,
  maintenance: printing(maintenance),
  memory,
  page,
  poll,
  probes,
  'remote-write': remoteWrite,
  scale,
  start,
  store: printing(store),
  'user-use': printing(userUse),
};

const [first = '', ...rest] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('--');
const names = isNamed ? [first] : Object.keys(BENCHES);
const figures: Figure[] = [];
for (const name of names) {
  const bench = BENCHES[name];
  if (!bench) throw new Error(`No bench is named ${name}; there are: ${Object.keys(BENCHES).join(', ')}`);
  console.log(`# ${name}`);
  figures.push(...(await bench(isNamed ? rest : process.argv.slice(2))));
}
if (figures.length > 0) printFigures(figures);
