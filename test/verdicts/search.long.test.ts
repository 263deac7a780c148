// Plays hundreds of worlds with a fixed seed, or as many as PROXYWATCH_WORLDS says. `node test/verdicts/many.ts` plays more.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Confusion } from './confusion.ts';
import { mistakesOf, search } from './search.ts';
import { type Simulation, startSimulation } from './simulation.ts';
import type { World } from './truth.ts';

const SEED = 1;
const WORLDS = Number(process.env.PROXYWATCH_WORLDS ?? 300);

let simulation: Simulation;
beforeAll(async () => {
  simulation = await startSimulation();
});
afterAll(() => simulation[Symbol.asyncDispose]());

const confusion = new Confusion();

test('no drawn world has a wrong culprit', async () => {
  for await (const text of search(WORLDS, SEED, simulation, confusion)) expect.soft(text).toBe('');
});

test('no world that once had a wrong culprit, or none, has one', async () => {
  const lines = readFileSync(join(import.meta.dirname, 'once-wrong.jsonl'), 'utf8')
    .trim()
    .split('\n');
  for (const world of lines.map((line): World => JSON.parse(line)))
    expect.soft(await mistakesOf(world, simulation, new Confusion())).toEqual([]);
});

// Fewer worlds have too few truths of each kind. test/verdicts/matrix.slow.test.ts says that what lasts is told.
if (WORLDS >= 200) {
  test.each([
    ['dead', 'proxy'],
    ['credentials', 'access'],
    ['password', 'access'],
    ['wrong_here', 'access'],
    ['no_node', 'access'],
    ['policy', 'target'],
    ['blocked', 'target'],
    ['target', 'target'],
  ] as const)(
    'most truths of kind %s that last for one round more than a fault takes have the verdict %s',
    (kind, verdict) => {
      expect(confusion.count(kind, verdict)).toBeGreaterThanOrEqual(confusion.count(kind, 'unknown'));
    },
  );

  test('most faults of testers are told', () => {
    expect(confusion.count('tester', 'tester')).toBeGreaterThan(confusion.count('tester', 'unknown'));
  });
}
