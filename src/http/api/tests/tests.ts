// Serves GET /api/v1/proxies, testers and targets: results of proxy tests, with the same names as metric labels.

import { z } from 'zod';
import { OTHERS } from '../../../collectors/proxy-tests/failing-tests.ts';
import type {
  ProxySummary,
  SubjectSummary,
  TesterSummary,
} from '../../../collectors/proxy-tests/summaries.ts';
import type { ProxyObservation, TestCell, TesterPlace } from '../../../store/test-store.ts';
import { rfc3339, secondsOf } from '../../rfc3339.ts';
import { account, amount, count, flag, text, time } from '../fields.ts';
import { itemOf } from '../item.ts';
import { proxyList, readSubjects, subjectList, testedList } from './lists.ts';
import { uptimes, uptimesJson } from './uptime-json.ts';

export const { schema: observation, json: observationJson } = itemOf<ProxyObservation>()(
  'ProxySighting',
  (from) => ({
    result_id: text.nullable(),
    tester_proxy_id: text.nullable().describe('Id of the proxy in its test run'),
    created_at: time.nullable().describe('Time by the provider’s clock. `updated_at` uses the same clock'),
    updated_at: time.nullable(),
    ip_address: from(text.nullable(), ({ address }) => address),
    country_id: text.nullable(),
    city_id: count.nullable(),
    city_name: text.nullable(),
    asn_id: count.nullable(),
    asn_name: text.nullable(),
  }),
);

const testerPlace = {
  city_id: count.nullable(),
  city_name: text.nullable(),
  country_id: text.nullable(),
};

export const testerPlaceJson = (place: TesterPlace | undefined) => ({
  city_id: place?.cityId ?? null,
  city_name: place?.cityName ?? null,
  country_id: place?.countryId ?? null,
});

export const subject = {
  fault: flag
    .nullable()
    .describe('True if the subject is at fault for failing tests, or null while the subject has no results'),
  fault_since: time.nullable(),
  uptime: uptimes,
};

export const { schema: test, json: testJson } = itemOf<TestCell>()('Test', (from) => ({
  url: text,
  tester_server: from(text, ({ tester }) => tester),
  success: from(flag, ({ isSuccessful }) => isSuccessful),
  error_source: text.nullable(),
  error_code: text.nullable(),
  response_time_seconds: from(amount.nullable(), ({ responseTimeMs }) => secondsOf(responseTimeMs)),
  at: time,
}));

const explanation = z
  .strictObject({
    kind: z.enum(OTHERS),
    subject: text.describe('`url` or `tester_server`. Empty for the provider'),
    tests: count.describe('Number of failing tests of the proxy that the fault explains'),
  })
  .meta({ id: 'FailureExplanation' });

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
    own_failing_tests: count
      .nullable()
      .describe(
        'Number of tests that fail by a fault of the proxy or without a known fault. Null before the first test',
      ),
    explained_by: z
      .array(explanation)
      .describe(
        'Faults of others that explain the other failing tests. The fault that explains the most comes first',
      ),
    ...subject,
    newest_result: observation
      .nullable()
      .describe('Address, place and network of the proxy, as the tester of the newest result saw them'),
    tests: z.array(test),
  })
  .meta({ id: 'TestedProxy' });

export const tester = z
  .strictObject({
    account,
    tester_server: text,
    vantage: flag.describe('True for the machine of proxywatch, whose tests are the probes'),
    ...testerPlace,
    ...subject,
  })
  .meta({ id: 'Tester' });
export const target = z.strictObject({ account, url: text, ...subject }).meta({ id: 'Target' });

export const proxyJson = (account: string, proxy: ProxySummary) => ({
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
  own_failing_tests: proxy.lastTestedAt === null ? null : proxy.failing.own,
  explained_by: [...proxy.failing.explainedBy],
});

export const subjectJson = ({ faultSince, uptime }: SubjectSummary) => ({
  fault: faultSince !== null || (uptime['30d'].results === 0 ? null : false),
  fault_since: rfc3339(faultSince),
  uptime: uptimesJson(uptime),
});

export const TEST_ROUTES = [
  testedList({
    path: '/api/v1/proxies',
    summary: 'Tested proxies: last results, faults and uptime',
    item: proxy,
    ...proxyList,
    list: (view, account) => view.tests.proxies(account),
    toJson: proxyJson,
  }),
  testedList({
    path: '/api/v1/testers',
    summary: 'Testers: faults and uptime',
    item: tester,
    ...subjectList,
    searched: ['cityName', 'countryId'],
    list: async (view, account) => readSubjects(await view.tests.testers(account)),
    toJson: (account, each: TesterSummary) => ({
      account,
      tester_server: each.id,
      vantage: each.isVantage ?? false,
      ...testerPlaceJson(each.place),
      ...subjectJson(each),
    }),
  }),
  testedList({
    path: '/api/v1/targets',
    summary: 'Targets: faults and uptime',
    item: target,
    ...subjectList,
    list: async (view, account) => readSubjects(await view.tests.targets(account)),
    toJson: (account, each: SubjectSummary) => ({ account, url: each.id, ...subjectJson(each) }),
  }),
];
