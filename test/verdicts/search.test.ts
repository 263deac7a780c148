// Shows that the search would find a wrong culprit. search.long.test.ts plays hundreds of worlds, which each submission has to pass.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { mistakesIn } from './oracle.ts';
import { DEAD_PROXY, mistakesAboutDeadProxy } from './planted.ts';
import type { Said } from './play.ts';
import { textOf } from './search.ts';
import { type Simulation, startSimulation } from './simulation.ts';

const NOTHING_SAID: Said = { at: 1_200_000, tests: [], here: [], inconclusive: [], isLineDown: false };

let simulation: Simulation;
beforeAll(async () => {
  simulation = await startSimulation();
});
afterAll(() => simulation[Symbol.asyncDispose]());

test('a truth that the oracle does not know is a mistake, whose text has the world', async () => {
  const mistakes = await mistakesAboutDeadProxy(simulation);
  expect(mistakes.known).toEqual([]);
  const found = new Set(mistakes.hidden.map(({ text }) => text.split(':')[0]));
  expect(found).toEqual(new Set(['tests proxy p0', 'here proxy p0']));
  const [json = '', ...lines] = textOf(DEAD_PROXY, mistakes.hidden).split('\n');
  expect(JSON.parse(json)).toEqual(DEAD_PROXY);
  expect(lines).toContainEqual(expect.stringMatching(/^ {4}tests proxy p0: 4 of 4 tests fail/));
});

test.each([
  ['proxy', 'p0', 0],
  ['proxy', 'p1', 1],
  ['target', 't0', 1],
  ['tester', 'tester-0', 1],
  ['provider', '', 1],
] as const)(
  'while p0 is down, a fault of kind %s of “%s” is judged as %i mistakes',
  (kind, subject, count) => {
    const fault = { kind, subject, since: 0, reason: '' };
    expect(mistakesIn(DEAD_PROXY, { ...NOTHING_SAID, tests: [fault] })).toHaveLength(count);
  },
);

test('a line that works and is said to be down is a mistake', () => {
  expect(mistakesIn(DEAD_PROXY, { ...NOTHING_SAID, isLineDown: true })).toHaveLength(1);
});
