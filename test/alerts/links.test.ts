// Tests the links to the status page: they lead to the alert's account and proxy user, and to what several alerts share.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { labelsInQuery, linksOf } from '../../src/alerts/links.ts';
import { pageOf } from '../../src/alerts/receivers/templates/links.ts';

type Labels = Readonly<Record<string, string>>;

const pageFor = (labels: Labels, externalUrl = 'https://proxywatch.example/') =>
  linksOf('Low', { externalUrl }, labelsInQuery(labels)).status_page_url;

describe('the link to the status page', () => {
  it.each([
    ['an alert about the daemon', {}, ''],
    ['an alert about a collector', { account: 'main', collector: 'traffic' }, '?account=main'],
    [
      'an alert about a proxy user',
      { account: 'main', proxy_user_id: 'a b', product_type: 'mobile' },
      '?account=main&user=a+b&type=mobile',
    ],
    ['the balance of a product', { account: 'main', product_type: 'mobile' }, '?account=main'],
  ])('of %s', (_, labels, query) => {
    expect(pageFor(labels)).toBe(`https://proxywatch.example/${query}`);
  });

  it('keeps the query and the anchor of the configured address', () => {
    expect(pageFor({ account: 'main' }, 'https://proxywatch.example/?x=1#quotas')).toBe(
      'https://proxywatch.example/?x=1&account=main#quotas',
    );
  });

  test('any id of a user is read back from the address, and cannot write markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (id) => {
        const page = pageFor({ account: 'main', proxy_user_id: id }) ?? '';
        expect(new URL(page).searchParams.get('user')).toBe(id);
        expect(page).toMatch(/^https:\/\/proxywatch\.example\/\?account=main&user=[\w.~+%-]*$/);
      }),
    );
  });
});

describe('the link of a message', () => {
  const sharedBy = (...all: Labels[]) =>
    pageOf(
      all.map((labels) => ({
        ...{ alert: 'Low', severity: 'warning', summary: '', value: 1, startsAt: 0, endsAt: null },
        labels,
      })),
      ({ labels }) => {
        const page = pageFor(labels);
        return { summary: '', ...(page !== undefined && { status_page_url: page }) };
      },
    );
  const user = (account: string, id: string, product_type = 'mobile') => ({
    ...{ account, proxy_user_id: id, product_type },
  });

  it.each([
    ['one user', [user('main', 'a')], '?account=main&user=a&type=mobile'],
    ['both quotas of a user', [user('main', 'a'), user('main', 'a', 'residential')], '?account=main&user=a'],
    ['users of one account', [user('main', 'a'), user('main', 'b')], '?account=main'],
    ['users of the same name in two accounts', [user('main', 'a'), user('other', 'a')], ''],
    ['an account and the daemon', [{ account: 'main' }, {}], ''],
  ])('about %s', (_, labels, query) => {
    expect(sharedBy(...labels)).toBe(`https://proxywatch.example/${query}`);
  });

  it('is left out if no address is configured', () => {
    expect(pageOf([], () => ({ summary: '' }))).toBeUndefined();
  });
});
