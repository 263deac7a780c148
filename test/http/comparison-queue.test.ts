// Tests the queue of passwords without HTTP, where the order of their turns is certain, and the costs of hashes.

import { setImmediate } from 'node:timers/promises';
import { expect, it, test } from 'vitest';
import { ComparisonQueue, describeTimeAt, mostExpensiveOf } from '../../src/http/web-config/basic-auth.ts';
import { HASH, PASSWORD } from './web-config-support.ts';

const ENDLESS = HASH.replace('$04$', '$31$');

it('ends a comparison in its middle when its clients have gone, so that the next one gets its turn', async () => {
  const queue = new ComparisonQueue(3);
  const [one, other] = [new AbortController(), new AbortController()];
  const gone = [one, other].map(({ signal }) => queue.compare('first', 'guess', ENDLESS, signal));
  const right = queue.compare('second', PASSWORD, HASH, new AbortController().signal);
  const wrong = queue.compare('third', 'guess', HASH, new AbortController().signal);
  await setImmediate();
  expect(await queue.compare('fourth', PASSWORD, HASH, new AbortController().signal)).toBe('full');
  one.abort();
  await setImmediate();
  expect(await queue.compare('fourth', PASSWORD, HASH, new AbortController().signal)).toBe('full');
  other.abort();
  expect(await Promise.all([...gone, right, wrong])).toEqual(['dropped', 'dropped', true, false]);
});

it('drops a waiting comparison, and does nothing for a client that has already gone', async () => {
  const queue = new ComparisonQueue(2);
  const [head, waiting] = [new AbortController(), new AbortController()];
  const first = queue.compare('first', 'guess', ENDLESS, head.signal);
  const second = queue.compare('second', PASSWORD, HASH, waiting.signal);
  waiting.abort();
  const third = queue.compare('third', PASSWORD, HASH, new AbortController().signal);
  expect(await queue.compare('fourth', PASSWORD, HASH, AbortSignal.abort())).toBe('dropped');
  head.abort();
  expect(await Promise.all([first, second, third])).toEqual(['dropped', 'dropped', true]);
});

test('unknown users get the most expensive hash, so that guesses for them are not faster', () => {
  const [cheap, usual] = [HASH, HASH.replace('$04$', '$10$')];
  expect(mostExpensiveOf([cheap, ENDLESS, usual])).toBe(ENDLESS);
});

test.each([
  [16, '6 seconds'],
  [18, '23 seconds'],
  [22, '6 minutes'],
  [31, '52 hours'],
])('the time of cost %i is described as %s', (cost, text) => {
  expect(describeTimeAt(cost)).toBe(text);
});
