// Plays many worlds, and prints the mistakes and the confusion table: `node test/verdicts/many.ts WORLDS SEED`.
import fc from 'fast-check';
import { MINUTE } from '../../src/lib/time.ts';
import type { Mistake } from './oracle.ts';
import { emptyStore, newConfusion, removeStore, search, startSimulation, tableOf } from './search.ts';
import { anyWorld } from './truth.ts';

const [count = '100', seed = '1', most = '20'] = process.argv.slice(2);
const worlds = fc.sample(anyWorld, { seed: Number(seed), numRuns: Number(count) });
const store = await emptyStore();
await using simulation = await startSimulation(store);
const confusion = newConfusion();
const minuteOf = (mistake: Mistake | undefined): number => (mistake?.at ?? 0) / MINUTE;
let wrong = 0;
const started = performance.now();
for (const [index, world] of worlds.entries()) {
  const mistakes = await search(world, simulation, confusion);
  if (mistakes.length === 0) continue;
  wrong += 1;
  if (wrong <= Number(most))
    console.log(
      index,
      JSON.stringify(world),
      '\n   ',
      [
        ...new Set(
          mistakes.map(({ side, fault }) => `${side} ${fault.kind} ${fault.subject}: ${fault.reason}`),
        ),
      ]
        .slice(0, 3)
        .join('\n    '),
      `\n    at ${minuteOf(mistakes[0])}..${minuteOf(mistakes.at(-1))}`,
    );
}
await removeStore(store);
console.log(tableOf(confusion));
console.log(
  `${worlds.length} worlds, ${wrong} with a wrong culprit, ${Math.round((performance.now() - started) / worlds.length)} ms each, cpu ${Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1000 / worlds.length)}`,
);
