// Runs small cases of the benchmark, and fails if a figure is worse than what the daemon reaches (docs/how-to/size-a-machine.md).

import { expect, it } from 'vitest';
import { figuresOf } from './support/figures.ts';

/** In MB. The pages of Node.js's program file make a third of it. */
const HIGHEST_MEMORY = 135;
/** By the share of users that changed: the CPU time of a poll, divided by that of a loop that fetches, parses and inserts. */
const POLL_RATIOS = { '0%': 3, '1%': 5.5 };

it('a small account takes as much memory as before', { timeout: 600_000 }, async () => {
  const figures = await figuresOf('memory', []);
  expect(figures).toHaveLength(1);
  for (const { what, measured } of figures) expect(measured, what).toBeLessThanOrEqual(HIGHEST_MEMORY);
});

/** Other programs of the machine make a ratio higher, so the lowest of some measurements counts. */
const MOST_MEASUREMENTS = 3;

it('a poll with few changed users takes as much CPU time as before', { timeout: 900_000 }, async () => {
  const lowest: Record<string, number> = { '0%': Number.POSITIVE_INFINITY, '1%': Number.POSITIVE_INFINITY };
  for (let times = 0; times < MOST_MEASUREMENTS; times += 1) {
    const figures = await figuresOf('poll', ['--rounds', '3']);
    for (const [share, before] of Object.entries(lowest)) {
      const figure = figures.find(({ what }) => what.includes(`, ${share} changed`));
      lowest[share] = Math.min(before, figure?.measured ?? Number.NaN);
    }
    if (Object.entries(POLL_RATIOS).every(([share, most]) => (lowest[share] ?? Number.NaN) <= most)) break;
  }
  for (const [share, most] of Object.entries(POLL_RATIOS))
    expect(lowest[share], share).toBeLessThanOrEqual(most);
});
