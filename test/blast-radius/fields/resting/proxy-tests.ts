// Says which series rest on the fields of answers that proxy tests need.

import { change, type EndpointRules, type Resting, rest } from './rules.ts';

const TESTS = 'proxy_test_*';
const TESTED = 'proxies_tested proxies_failing proxies_at_fault fault';

const NOT_TESTED = 'a source that cannot be read names no proxies to test, so only other proxies are tested';
const IDENTITY = 'the proxy is tested as another one, or under another name';

const notTested = (fields: string): Resting => change(fields, `${TESTS} ${TESTED} proxy_info`, NOT_TESTED);

const TESTED_PROXY = [
  notTested('proxy_id proxy_ip_address proxy_http_port proxy_socks5_port customer_id'),
  notTested('default_proxy_user_username default_proxy_user_password'),
  change('proxy_type', `${TESTED} proxy_info`),
  change('proxy_status service_id country_id asn_id asn_name city_name subnet_id', 'proxy_info'),
];

export const PROXY_TEST_RULES: EndpointRules = {
  'proxy_test_run/create': [
    {
      item: '',
      rules: [rest('data', TESTS), change('created', TESTS, 'the ids say how many runs a call used')],
    },
    {
      item: '',
      rules: [change('data', 'proxy_test_runs_total', 'a call without an answer counts as one run')],
    },
    {
      item: 'data.{}',
      rules: [
        rest('results', TESTS),
        change('results', 'proxy_test_runs_total', 'a call without an answer counts as one run'),
      ],
    },
    {
      item: 'data.{}.results[]',
      rules: [
        rest('proxy_test_result_url proxy_host proxy_port proxy_test_result_is_successful', TESTS),
        change('proxy_test_server_id', `${TESTS} fault`, 'the server is a label of every result'),
        rest(
          'proxy_test_result_response_time',
          'proxy_test_response_time_seconds proxy_test_last_response_time_seconds',
        ),
      ],
    },
  ],
  'proxy/search': [
    { item: '', rules: [notTested('data total_count')] },
    {
      item: 'data[]',
      rules: [...TESTED_PROXY, change('country_id proxy_type', `${TESTS} ${TESTED}`, NOT_TESTED)],
    },
  ],
  'service/retrieve': [
    { item: '', rules: [notTested('data')] },
    { item: 'data', rules: [notTested('service_id proxies')] },
    {
      item: 'data.proxies[]',
      rules: [...TESTED_PROXY, change('proxy_id', `${TESTS} fault proxy_info`, IDENTITY)],
    },
  ],
  'proxy_user/search': [
    { item: '', rules: [notTested('data total_count')] },
    {
      item: 'data[]',
      rules: [notTested('proxy_user_id proxy_user_password proxy_user_is_deleted customer_id')],
    },
  ],
};
