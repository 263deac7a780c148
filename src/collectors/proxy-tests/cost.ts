// What testing proxies will cost, and whether the day's budget can keep the schedule.

import { formatDuration } from '../../config/duration.ts';
import { cronOf } from '../../lib/cron.ts';
import { DAY } from '../../lib/time.ts';
import { type Cost, slotsPerDay } from '../cost.ts';
import type { ProxyTestOptions } from './options.ts';
import { BATCH_SIZE, plannedCycleMs } from './planner.ts';
import { proxiesOf } from './targets.ts';

/** Assumed where the configuration doesn't say, or can't. */
const ASSUMED_TESTERS = 10;
const ASSUMED_BYTES_PER_TEST = 20_000;
const SERIES_PER_CELL = 4;

export const costOf = (options: ProxyTestOptions, zone: string, now: number): Cost => {
  const { schedule, max_runs_per_day, tester_servers, urls, series, max_series } = options;
  const proxies = proxiesOf(options).map((proxy) => ({ ...proxy, lastTestedAt: null, failingRounds: 0 }));
  const testers = tester_servers.length || ASSUMED_TESTERS;
  const intervalMs = cronOf(schedule, zone).gap(now);
  const cycleMs = plannedCycleMs(proxies, { maxRunsPerDay: max_runs_per_day, runsPerCall: 1, intervalMs });
  const wanted = Math.ceil(proxies.length / BATCH_SIZE) * slotsPerDay(schedule, zone, now);
  const runs = Math.min(wanted, max_runs_per_day);
  const cells = proxies.length * urls.length * testers;
  const isMatrix = series === 'matrix' && cells <= max_series;
  const tests = (cells * DAY) / cycleMs;
  return {
    requestsPerDay: runs,
    testRunsPerDay: runs,
    proxyBytesPerDay: tests * ASSUMED_BYTES_PER_TEST,
    series: (isMatrix ? cells : proxies.length) * SERIES_PER_CELL + proxies.length * 4,
    assumptions: [
      `${ASSUMED_BYTES_PER_TEST} bytes through the proxy for each test`,
      ...(tester_servers.length === 0 ? [`${ASSUMED_TESTERS} tester servers`] : []),
    ],
    warnings: [
      ...(proxies.length > 0 && cycleMs > intervalMs
        ? [
            `max_runs_per_day of ${max_runs_per_day} is too small for the schedule "${schedule}": every proxy will be tested once in ${formatDuration(cycleMs)}`,
          ]
        : []),
      ...(series === 'matrix' && !isMatrix
        ? [
            `${cells} series of the matrix are above max_series of ${max_series}: there will be one series a proxy`,
          ]
        : []),
    ],
  };
};
