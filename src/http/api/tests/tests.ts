// Serves GET /api/v1/proxies, testers, targets and failures: results of proxy tests, with the same names as metric labels.

import { z } from 'zod';
import type {
  ProxySummary,
  SubjectSummary,
  TesterSummary,
  Uptimes,
} from '../../../collectors/proxy-tests/summaries.ts';
import { SECOND } from '../../../lib/time.ts';
import type { RecentFailure, TestCell, Uptime } from '../../../store/test-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { account, amount, count, flag, ratio, text, time } from '../fields.ts';
import { listRoute } from '../list-route.ts';
import { fromWholeList } from '../page.ts';
import { page } from '../parameters.ts';
import { route, selectedAccounts } from '../route.ts';
import { observation, observationJson, testerPlace, testerPlaceJson } from './observation-json.ts';

export const uptime = z
  .strictObject({
    results: count,
    successes: count,
    ratio: ratio.nullable(),
    mean_response_time_seconds: amount.nullable().describe('Mean of the successful results'),
  })
  .meta({ id: 'Uptime' });

const subject = {
  fault: flag
    .nullable()
    .describe('True if the subject is at fault for failing tests, or null while the subject has no results'),
  fault_since: time.nullable(),
  uptime: z.strictObject({ '24h': uptime, '7d': uptime, '30d': uptime }),
};

export const test = z
  .strictObject({
    url: text,
    tester_server: text,
    success: flag,
    error_source: text.nullable(),
    error_code: text.nullable(),
    response_time_seconds: amount.nullable(),
    at: time,
  })
  .meta({ id: 'Test' });

export const proxy = z
  .strictObject({
    account,
    proxy_id: text,
    name: text.nullable(),
    product_type: text.nullable(),
    protocol: text,
    host: text,
    port: count,
    last_tested_at: time.nullable(),
    failing_rounds: count
      .nullable()
      .describe(
        'Number of rounds in a row with at least one failed test of the proxy, or null before the first test',
      ),
    ...subject,
    newest_result: observation
      .nullable()
      .describe('Address, place and network of the proxy, as the tester of the newest result saw them'),
    tests: z.array(test),
  })
  .meta({ id: 'TestedProxy' });

const tester = z
  .strictObject({ account, tester_server: text, ...testerPlace, ...subject })
  .meta({ id: 'Tester' });
const target = z.strictObject({ account, url: text, ...subject }).meta({ id: 'Target' });

const failure = z
  .strictObject({
    account,
    at: time,
    proxy_id: text,
    url: text,
    tester_server: text,
    error_source: text.nullable(),
    error_code: text.nullable(),
  })
  .meta({ id: 'Failure' });

const revision = (view: DaemonView): Promise<string> => view.tests.revision();

const failures = route({
  path: '/api/v1/failures',
  collector: 'proxy_tests',
  summary: 'The newest failed tests, newest first',
  query: { account: page.account, limit: page.limit },
  answer: z.strictObject({ data: z.array(failure) }),
  revision,
  read: async ({ view, query: { account, limit } }) => {
    const found = await Promise.all(
      selectedAccounts(account, view).map(async (name) =>
        (await view.tests.failures(name, limit)).map((each) => ({ account: name, failure: each })),
      ),
    );
    const newest = found.flat().sort((one, other) => other.failure.at - one.failure.at);
    return { data: newest.slice(0, limit).map(({ account, failure }) => failureJson(account, failure)) };
  },
});

const failureJson = (account: string, failure: RecentFailure) => ({
  account,
  at: rfc3339(failure.at),
  proxy_id: failure.proxy,
  url: failure.url,
  tester_server: failure.tester,
  error_source: failure.errorSource,
  error_code: failure.errorCode,
});

const proxyJson = (account: string, proxy: ProxySummary) => ({
  account,
  proxy_id: proxy.id,
  name: proxy.name || null,
  product_type: proxy.productType || null,
  protocol: proxy.protocol,
  host: proxy.host,
  port: proxy.port,
  last_tested_at: rfc3339(proxy.lastTestedAt),
  failing_rounds: proxy.lastTestedAt === null ? null : proxy.failingRounds,
  ...subjectJson(proxy),
  newest_result: proxy.observation && observationJson(proxy.observation),
  tests: proxy.tests.map(testJson),
});

const subjectJson = ({ faultSince, uptime }: SubjectSummary) => ({
  fault: faultSince !== null || (uptime['30d'].results === 0 ? null : false),
  fault_since: rfc3339(faultSince),
  uptime: uptimesJson(uptime),
});

const testJson = (test: TestCell) => ({
  url: test.url,
  tester_server: test.tester,
  success: test.isSuccessful,
  error_source: test.errorSource,
  error_code: test.errorCode,
  response_time_seconds: test.responseTimeMs === null ? null : test.responseTimeMs / SECOND,
  at: rfc3339(test.at),
});

const uptimesJson = (uptimes: Uptimes) => ({
  '24h': uptimeJson(uptimes['24h']),
  '7d': uptimeJson(uptimes['7d']),
  '30d': uptimeJson(uptimes['30d']),
});

export const uptimeJson = ({ results, successes, sumMs }: Uptime) => ({
  results,
  successes,
  ratio: results === 0 ? null : successes / results,
  mean_response_time_seconds: successes === 0 ? null : sumMs / successes / SECOND,
});

export const TEST_ROUTES = [
  listRoute({
    path: '/api/v1/proxies',
    collector: 'proxy_tests',
    summary: 'Tested proxies: last results, faults and uptime',
    query: {},
    item: proxy,
    revision,
    list: (view) => fromWholeList((account) => view.tests.proxies(account)),
    toJson: proxyJson,
  }),
  listRoute({
    path: '/api/v1/testers',
    collector: 'proxy_tests',
    summary: 'Testers: faults and uptime',
    query: {},
    item: tester,
    revision,
    list: (view) => fromWholeList((account) => view.tests.testers(account)),
    toJson: (account, each: TesterSummary) => ({
      account,
      tester_server: each.id,
      ...testerPlaceJson(each.place),
      ...subjectJson(each),
    }),
  }),
  listRoute({
    path: '/api/v1/targets',
    collector: 'proxy_tests',
    summary: 'Targets: faults and uptime',
    query: {},
    item: target,
    revision,
    list: (view) => fromWholeList((account) => view.tests.targets(account)),
    toJson: (account, each: SubjectSummary) => ({ account, url: each.id, ...subjectJson(each) }),
  }),
  failures,
];
