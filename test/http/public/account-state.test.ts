// Tests what a public page says about an account and what its badge says, above all where something is unknown.

import { expect, it } from 'vitest';
import { type AccountState, shareUp, stateOfShare } from '../../../src/status-page/public/account-state.ts';
import { badgeText } from '../../../src/status-page/public/routes.ts';

const account = (up: number, down: number, unknown: number): AccountState => ({
  name: 'main',
  proxies: { up, down, unknown },
  uptime: { day: null, month: null },
  days: [],
});

it.each([
  ['all work', [account(4, 0, 0)], '100% up', 'operational'],
  ['one does not', [account(49, 1, 0)], '98% up', 'degraded'],
  ['almost all work, which is never 100%', [account(99_999, 1, 0)], '99.9% up', 'degraded'],
  ['none works', [account(0, 3, 0)], '0% up', 'outage'],
  ['some have no result', [account(3, 0, 2)], '100% up, rest unknown', 'operational'],
  ['no account is known', [account(0, 0, 5), account(0, 0, 0)], 'unknown', 'unknown'],
  ['an account has no proxies', [account(2, 0, 0), account(0, 0, 0)], '100% up, rest unknown', 'operational'],
  ['two accounts are added up', [account(1, 1, 0), account(2, 0, 0)], '75% up', 'degraded'],
] as const)('%s', (_, accounts, text, state) => {
  expect(badgeText(accounts)).toBe(text);
  expect(stateOfShare(shareUp(accounts.map(({ proxies }) => proxies)))).toBe(state);
});
