// Plays many worlds, and prints the mistakes and the confusion table: `node test/verdicts/many.ts WORLDS SEED`.

import { Confusion } from './confusion.ts';
import { search } from './search.ts';
import { startSimulation } from './simulation.ts';

/** The most worlds that are printed. */
const MOST = 20;

const [worlds, seed] = [Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 1)];
await using simulation = await startSimulation();
const confusion = new Confusion();
const started = performance.now();
let wrong = 0;
for await (const text of search(worlds, seed, simulation, confusion)) {
  wrong += 1;
  if (wrong <= MOST) console.log(text);
}
const msEach = Math.round((performance.now() - started) / worlds);
console.log(`${confusion}\n${worlds} worlds, ${wrong} with a wrong culprit, ${msEach} ms each`);
