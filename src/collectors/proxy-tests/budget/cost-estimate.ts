// Estimates what testing the proxies costs, and warns if the day's budget cannot keep the schedule.

import { formatDuration } from '../../../config/duration.ts';
import { cronOf } from '../../../lib/cron.ts';
import { DAY } from '../../../lib/time.ts';
import { MAX_PROXIES_PER_RUN } from '../../../provider/resources/proxy-tests.ts';
import { type Collector, describeNumber, slotsPerDay, textIf } from '../../collector.ts';
import { endpointKey } from '../../proxy-sources/proxy-line.ts';
import type { Preview, ProxySource } from '../../proxy-sources/source.ts';
import { previewSources } from '../../proxy-sources/sources.ts';
import { configuredProxies } from '../../proxy-sources/tested-proxies.ts';
import type { ProxyTestOptions } from '../options.ts';
import { type Candidate, plannedCycleMs } from '../planner.ts';

/** Values assumed where the configuration does not or cannot give them. */
const ASSUMED_TESTERS = 10;
const ASSUMED_FOUND = 100;
const ASSUMED_BYTES_PER_TEST = 20_000;
const SERIES_PER_CELL = 3;

const NO_PROXIES =
  'proxies is empty, so proxywatch tests nothing; add proxies, or a source of proxies (file, service_id or search)';

export const costOf: Collector<ProxyTestOptions>['cost'] = (options, zone, now, _settings, known = {}) => {
  const { schedule, discover_every, max_runs_per_day, tester_servers, urls, series, max_series } = options;
  const sources = previewSources(options, known.tested);
  const providerSources = sources.filter(({ isFromProvider }) => isFromProvider);
  const proxies = [...configuredCandidates(options), ...sources.flatMap(foundCandidates)];
  const testers = tester_servers.length || ASSUMED_TESTERS;
  const intervalMs = cronOf(schedule, zone).gap(now);
  const cycleMs = plannedCycleMs(proxies, { maxRunsPerDay: max_runs_per_day, runsPerCall: 1, intervalMs });
  const slots = slotsPerDay(schedule, zone, now);
  const wantedRuns = Math.ceil(proxies.length / MAX_PROXIES_PER_RUN) * slots;
  const runs = Math.min(wantedRuns, max_runs_per_day);
  const cells = proxies.length * urls.length * testers;
  const isMatrix = series === 'matrix' && cells <= max_series;
  const tests = (cells * DAY) / cycleMs;
  return {
    requestsPerDay: runs + providerSources.length * Math.min(slots, DAY / discover_every),
    testRunsPerDay: runs,
    proxyBytesPerDay: tests * ASSUMED_BYTES_PER_TEST,
    series: (isMatrix ? cells : proxies.length) * SERIES_PER_CELL + proxies.length * 4,
    assumptions: [
      `each test sends ${ASSUMED_BYTES_PER_TEST / 1e3} kB through the proxy`,
      ...textIf(tester_servers.length === 0, `the provider has ${ASSUMED_TESTERS} tester servers`),
      ...providerSources.map(
        ({ name, proxies: found }) =>
          `the source "${name}" has ${describeNumber(found, ASSUMED_FOUND, 'proxies')}`,
      ),
    ],
    warnings: [
      ...sources.flatMap(({ warnings }) => warnings),
      ...textIf(options.proxies.length === 0, NO_PROXIES),
      ...comparisonWarnings(options),
      ...textIf(
        proxies.length > 0 && cycleMs > intervalMs,
        `max_runs_per_day (${max_runs_per_day}) is too small for the schedule "${schedule}", so each proxy is tested only every ${formatDuration(cycleMs)}; raise max_runs_per_day or use a longer schedule`,
      ),
      ...textIf(
        series === 'matrix' && !isMatrix,
        `the matrix would have ${cells} results, more than max_series (${max_series}), so proxywatch writes one set of series per proxy instead`,
      ),
    ],
  };
};

/** Warns about a matrix in which nothing can be compared. */
const comparisonWarnings = ({ urls, tester_servers }: ProxyTestOptions): string[] => [
  ...textIf(
    urls.length === 1,
    'urls has only one target. If tests fail, proxywatch cannot compare targets and must rely on the error sources in the results; add a second url',
  ),
  ...textIf(
    tester_servers.length === 1,
    'tester_servers has only one tester. If tests fail, proxywatch cannot compare testers and must rely on the error sources in the results; add a second tester, or leave the list empty to use all',
  ),
];

const configuredCandidates = (options: ProxyTestOptions): Candidate[] =>
  configuredProxies(options).map(({ proxy }) => untestedCandidate(proxy.id, endpointKey(proxy)));

/** As many candidates as the file lists, or an assumed number, each with its own endpoint. */
const foundCandidates = ({
  name,
  proxies = ASSUMED_FOUND,
}: Preview & Pick<ProxySource, 'name'>): Candidate[] =>
  Array.from({ length: proxies }, (_, index) => untestedCandidate(`${name} ${index}`, `${name} ${index}`));

const untestedCandidate = (id: string, endpointKey: string): Candidate => ({
  id,
  endpointKey,
  lastTestedAt: null,
  failingRounds: 0,
});
