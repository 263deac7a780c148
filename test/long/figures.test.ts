// Runs small cases of the benchmark, and fails if a figure is worse than its goal by half.

import { expect, it } from 'vitest';
import { figuresOf } from '../support/figures.ts';

const TOLERANCE = 1.5;
/** Scrapes do not reach their goal (docs/how-to/size-a-machine.md). This is the ratio that a daemon reaches. */
const SCRAPE_RATIO = 6;

it.each([
  ['answers', 3, undefined],
  ['exposition', 1, SCRAPE_RATIO],
])('%s has figures near its goals', { timeout: 600_000 }, async (name, count, reached) => {
  const figures = await figuresOf(name, []);
  expect(figures).toHaveLength(count);
  for (const { what, measured, goal } of figures)
    expect(measured, what).toBeLessThanOrEqual(TOLERANCE * (reached ?? goal));
});
