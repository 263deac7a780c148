// The delay of the event loop as Node.js measures it, and as the daemon shows it.

import { expect, test } from 'vitest';
import { gauge, type SampleSink } from '../../src/lib/family.ts';
import { writeMetric } from '../../src/metrics/prom-client-metrics.ts';

/** What Node.js gives as the smallest delay if it has measured none. */
const NO_MINIMUM = 2 ** 63 / 1e9;

const shown = (name: string, value: number): (number | null | undefined)[] => {
  const values: (number | null | undefined)[] = [];
  const sink: SampleSink = {
    sample: (_family, _labels, sample) => values.push(sample),
    histogram: () => {},
    drain: async () => {},
  };
  writeMetric(sink, gauge(name, 'Help.', []), [{ labels: {}, value }]);
  return values;
};

test.each(['min', 'max', 'mean', 'p50', 'p90', 'p99'])(
  'the %s delay lacks the interval of 100 ms',
  (kind) => {
    const name = `nodejs_eventloop_lag_${kind}_seconds`;
    expect(shown(name, 0.13)).toEqual([expect.closeTo(0.03)]);
    expect(shown(name, 0.0998)).toEqual([0]);
    expect([...shown(name, 0), ...shown(name, NO_MINIMUM)]).toEqual([undefined, undefined]);
  },
);

test('other metrics of the process are unchanged', () => {
  for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_eventloop_lag_stddev_seconds'])
    expect(shown(name, 0.0002)).toEqual([0.0002]);
});
