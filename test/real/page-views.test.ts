// Tests that each view of the status page is accessible, fits its width, breaks no word and reports no error.

import { beforeAll, expect, test } from 'vitest';
import { ALERTS } from '../../src/alerts/table.ts';
import { VIEWS } from '../../src/page/address.ts';
import { axeFindings, brokenWords, cutOffTables, openBrowser, unendedSentences, visit } from './browser.ts';
import { BLOCKED_TARGET, FAILING_TESTER, FAULTY_PROXY } from './large-page.ts';
import { shareSmallWorld } from './small-world.ts';
import { addressesOf, waitUntilDrawn } from './views.ts';
import { answerOf } from './walk-steps.ts';
import { describeWith } from './with-programs.ts';

/** Texts of a page whose subject is unknown, and of parts without data. */
const UNKNOWN = /knows no|has no alert of this name|not monitored|no data yet|reported an error/i;

describeWith(['chromium'], 'each view of the page', () => {
  const small = shareSmallWorld();
  let addresses: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const { data } = await answerOf<{ data: { service_id: string }[] }>(small.url, 'services?account=main');
    const subjects = { proxy: FAULTY_PROXY, target: BLOCKED_TARGET, tester: FAILING_TESTER };
    addresses = new Map(
      addressesOf(small.url, 'main', {
        ...{ ...subjects, user: 'user-000003', service: data[0]?.service_id ?? '' },
        ...{ graph: 'shop', alert: 'ProxyUserQuotaExhausted' },
      }),
    );
  });

  test.each(VIEWS)('%s', async (view) => {
    await using visited = await visit(small.browser, addresses.get(view) ?? '');
    const { page, problems } = visited;
    for (const width of [1280, 1920, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await waitUntilDrawn(page);
      expect(await page.locator('#content').innerText()).not.toMatch(UNKNOWN);
      expect(await page.locator('body').innerText()).not.toContain('Alertmanagers get all');
      expect(await page.locator('#content.unknown').count()).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(await brokenWords(page)).toEqual([]);
      expect(await unendedSentences(page)).toEqual([]);
      expect(await cutOffTables(page)).toEqual([]);
      expect(await axeFindings(page)).toEqual([]);
    }
    const origin = new URL(small.url).origin;
    expect(problems.filter((problem) => !problem.startsWith(`request to ${origin}`))).toEqual([]);
  });

  test.each(['?view=nowhere', '?account=nobody', '?view=proxy&id=none', '?view=user&id=none'])(
    'what is unknown is a page with a way back: %s',
    async (query) => {
      await using visited = await visit(small.browser, `${small.url}${query}`);
      const { page } = visited;
      await page
        .getByText(/has no view|is not known|knows no/)
        .first()
        .waitFor();
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
        expect(await axeFindings(page)).toEqual([]);
      }
      await page
        .getByRole('link', { name: /overview/i })
        .first()
        .click();
      await page.locator('.headline').waitFor();
    },
  );

  test.each([1280, 1920])('the matrix with many testers scrolls visibly at %i pixels', async (width) => {
    await using withBars = await openBrowser(['--hide-scrollbars']);
    await using visited = await visit(withBars, addresses.get('proxy') ?? '', {
      viewport: { width, height: 900 },
    });
    const { page } = visited;
    await page.locator('.matrix').first().waitFor();
    await page.evaluate(
      `for (const row of document.querySelectorAll('.matrix tr')) for (let n = 0; n < 20; n += 1) row.append(row.lastElementChild.cloneNode(true));`,
    );
    const excess = `document.querySelector('.matrix').offsetWidth - document.querySelector('.scrolling').offsetWidth`;
    expect(await page.evaluate(excess)).toBeGreaterThan(0);
    expect(await cutOffTables(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await cutOffTables(page)).toEqual([]);
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(sideways)).toBe(0);
    // Each result has a line of its own, after the name of its tester.
    const lines = await page.evaluate<[number, string, string][]>(
      `[...document.querySelectorAll('.matrix td')].map((cell) => [
        cell.getBoundingClientRect().top, getComputedStyle(cell, '::before').content, cell.dataset.label])`,
    );
    expect(new Set(lines.map(([top]) => top)).size).toBe(lines.length);
    for (const [, shown, tester] of lines) expect(shown).toContain(tester);
  });

  test.each(['proxy', 'target', 'tester'] as const)(
    'the page of a %s has one verdict, one uptime, and no period that is not over',
    async (view) => {
      await using visited = await visit(small.browser, addresses.get(view) ?? '');
      const { page } = visited;
      await waitUntilDrawn(page);
      const verdict = page.locator('.verdict');
      expect(await verdict.count()).toBe(1);
      const [, said = ''] = (await verdict.innerText()).split(' since ');
      expect((await page.locator('#content').innerText()).split(said)).toHaveLength(2);
      const periods = page.getByRole('table', { name: 'Uptime' }).locator('tbody th');
      // The account is known for less than two days.
      expect(await periods.allInnerTexts()).toEqual(['24 hours', 'Since the first test, at most 90 days']);
    },
  );

  test('says why a quota is unknown, and scales the use of users to the largest', async () => {
    await using visited = await visit(small.browser, 'about:blank');
    const { page } = visited;
    await page.route('**/api/v1/accounts/main/users/user-000003', async (route) => {
      const user = await (await route.fetch()).json();
      Object.assign(user.quotas.residential, { state: null, used_bytes: 1 });
      Object.assign(user.quotas.mobile, { state: null, used_bytes: null });
      await route.fulfill({ json: user });
    });
    // A phone has no room for bars.
    const bars = `[...document.querySelectorAll('#top-users .bar')].map(({ lastElementChild: used }) =>
      used.getBoundingClientRect().width / used.parentElement.getBoundingClientRect().width)`;
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(addresses.get('user') ?? '');
      await waitUntilDrawn(page);
      const quotas = await page.getByRole('table', { name: 'Quotas of the proxy user' }).innerText();
      expect(quotas).toMatch(/Unknown\s+a limit of 0 can mean no limit[\s\S]*Unknown\s+no use is known/);
      expect(await axeFindings(page)).toEqual([]);
    }
    await page.goto(small.url);
    await waitUntilDrawn(page);
    await page.locator('summary', { hasText: 'Proxy users with the most bytes' }).click();
    const [first, ...others] = await page.evaluate<number[]>(bars);
    expect(first).toBeCloseTo(1);
    expect(Math.min(...others)).toBeLessThan(1);
  });

  test('has room for the longest name of an alert', async () => {
    await using visited = await visit(small.browser, addresses.get('account') ?? '');
    const { page } = visited;
    await waitUntilDrawn(page);
    const longest = ALERTS.map(({ name }) => name).reduce((a, b) => (b.length > a.length ? b : a));
    const link = 'tbody th a[href*="view=alert"]';
    await page.evaluate(`document.querySelector('${link}').textContent = '${longest}'`);
    expect(await brokenWords(page)).toEqual([]);
  });
});
