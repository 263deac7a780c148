// Tests that the links of every alert open the page of its subject on a real server, as the links of the page itself do.

import { expect, test } from 'vitest';
import type { Alert } from '../../src/alerts/alert.ts';
import { annotator } from '../../src/alerts/annotations.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { SECTIONS, VIEW_NAMES, VIEWS_BY_LABEL, type ViewName, viewOf } from '../../src/page/address.ts';
import { html } from '../../src/page/html.ts';
import { linkToSubject, subjectOf } from '../../src/page/views/alerts.ts';
import { collectorStatus, NO_MAINTENANCE, NOW, startServer } from './support.ts';

/** The views of the alerts that have a subject. All others open the overview of their account. */
const VIEWS: Readonly<Record<string, ViewName>> = {
  ...{ ProxyUserQuotaExhausted: 'user', ProxyUserQuotaLow: 'user', ProxyUserQuotaExhaustionSoon: 'user' },
  UnknownClientAddress: 'user',
  ...{
    ProxyFailing: 'proxy',
    ProxyTestsStale: 'proxy',
    ProxyUnusableHere: 'proxy',
    ExitAddressWrong: 'proxy',
  },
  ...{ ProxyTargetBlocked: 'target', ProxyTestsInconclusive: 'target', ProxyTesterFailing: 'tester' },
  ...{ ProbesInconclusive: 'target' },
  ...{ ServiceExpiringSoon: 'service', ServicePaused: 'service', ServicePendingCancellation: 'service' },
  ...{ ServiceNotActive: 'service', ServiceProxiesMissing: 'service' },
  ...{ TrafficErrorRatioHigh: 'graph', TrafficStopped: 'graph' },
};
const HOSTILE = 'https://example.com/a b?c=1&view=proxy#<"\'+%41é';

const labelsOf = ({ scope, labels }: Alert, value: string): Readonly<Record<string, string>> => ({
  ...(scope === 'account' && { account: 'shop' }),
  ...Object.fromEntries(labels.map((label) => [label, value])),
});

const pageOf = (alert: Alert, labels: Readonly<Record<string, string>>, externalUrl: string): string => {
  const described = { severity: '', value: 1, summary: '', startsAt: 0, endsAt: null };
  const annotate = annotator(ALERTS, () => ({ externalUrl }));
  return annotate({ alert: alert.name, labels, ...described }).status_page_url ?? '';
};

/** Decodes the references to characters of HTML. */
const textOf = (markup: string): string =>
  markup
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

const titleAt = async (address: string): Promise<[status: number, title: string]> => {
  const response = await fetch(address);
  const [, title = ''] = /<title>(.*)<\/title>/.exec(await response.text()) ?? [];
  return [response.status, textOf(title)];
};

const startWithAccounts = () =>
  startServer({
    status: async () => ({
      version: '1.2.3',
      startedAt: NOW,
      maintenance: NO_MAINTENANCE,
      remoteWrite: [],
      accounts: ['main', 'shop'].map((name) => ({
        ...{ name, customerId: null, timeZone: 'UTC', currency: 'USD', collectors: [collectorStatus()] },
      })),
    }),
  });

test('the links of every alert open the page of its subject', async () => {
  await using server = await startWithAccounts();
  for (const alert of ALERTS) {
    const view = VIEWS[alert.name];
    const account = alert.scope === 'account' ? 'shop' : 'main';
    const subject = view === undefined ? '' : `${HOSTILE}, ${VIEW_NAMES[view].toLowerCase()} – `;
    const opened = await titleAt(pageOf(alert, labelsOf(alert, HOSTILE), server.url));
    expect([alert.name, ...opened]).toEqual([alert.name, 200, `${subject}proxywatch: ${account}`]);
  }
});

test('the section that an alert opens is on the overview', async () => {
  await using server = await startWithAccounts();
  const opened = ALERTS.map((alert) =>
    new URL(pageOf(alert, labelsOf(alert, 'a'), server.url)).hash.slice(1),
  );
  expect(Object.keys(SECTIONS)).toEqual(expect.arrayContaining(opened.filter((hash) => hash !== '')));
});

test('an alert about the whole account opens its traffic', async () => {
  await using server = await startWithAccounts();
  for (const alert of ALERTS.filter(({ name }) => VIEWS[name] === 'graph'))
    expect(await titleAt(pageOf(alert, { account: 'shop' }, server.url))).toEqual([
      200,
      'Whole account, traffic – proxywatch: shop',
    ]);
});

/** Returns the view to which the first link of the markup leads. */
const linkedView = (markup: { toString(): string }) => {
  const [, href = ''] = /href="([^"]*)"/.exec(markup.toString()) ?? [];
  return viewAt(textOf(href));
};

const viewAt = (address: string) =>
  viewOf(Object.fromEntries(new URL(address, 'http://localhost').searchParams), 'shop');

test.each(ALERTS.filter(({ name }) => name in VIEWS))('the page links $name to the same address', (alert) => {
  const labels = labelsOf(alert, HOSTILE);
  expect(linkedView(html`${subjectOf({ labels })}`)).toEqual(
    viewAt(pageOf(alert, labels, 'http://localhost/')),
  );
});

test('an alert with several subjects leads to the same one on the page and in notifications', () => {
  const [alert] = ALERTS;
  const names = Object.keys(VIEWS_BY_LABEL);
  for (const [index, first] of names.entries())
    for (const second of names.slice(index + 1)) {
      const labels = { account: 'shop', [second]: 'second', [first]: 'first' };
      const shown = linkedView(html`${linkToSubject({ labels }, 'text')}`);
      expect([first, second, shown]).toEqual([
        first,
        second,
        alert && viewAt(pageOf(alert, labels, 'http://localhost/')),
      ]);
      expect(shown?.id).toBe('first');
    }
});
