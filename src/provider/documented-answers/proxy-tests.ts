// The documented fields of the result of a proxy test.

import { object, orNull, word } from './shapes.ts';
import { ERROR_SOURCE_WORDS, TEST_PROTOCOL_WORDS } from './words.ts';

/** A successful test has no error. */
export const testResult = object(
  {
    uuid: 'proxy_test_result_id proxy_test_run_id proxy_tester_proxy_id',
    text: `proxy_test_result_url proxy_test_server_id proxy_test_server_city_name
      proxy_username proxy_host proxy_ip_address proxy_city_name proxy_asn_name`,
    'text or null': 'proxy_test_result_error_code',
    country: 'proxy_test_server_country_id proxy_country_id',
    boolean: 'proxy_test_result_is_successful',
    integer: `proxy_test_result_response_time proxy_test_server_city_id proxy_port proxy_city_id
      proxy_asn_id`,
    datetime: 'proxy_test_result_creation_datetime proxy_test_result_last_update_datetime',
  },
  {
    proxy_test_result_error_source: orNull(word(ERROR_SOURCE_WORDS)),
    proxy_test_result_protocol: word(TEST_PROTOCOL_WORDS),
  },
);
