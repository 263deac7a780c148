// The delay of the event loop as Node.js measures it, and as the daemon shows it.

import { describe, expect, test } from 'vitest';
import { EventLoopLag } from '../../src/metrics/prom-client-metrics.ts';

/** What Node.js gives as the smallest delay if it has measured none. */
const NO_MINIMUM = 2 ** 63 / 1e9;

const shown = (lag: EventLoopLag, name: string, value: number): number[] =>
  lag.correct(name, [{ labels: {}, value }]).map((each) => each.value);

describe.each(['min', 'max', 'mean', 'p50', 'p90', 'p99'])('the %s delay', (kind) => {
  const name = `nodejs_eventloop_lag_${kind}_seconds`;

  test('lacks the interval of 100 ms', () => {
    const lag = new EventLoopLag();
    expect(shown(lag, name, 0.13)).toEqual([expect.closeTo(0.03)]);
    expect(shown(lag, name, 0.0998)).toEqual([0]);
  });

  test.each([0, NO_MINIMUM, Number.NaN])('is that of the last scrape if Node.js gives %s', (value) => {
    const lag = new EventLoopLag();
    expect(shown(lag, name, value)).toEqual([]);
    shown(lag, name, 0.13);
    expect(shown(lag, name, value)).toEqual([expect.closeTo(0.03)]);
  });
});

test('the deviation does not contain the interval, and stays if nothing was measured', () => {
  const lag = new EventLoopLag();
  const name = 'nodejs_eventloop_lag_stddev_seconds';
  expect(shown(lag, name, Number.NaN)).toEqual([]);
  expect(shown(lag, name, 0.0002)).toEqual([0.0002]);
  expect(shown(lag, name, Number.NaN)).toEqual([0.0002]);
});

test('other metrics of the process are unchanged', () => {
  expect(shown(new EventLoopLag(), 'nodejs_eventloop_lag_seconds', 0)).toEqual([0]);
});
