// Tests which causes explain how much of a difference.

import { describe, expect, it } from 'vitest';
import { type Explanation, explain } from '../../../src/collectors/reconciliation/explain.ts';

const SMARTPATH = { cause: 'smartpath', low: 0, high: 500, isAllOrNothing: true };
const listed = (low: number, high: number): Explanation => ({ cause: 'listing_interval', low, high });

describe('bytes of smartpath that are charged all or not at all, and a listing after the end of the day', () => {
  it.each([
    // Users are behind by half of these bytes, because the last hour of the day is not listed yet.
    [
      'explain together what neither explains alone',
      245,
      listed(-282, 27),
      { smartpath: 500, listing_interval: -255 },
    ],
    ['explain a difference to the byte', 500, listed(-282, 27), { smartpath: 500 }],
    ['are not used if the listing explains all', 20, listed(-282, 27), { listing_interval: 20 }],
    ['are used if they alone leave less', 490, listed(-282, 27), { smartpath: 500, listing_interval: -10 }],
    ['are not used if the rest is smaller without them', 110, listed(-82, 27), { listing_interval: 27 }, 83],
    ['leave what neither explains', 600, listed(-282, 27), { smartpath: 500, listing_interval: 27 }, 73],
    ['explain nothing of no difference', 0, listed(-1_000, 1_000), {}],
  ])('%s', (_, difference, interval, causes, unexplainedBytes = 0) => {
    const explained = Object.entries(causes).map(([cause, bytes]) => ({ cause, bytes }));
    expect(explain(difference, [SMARTPATH, interval])).toEqual({ explained, unexplainedBytes });
  });
});
