// Tests the links to the status page: they lead to the alert's subject, and to what several alerts share.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { annotator, labelsInQuery, labelTemplates, linksOf } from '../../src/alerts/annotations.ts';
import { pageOf } from '../../src/alerts/receivers/templates/parts.ts';
import { ruleLabels } from '../../src/alerts/rules.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { type Section, VIEWS_BY_LABEL } from '../../src/page/address.ts';

type Labels = Readonly<Record<string, string>>;

const pageFor = (labels: Labels, externalUrl = 'https://proxywatch.example/', section?: Section) =>
  linksOf('Low', { externalUrl }, labelsInQuery(labels), section).status_page_url;

describe('the link to the status page', () => {
  it.each([
    ['an alert about the daemon', {}, ''],
    ['an alert about a receiver', { receiver: 'slack' }, ''],
    ['an alert about a collector', { account: 'main', collector: 'traffic' }, '?account=main'],
    ['the balance of a product', { account: 'main', product_type: 'mobile' }, '?account=main'],
    [
      'an alert about a proxy user',
      { account: 'main', proxy_user_id: 'a b', product_type: 'mobile' },
      '?account=main&view=user&id=a+b&type=mobile',
    ],
    [
      'an alert about a target',
      { account: 'main', url: 'https://example.com/?a=1&b=2#c' },
      '?account=main&view=target&id=https%3A%2F%2Fexample.com%2F%3Fa%3D1%26b%3D2%23c',
    ],
    ['the traffic of the whole account', { account: 'main', graph: '' }, '?account=main&view=graph&id='],
  ])('of %s', (_, labels, query) => {
    expect(pageFor(labels)).toBe(`https://proxywatch.example/${query}`);
  });

  it('leads to the first of several subjects, in a fixed order', () => {
    const order = Object.keys(VIEWS_BY_LABEL);
    expect(order).toEqual(['proxy_user_id', 'proxy_id', 'service_id', 'url', 'tester_server', 'graph']);
    for (const [index, first] of order.entries()) {
      const labels = Object.fromEntries(order.slice(index).map((name) => [name, name]));
      const { searchParams } = new URL(pageFor({ account: 'main', ...labels }) ?? '');
      expect(searchParams.get('id')).toBe(first);
    }
  });

  it('keeps the query and the anchor of the configured address', () => {
    expect(pageFor({ account: 'main' }, 'https://proxywatch.example/?x=1#quotas')).toBe(
      'https://proxywatch.example/?x=1&account=main#quotas',
    );
  });

  it('leads to the section of the account', () => {
    const externalUrl = 'https://proxywatch.example/?x=1#alerts';
    expect(pageFor({ account: 'main', collector: 'traffic' }, externalUrl, 'collectors')).toBe(
      'https://proxywatch.example/?x=1&account=main#collectors',
    );
    expect(pageFor({ receiver: 'slack' }, externalUrl, 'collectors')).toBe(externalUrl);
  });

  test('any id of a subject is read back from the address, and cannot write markup', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.entries(VIEWS_BY_LABEL)),
        fc.string({ unit: 'grapheme' }),
        ([label, view], id) => {
          const page = pageFor({ account: 'main', [label]: id }) ?? '';
          expect(Object.fromEntries(new URL(page).searchParams)).toEqual({ account: 'main', view, id });
          expect(page).toMatch(/^https:\/\/proxywatch\.example\/\?account=main&view=\w+&id=[\w.~+%-]*$/);
        },
      ),
    );
  });
});

const SETTINGS = { externalUrl: 'https://proxywatch.example/' };

test.each(ALERTS)('the rule of $name has the link that the daemon has', (alert) => {
  const template = linksOf(
    alert.name,
    SETTINGS,
    labelTemplates(ruleLabels(alert)),
    alert.section,
  ).status_page_url;
  const subject = { severity: '', value: 1, summary: '', startsAt: 0, endsAt: null };
  // A whole account has no label `graph`, which is empty in templates.
  for (const missing of ['', 'graph']) {
    const names = ruleLabels(alert).filter((name) => name !== missing);
    const labels: Labels = Object.fromEntries(names.map((name) => [name, `of-${name}`]));
    const annotations = annotator(ALERTS, () => SETTINGS)({ alert: alert.name, labels, ...subject });
    const filled = template?.replaceAll(TEMPLATE, (_, name) => labels[name] ?? '');
    expect(annotations.status_page_url).toBe(filled);
  }
});

const TEMPLATE = /\{\{ \$labels\.(\w+) \| urlquery \}\}/g;

test.each(ALERTS)('$name has at most one subject', ({ labels }) => {
  expect(labels.filter((name) => name in VIEWS_BY_LABEL).length).toBeLessThanOrEqual(1);
});

describe('the link of a message', () => {
  const sharedBy = (...all: Labels[]) => sharedIn(undefined, ...all);
  const sharedIn = (section: Section | undefined, ...all: Labels[]) =>
    pageOf(
      all.map((labels) => ({
        ...{ alert: 'Low', severity: 'warning', summary: '', value: 1, startsAt: 0, endsAt: null },
        labels,
      })),
      ({ labels }) => {
        const page = pageFor(labels, undefined, section);
        return { summary: '', ...(page !== undefined && { status_page_url: page }) };
      },
    );
  const user = (account: string, id: string, product_type = 'mobile') => ({
    ...{ account, proxy_user_id: id, product_type },
  });

  it.each([
    ['one user', [user('main', 'a')], '?account=main&view=user&id=a&type=mobile'],
    [
      'both quotas of a user',
      [user('main', 'a'), user('main', 'a', 'residential')],
      '?account=main&view=user&id=a',
    ],
    [
      'a user and a proxy of the same name',
      [user('main', 'a'), { account: 'main', proxy_id: 'a' }],
      '?account=main',
    ],
    ['a proxy and its account', [{ account: 'main', proxy_id: 'a' }, { account: 'main' }], '?account=main'],
    [
      'one target',
      [
        { account: 'main', url: 'a' },
        { account: 'main', url: 'a' },
      ],
      '?account=main&view=target&id=a',
    ],
    ['users of one account', [user('main', 'a'), user('main', 'b')], '?account=main'],
    ['users of the same name in two accounts', [user('main', 'a'), user('other', 'a')], ''],
    ['an account and the daemon', [{ account: 'main' }, {}], ''],
  ])('about %s', (_, labels, query) => {
    expect(sharedBy(...labels)).toBe(`https://proxywatch.example/${query}`);
  });

  it('about one section of one account leads to this section', () => {
    const about = (...accounts: string[]) =>
      sharedIn('collectors', ...accounts.map((account, index) => ({ account, collector: `c${index}` })));
    expect(about('main', 'main')).toBe('https://proxywatch.example/?account=main#collectors');
    expect(about('main', 'other')).toBe('https://proxywatch.example/');
    expect(sharedIn('collectors', { account: 'main' }, { account: 'main', proxy_id: 'a' })).toBe(
      'https://proxywatch.example/?account=main',
    );
  });

  it('is left out if no address is configured', () => {
    expect(pageOf([], () => ({ summary: '' }))).toBeUndefined();
  });
});
