// Tests the status page in a browser: accessibility, keyboard use, updates, and what it shows when the daemon stops.

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { Program, waitUntil } from '../cli/program.ts';
import { ApiHarness } from '../http/api/api-harness.ts';
import { axeFindings, openBrowser, visit } from './browser.ts';
import { describeWith } from './with-programs.ts';

/** If set, the test renews the README's screenshot. Otherwise it writes the screenshot to a temporary folder. */
const { RENEW_SCREENSHOT } = process.env;
const MAX_PICTURE_BYTES = 300_000;
const MAX_PICTURE_PX = 1_480;

/** Waits until all parts have been drawn. */
const waitUntilDrawn = async (page: Page): Promise<void> => {
  for (const id of ['summary', 'quota-list', 'proxies', 'products', 'balance-now', 'traffic-totals'])
    await page.locator(`#${id} > *`).first().waitFor();
  await page.locator('#traffic-bytes canvas').waitFor();
};

const textOf = (page: Page, selector: string): Promise<string> => page.locator(selector).innerText();

/** Makes the page refresh at once, as when a reader returns to its tab. */
const refresh = (page: Page): Promise<unknown> =>
  page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);

describeWith(['chromium'], 'the page in a browser', () => {
  let folder = '';
  let url = '';
  let demo: Program;
  let browser: Browser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proxywatch-page-'));
    demo = Program.start(['demo', '--listen', '127.0.0.1:0', '--data', join(folder, 'data')]);
    [url, browser] = await Promise.all([demo.url(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await demo[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [375, 'light'],
    [375, 'dark'],
  ] as const)('at %i px, %s, is accessible and fits the width', async (width, colorScheme) => {
    const looks = { viewport: { width, height: 900 }, colorScheme };
    await using visited = await visit(browser, url, looks);
    const { page, problems } = visited;
    await waitUntilDrawn(page);
    const showTables = `document.querySelectorAll('details').forEach((each) => { each.open = true; })`;
    if (width === 1280) await page.evaluate(showTables);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(problems).toEqual([]);
  });

  test('makes a screenshot for the README', async () => {
    await waitUntil(async () => (await fetch(`${url}/-/ready`)).ok);
    await using visited = await visit(browser, url);
    const { page } = visited;
    await waitUntilDrawn(page);
    const path = RENEW_SCREENSHOT ? 'docs/status-page.png' : join(folder, 'status-page.png');
    const { y = 0, height = 0 } =
      (await page.locator('section', { has: page.locator('#traffic') }).boundingBox()) ?? {};
    await page.screenshot({
      path,
      fullPage: true,
      clip: { x: 0, y: 0, width: 1280, height: Math.min(y + height + 12, MAX_PICTURE_PX) },
    });
    if (RENEW_SCREENSHOT) expect((await stat(path)).size).toBeLessThan(MAX_PICTURE_BYTES);
  });

  test('can be used with the keyboard, and keeps the selection in its URL', async () => {
    await using visited = await visit(browser, url);
    const { page } = visited;
    await waitUntilDrawn(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await page.getByRole('radio', { name: '24 hours' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('per hour').first().waitFor();
    await page.getByRole('combobox', { name: 'Graph' }).focus();
    await page.keyboard.type('shop');
    await page.getByRole('button', { name: 'Next' }).first().waitFor();
    await page.getByRole('navigation', { name: 'proxy users' }).getByRole('button', { name: 'Next' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('16 to 30').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Next');
    await page.getByRole('combobox', { name: 'State' }).focus();
    await page.keyboard.type('Exh');
    await expect.poll(() => textOf(page, '#quota-list tbody')).toMatch(/^(?:(?!OK|Low)[\s\S])*Exhausted/);
    await page.getByRole('searchbox', { name: 'User' }).fill('user-000001');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#quota-list tbody tr').count()).toBe(1);
    const chosen = '?range=week&graph=shop&state=exhausted&user=user-000001';
    expect(await page.evaluate('location.search')).toBe(chosen);
    await page.goto(url + chosen);
    await waitUntilDrawn(page);
    expect(await textOf(page, '#quota-list tbody th')).toBe('user-000001');
    expect(await page.getByRole('combobox', { name: 'Graph' }).inputValue()).toBe('shop');
    expect(await page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);
  });

  test('shows times in the time zone of the reader, with UTC in the tooltip', async () => {
    await using visited = await visit(browser, url, { timezoneId: 'Asia/Kolkata' });
    const { page } = visited;
    await waitUntilDrawn(page);
    const hour = page.locator('#traffic-table tbody time').first();
    const [, date, time] = /^from (\S+) (\S+) UTC$/.exec((await hour.getAttribute('title')) ?? '') ?? [];
    const inZone = new Date(Date.parse(`${date}T${time}Z`) + 330 * MINUTE).toISOString();
    expect(await hour.textContent()).toBe(`${inZone.slice(0, 10)} ${inZone.slice(11, 13)}:00`);
    expect(await textOf(page, '#traffic-totals')).toMatch(/\d [kMGT]B/);
  });

  test('groups alerts by name, and expands a group', async () => {
    await using visited = await visit(browser, url);
    const { page } = visited;
    await waitUntilDrawn(page);
    const row = page.getByRole('row', { name: 'ProxyUserQuotaExhausted' });
    await row.getByText(/^and \d+ more$/).focus();
    await page.keyboard.press('Enter');
    await row.getByText('has used up its').nth(1).waitFor();
    expect(await row.innerText()).toContain('Firing (warning)');
    await page.route('**/api/v1/alerts?*', (route) =>
      route.fulfill({ json: { evaluated: false, data: [], next_cursor: null } }),
    );
    await refresh(page);
    await page.getByText('does not evaluate alerts').waitFor();
  });

  test('requests the alert history only while the reader has opened it', async () => {
    await using visited = await visit(browser, url, { viewport: { width: 375, height: 900 } });
    const { page, problems } = visited;
    const requested: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/alerts/history')) requested.push(request.url());
    });
    await waitUntilDrawn(page);
    expect(requested).toEqual([]);
    await page.getByText('Alert history').focus();
    await page.keyboard.press('Enter');
    const row = page.locator('#alert-history-list').getByRole('row', { name: 'ProductOutOfStock' }).first();
    await row.waitFor();
    expect(await row.innerText()).toContain('Firing (info)');
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(problems).toEqual([]);
  });

  test('shows silenced alerts and their silence, also on a narrow screen', async () => {
    const comment = `Anna raises the quota ${'x'.repeat(100)}`;
    const api = `${url}/api/v1/silences`;
    const response = await fetch(api, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account: 'demo', alert: 'ProxyUserQuotaExhausted', for: '2h', comment }),
    });
    const { id } = (await response.json()) as { id: string };
    for (const width of [1280, 375]) {
      await using visited = await visit(browser, url, { viewport: { width, height: 900 } });
      const { page, problems } = visited;
      await waitUntilDrawn(page);
      const row = page.locator('#alert-list').getByRole('row', { name: 'ProxyUserQuotaExhausted' });
      expect(await row.innerText()).toMatch(/Silenced \(warning\)[\s\S]*Silenced, ends in .* \(Anna raises/);
      const list = page.locator('#silence-list');
      await list.getByText('account demo, alert ProxyUserQuotaExhausted').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(problems).toEqual([]);
    }
    expect((await fetch(`${api}/${id}`, { method: 'DELETE' })).status).toBe(200);
  });

  test('shows alerts and collectors without JavaScript', async () => {
    await using visited = await visit(browser, url, { javaScriptEnabled: false });
    const { page, problems } = visited;
    expect(await textOf(page, 'main')).toMatch(
      /Without JavaScript[\s\S]*ProxyFailing[\s\S]*proxy_users[\s\S]*OK/,
    );
    expect(await page.locator('.script-only:visible').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('shows new data, and a page of 10,000 users within a second', async () => {
    await using harness = await ApiHarness.build({ users: 10_000 });
    await using visited = await visit(browser, `${harness.url}/`);
    const { page } = visited;
    await page.locator('#quota-list tbody tr').nth(14).waitFor();
    expect(await page.locator('#quota-list tbody tr').count()).toBe(15);
    const nextPage = page
      .getByRole('navigation', { name: 'proxy users' })
      .getByRole('button', { name: 'Next' });
    await nextPage.click();
    await page.getByText('16 to 30').waitFor();
    // Uses the fastest request, because other programs may use the machine at the same time.
    const times = `performance.getEntriesByType('resource')
      .filter(({name}) => name.includes('/users?')).map(({duration}) => duration)`;
    expect(Math.min(...(await page.evaluate<number[]>(times)))).toBeLessThan(1_000);
    const before = await textOf(page, '#traffic-totals');
    await harness.harness.advance(2 * HOUR);
    await refresh(page);
    await expect.poll(() => textOf(page, '#traffic-totals')).not.toBe(before);
  });

  test('reports that the daemon does not answer, and keeps its data', async () => {
    await using visited = await visit(browser, url);
    const { page } = visited;
    await waitUntilDrawn(page);
    expect(await textOf(page, '#live')).toContain('Live');
    const before = await textOf(page, '#quota-list tbody th >> nth=0');
    demo.kill('SIGTERM');
    await demo.ended;
    await refresh(page);
    await page.getByText('The daemon does not answer.').waitFor();
    expect(await textOf(page, '#quota-list tbody th >> nth=0')).toBe(before);
    expect(await axeFindings(page)).toEqual([]);
  });
});
