// Tests that a misspelt or repeated parameter is an error, because a filter that is ignored selects everything.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiHarness } from './api-harness.ts';

let api: ApiHarness;

beforeAll(async () => {
  api = await ApiHarness.build();
});
afterAll(() => api[Symbol.asyncDispose]());

it.each([
  ['users?acount=main', 'acount: unknown parameter; did you mean "account"?'],
  ['users?q%20=1', expect.stringMatching(/^q : unknown parameter; expected one of account, limit, cursor, /)],
  [`users?${'x'.repeat(5_000)}=1`, expect.stringMatching(/^x{50}…: unknown parameter; /)],
  ['users?__proto__=1', expect.stringMatching(/^__proto__: unknown parameter; /)],
  ['status?a=1', 'a: unknown parameter; this path has none'],
  ['users?limit=5&limit=6', 'limit: expected one value, but got 2'],
  ['users?limit=5&limit=5&limit=5', 'limit: expected one value, but got 3'],
  ['accounts/main/traffic?step=hour&step=day', 'step: expected one value, but got 2'],
  ['users?account=main&account=mian', 'account: "mian" is not known; expected one of main'],
])('%s', async (path, error) => {
  const { status, body } = await api.request(path);
  expect([status, body]).toEqual([400, { error }]);
});

it('accepts what is documented as repeatable', async () => {
  await api.answer('users?account=main&account=main');
});
