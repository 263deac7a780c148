// Answers of the API's lists over many users and tested proxies, which a simulated provider gives to the daemon.

import { type Case, median, quantile, turnsOf } from '../harness.ts';
import { answers } from '../processes.ts';
import { startDaemon, startProvider, textOf } from '../world.ts';
import { MANY_TESTS } from './daemons.ts';

/** Lists as people use them: sorted, filtered, searched, and on later pages. */
const QUERIES = [
  ...['users', 'users?limit=15&sort=exhaustion&product_type=residential', 'users?sort=-used_bytes'],
  ...['users?sort=left_bytes&state=low&state=exhausted', 'users?q=421', 'users/summary'],
  ...['users?sort=id&include_deleted=true', 'proxies?limit=12', 'proxies?sort=-last_tested_at&limit=25'],
  ...['proxies?sort=uptime_24h&limit=12', 'proxies?q=42&product_type=isp&limit=25', 'services', 'testers'],
  ...['inventory?sort=ip_address', 'inventory?q=paris&country_id=fr', 'targets?fault=false', 'alerts'],
];
const [FIRST, MEDIAN, P99, CPU] = [
  'the first list of users, which computes the index',
  'answer of a list, median',
  'answer of a list, 99th percentile',
  'CPU of an answer',
];
const ROUNDS = 20;
const RARELY = { schedule: '0 0 1 1 *' };
/** Each collector runs once, so that the indexes of the lists stay the same. */
const ACCOUNT = {
  ...{ ...MANY_TESTS, inventory: RARELY, proxy_users: RARELY },
  proxy_tests: { ...MANY_TESTS.proxy_tests, ...RARELY },
};

export const api: Case = {
  title: 'lists of 100,000 users and 10,000 tested proxies (2,000 and 500 with --small)',
  figures: {
    [FIRST]: { unit: 'ms' },
    ...{ [MEDIAN]: { unit: 'ms' }, [P99]: { unit: 'ms', most: 50 }, [CPU]: { unit: 'ms' } },
  },
  rounds: 1,
  contenders: async ({ versions, isSmall, stack }) => {
    const size = isSmall ? { users: 2_000, proxies: 500 } : { users: 100_000, proxies: 10_000 };
    const scenario = { ...size, pace: null, test_runs_per_day: 1e7 };
    const urls = [await startProvider(stack, scenario)];
    return turnsOf(versions, async (version, stack) => {
      const { process, origin } = await startDaemon(stack, version, { urls, account: ACCOUNT });
      await answers(`${origin}/-/ready`, true, 1_000);
      const timeOf = async (query: string): Promise<number> => {
        const startedAt = performance.now();
        await textOf(`${origin}/api/v1/${query}`);
        return performance.now() - startedAt;
      };
      const first = await timeOf('users');
      for (const query of QUERIES) await timeOf(query);
      const cpuMs = process.cpuMs;
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1)
        for (const query of QUERIES) times.push(await timeOf(query));
      return {
        ...{ [FIRST]: first, [MEDIAN]: median(times), [P99]: quantile(times, 0.99) },
        [CPU]: (process.cpuMs - cpuMs) / times.length,
      };
    });
  },
};
