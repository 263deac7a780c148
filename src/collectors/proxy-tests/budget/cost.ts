// What testing proxies will cost, and whether the day's budget can keep the schedule.

import { formatDuration } from '../../../config/duration.ts';
import { cronOf } from '../../../lib/cron.ts';
import { DAY } from '../../../lib/time.ts';
import { MAX_PROXIES_PER_RUN } from '../../../provider/resources/proxy-tests.ts';
import { type Cost, slotsPerDay } from '../../cost.ts';
import type { ProxyTestOptions } from '../options.ts';
import { type Candidate, plannedCycleMs } from '../planner.ts';
import { endpointKey } from '../sources/proxy-line.ts';
import type { Preview, ProxySource } from '../sources/source.ts';
import { sourcesOf } from '../sources/sources.ts';
import { configuredProxies } from '../sources/tested-proxies.ts';

/** Assumed where the configuration doesn't say, or can't. */
const ASSUMED_TESTERS = 10;
const ASSUMED_FOUND = 100;
const ASSUMED_BYTES_PER_TEST = 20_000;
const SERIES_PER_CELL = 4;

export const costOf = (options: ProxyTestOptions, zone: string, now: number): Cost => {
  const { schedule, discover_every, max_runs_per_day, tester_servers, urls, series, max_series } = options;
  const sources = sourcesOf(options).map((source) => ({ ...source, ...source.preview() }));
  const asked = sources.filter(({ asksProvider }) => asksProvider);
  const proxies = [...configuredCandidates(options), ...sources.flatMap(foundCandidates)];
  const testers = tester_servers.length || ASSUMED_TESTERS;
  const intervalMs = cronOf(schedule, zone).gap(now);
  const cycleMs = plannedCycleMs(proxies, { maxRunsPerDay: max_runs_per_day, runsPerCall: 1, intervalMs });
  const slots = slotsPerDay(schedule, zone, now);
  const wanted = Math.ceil(proxies.length / MAX_PROXIES_PER_RUN) * slots;
  const runs = Math.min(wanted, max_runs_per_day);
  const cells = proxies.length * urls.length * testers;
  const isMatrix = series === 'matrix' && cells <= max_series;
  const tests = (cells * DAY) / cycleMs;
  return {
    requestsPerDay: runs + asked.length * Math.min(slots, DAY / discover_every),
    testRunsPerDay: runs,
    proxyBytesPerDay: tests * ASSUMED_BYTES_PER_TEST,
    series: (isMatrix ? cells : proxies.length) * SERIES_PER_CELL + proxies.length * 4,
    assumptions: [
      `${ASSUMED_BYTES_PER_TEST} bytes through the proxy for each test`,
      ...(tester_servers.length === 0 ? [`${ASSUMED_TESTERS} tester servers`] : []),
      ...asked.map(({ name }) => `${ASSUMED_FOUND} ${name}`),
    ],
    warnings: [
      ...sources.flatMap(({ warnings }) => warnings),
      ...uncompared(options),
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

/** Warnings about a matrix that leaves nothing to compare. */
const uncompared = ({ urls, tester_servers }: ProxyTestOptions): string[] => [
  ...(urls.length === 1
    ? [
        'urls has a single target: if it fails, proxywatch has nothing to compare it with and depends on the error sources in the results; add a second url',
      ]
    : []),
  ...(tester_servers.length === 1
    ? [
        'tester_servers has a single tester: if it fails, proxywatch has nothing to compare it with and depends on the error sources in the results; add a second tester, or leave the list empty to use all',
      ]
    : []),
];

const configuredCandidates = (options: ProxyTestOptions): Candidate[] =>
  configuredProxies(options).map(({ target }) => untested(target.id, endpointKey(target)));

/** As many as a file lists, or an assumed number, each with an endpoint of its own. */
const foundCandidates = ({
  name,
  proxies = ASSUMED_FOUND,
}: Preview & Pick<ProxySource, 'name'>): Candidate[] =>
  Array.from({ length: proxies }, (_, index) => untested(`${name} ${index}`, `${name} ${index}`));

const untested = (id: string, endpointKey: string): Candidate => ({
  id,
  endpointKey,
  lastTestedAt: null,
  failingRounds: 0,
});
