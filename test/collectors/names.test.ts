// Tests that every collector is listed under its own name.

import { expect, test } from 'vitest';
import { COLLECTOR_NAMES } from '../../src/collectors/context.ts';
import { COLLECTORS, COLLECTORS_BY_NAME } from '../../src/collectors/index.ts';

test('src/collectors/index.ts and context.ts list the collectors in the same order, by the names that they have', () => {
  const names = COLLECTORS.map(({ name }) => name);
  expect(Object.keys(COLLECTORS_BY_NAME)).toEqual(names);
  expect([...COLLECTOR_NAMES]).toEqual(names);
});
