// Used bytes over resets and corrections.

import { expect, it } from 'vitest';
import { usageGrowth } from '../../src/store/usage.ts';

it.each([
  ['growth', 100, 150, 50],
  ['a correction takes back', 100, 60, -40],
  ['a fall to half is a correction', 100, 50, -50],
  ['a fall below half is a reset', 100, 49, 49],
  ['a reset to nothing', 100, 0, 0],
  ['nothing used', 0, 0, 0],
])('%s', (_, before, after, growth) => {
  expect(usageGrowth(before, after)).toBe(growth);
});
