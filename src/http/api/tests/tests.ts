// Serves GET /api/v1/proxies, testers and targets: results of proxy tests, with the same names as metric labels.

import { z } from 'zod';
import { OTHERS } from '../../../collectors/proxy-tests/failing-tests.ts';
import type {
  ProxySummary,
  SubjectSummary,
  TesterSummary,
} from '../../../collectors/proxy-tests/summaries.ts';
import type { ProxyObservation, TestCell } from '../../../store/test-store.ts';
import { accountItemOf, count, flag, itemOf, orNull, text, time } from '../item.ts';
import { PROXY_FAULTS, proxyFaultOf, proxyList, subjectList } from './lists.ts';
import { uptimes } from './uptimes.ts';

const { schema: observation } = itemOf<ProxyObservation>()('ProxySighting', (from) => ({
  result_id: orNull.text,
  tester_proxy_id: orNull.text.describe('Id of the proxy in its test run'),
  created_at: orNull.time.describe('Time by the provider’s clock. `updated_at` uses the same clock'),
  updated_at: orNull.time,
  ip_address: from(orNull.text, 'address'),
  country_id: orNull.text,
  city_id: orNull.count,
  city_name: orNull.text,
  asn_id: orNull.count,
  asn_name: orNull.text,
}));

export const test = itemOf<TestCell>()('Test', (from) => ({
  url: text,
  tester_server: from(text, 'tester'),
  success: from(flag, 'isSuccessful'),
  error_source: orNull.text,
  error_code: orNull.text,
  response_time_seconds: orNull.amount,
  at: time,
}));

const explanation = z
  .strictObject({
    kind: z.enum(OTHERS),
    subject: text.describe('`url` or `tester_server`. Empty for the provider'),
    tests: count.describe('Number of failing tests of the proxy that the fault explains'),
  })
  .meta({ id: 'FailureExplanation' });

const { fields: subject } = itemOf<SubjectSummary>()('Subject', (from) => ({
  fault: from(
    orNull.flag.describe(
      'True if the subject is at fault for failing tests, or null while the subject has no results',
    ),
    ({ faultSince, uptime }) => faultSince !== null || (uptime['30d'].results === 0 ? null : false),
  ),
  fault_since: orNull.time,
  uptime: uptimes,
}));

const proxyItem = accountItemOf<ProxySummary>()('TestedProxy', (from) => ({
  proxy_id: from(text, 'id'),
  name: from(orNull.text, ({ name }) => name || null),
  product_type: from(orNull.text, ({ productType }) => productType || null),
  protocol: text,
  host: text,
  port: count,
  last_tested_at: orNull.time,
  failing_rounds: from(
    orNull.count.describe(
      'Number of rounds in a row with at least one failed test of the proxy, or null before the first test',
    ),
    ({ lastTestedAt, failingRounds }) => (lastTestedAt === null ? null : failingRounds),
  ),
  own_failing_tests: from(
    orNull.count.describe(
      'Number of tests that fail by a fault of the proxy or without a known fault. Null before the first test',
    ),
    ({ lastTestedAt, failing }) => (lastTestedAt === null ? null : failing.own),
  ),
  explained_by: from(
    z
      .array(explanation)
      .describe(
        'Faults of others that explain the other failing tests. The fault that explains the most comes first',
      ),
    ({ failing }) => [...failing.explainedBy],
  ),
  ...subject,
  fault_kind: from(
    z
      .enum(PROXY_FAULTS)
      .nullable()
      .describe(
        'Kind of the fault in `proxywatch_fault` that names the proxy, or null if there is none. With `access`, the proxy itself is not at fault, but you cannot use it',
      ),
    proxyFaultOf,
  ),
  newest_result: from(
    observation
      .nullable()
      .describe('Address, place and network of the proxy, as the tester of the newest result saw them'),
    'observation',
  ),
  tests: z.array(test.schema),
}));
export const proxy = proxyItem.schema;

/** In answers, what explains the failing tests comes last. */
export const proxyJson = (account: string, of: ProxySummary) => {
  const { own_failing_tests, explained_by, ...json } = proxyItem.json(account, of);
  return { ...json, own_failing_tests, explained_by };
};

export const tester = accountItemOf<TesterSummary>()('Tester', (from) => ({
  tester_server: from(text, 'id'),
  vantage: from(
    flag.describe('True for the machine of proxywatch, whose tests are the probes'),
    ({ isVantage = false }) => isVantage,
  ),
  city_id: from(orNull.count, ({ place }) => place?.cityId ?? null),
  city_name: from(orNull.text, ({ place }) => place?.cityName ?? null),
  country_id: from(orNull.text, ({ place }) => place?.countryId ?? null),
  ...subject,
}));

export const target = accountItemOf<SubjectSummary>()('Target', (from) => ({
  url: from(text, 'id'),
  ...subject,
}));

export const TEST_ROUTES = [
  proxyList({
    path: '/api/v1/proxies',
    summary: 'Tested proxies: last results, faults and uptime',
    item: proxy,
    list: (view, account) => view.tests.proxies(account),
    toJson: proxyJson,
  }),
  subjectList({
    path: '/api/v1/testers',
    summary: 'Testers: faults and uptime',
    item: tester.schema,
    searched: ['cityName', 'countryId'],
    list: (view, account) => view.tests.testers(account),
    toJson: tester.json,
  }),
  subjectList({
    path: '/api/v1/targets',
    summary: 'Targets: faults and uptime',
    item: target.schema,
    searched: [],
    list: (view, account) => view.tests.targets(account),
    toJson: target.json,
  }),
];
