// Tests which error codes mean the customer's own settings, in codes of probes and in those of the provider's testers.

import { expect, test } from 'vitest';
import { areOwnSettings, ownSettingOf, settingWords } from '../../../src/collectors/faults/own-setting.ts';

test.each([
  ['tunnel_credentials', 'credentials'],
  ['response_credentials', 'credentials'],
  ['tunnel_options', 'options'],
  ['2011', 'credentials'],
  ['2031', 'credentials'],
  ['2061', 'options'],
  ['407', 'credentials'],
  ['http_407', 'credentials'],
  ['authentication_failed', 'credentials'],
  ['invalid_password', 'credentials'],
  ['LOGIN_REQUIRED', 'credentials'],
  // No code of four digits that a proxy answers with begins with 407.
  ['4071x', null],
  ['4071', null],
  ['14077', null],
  ['4221', null],
  ['5001', null],
  ['connection_refused', null],
  ['connect_refused', null],
  ['dns_error', null],
  ['tunnel_quota', null],
  ['tunnel_policy', null],
  ['', null],
  [null, null],
] as const)('%s means %s', (code, setting) => {
  expect(ownSettingOf(code)).toBe(setting);
});

test('each setting has its own words', () => {
  expect(settingWords('2011')).toBe('its user name and password');
  expect(settingWords('tunnel_options')).toBe('the options in its user name');
});

test('the login of a target is no own setting', () => {
  const ofTarget = { errorSource: 'target', errorCode: 'authentication_required' };
  expect(areOwnSettings([ofTarget])).toBe(false);
  expect(ownSettingOf('login_page')).toBeNull();
  expect(ownSettingOf('http_options')).toBeNull();
});

test.each([
  [['2011', '2011', 'timeout'], true],
  [['tunnel_credentials', 'tunnel_options', 'tls_timeout'], true],
  [['2011', 'timeout'], false],
  [['timeout', null], false],
  [[], false],
])('of the failures %j, most are of own settings: %s', (codes, expected) => {
  expect(areOwnSettings(codes.map((errorCode) => ({ errorSource: 'proxy', errorCode })))).toBe(expected);
});
