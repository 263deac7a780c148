// Tests that the link of every alert opens a view with its data in a browser: the page of its subject, or its section.

import { beforeAll, expect, test } from 'vitest';
import type { Alert } from '../../src/alerts/alert.ts';
import { annotator } from '../../src/alerts/annotations.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { SECTIONS, VIEWS_BY_LABEL } from '../../src/page/address.ts';
import { visit } from './browser.ts';
import { BLOCKED_TARGET, FAILING_TESTER, FAULTY_PROXY } from './large-page.ts';
import { shareSmallWorld } from './small-world.ts';
import { waitUntilDrawn } from './views.ts';
import { answerOf } from './walk-steps.ts';
import { describeWith } from './with-programs.ts';

const UNKNOWN = /knows no|reported an error/i;

/** Alerts with the same labels and section open the same address. */
const ONE_OF_EACH = [
  ...new Map(
    ALERTS.map((alert) => {
      const subjects = alert.labels.filter((label) => label in VIEWS_BY_LABEL);
      return [`${alert.scope} ${alert.section} ${subjects}`, alert];
    }),
  ).values(),
];

describeWith(['chromium'], 'the link of', () => {
  const small = shareSmallWorld();
  let subjects: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const { data } = await answerOf<{ data: { service_id: string }[] }>(small.url, 'services?account=main');
    subjects = {
      ...{ proxy_user_id: 'user-000003', proxy_id: FAULTY_PROXY, service_id: data[0]?.service_id ?? '' },
      ...{ url: BLOCKED_TARGET, tester_server: FAILING_TESTER, graph: 'shop', product_type: 'residential' },
    };
  });

  const linkOf = ({ name: alert, scope, labels: names }: Alert): string => {
    const own = names.map((label) => [label, subjects[label] ?? 'other']);
    const labels = Object.fromEntries(scope === 'account' ? [['account', 'main'], ...own] : own);
    const annotate = annotator(ALERTS, () => ({ externalUrl: small.url }));
    const described = { severity: '', value: 1, summary: '', startsAt: 0, endsAt: null };
    return annotate({ alert, labels, ...described }).status_page_url ?? '';
  };

  test.each(ONE_OF_EACH)('$name opens a view with its data', async (alert) => {
    await using visited = await visit(small.browser, 'about:blank');
    const { page } = visited;
    const answers: number[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/v1/')) answers.push(response.status());
    });
    const response = await page.goto(linkOf(alert));
    await waitUntilDrawn(page);
    expect(response?.status()).toBe(200);
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await page.locator('#content.unknown').count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toMatch(UNKNOWN);
    const section = alert.scope === 'account' && alert.section;
    if (!section) return;
    const heading = page.locator(`h2#${section}`);
    expect(await heading.innerText()).toBe(SECTIONS[section]);
    const top = await page.evaluate<number>(
      `document.getElementById('${section}').getBoundingClientRect().top`,
    );
    expect(top).toBeGreaterThan(-1);
    expect(top).toBeLessThan(900);
  });
});
