// Tests what readers do on the status page: lists, zoom, the browser's history, time zones, alerts and silences.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { runToEnd, waitUntil } from '../cli/program.ts';
import { axeFindings, visit } from './browser.ts';
import { type DemoInBrowser, demoInBrowser, textOf } from './demo-in-browser.ts';
import { refresh, waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

/** If set, the test renews the README's screenshot. Otherwise it writes the screenshot to a temporary folder. */
const { RENEW_SCREENSHOT } = process.env;
const MAX_PICTURE_BYTES = 300_000;
const MAX_PICTURE_PX = 1_480;

/** Waits until the first runs have ended. */
const waitUntilCurrent = async (page: Page): Promise<void> => {
  const isCurrent = async () => !/Running|Stale/.test(await page.locator('body').innerText());
  await expect.poll(isCurrent, { timeout: MINUTE }).toBe(true);
};

describeWith(['chromium'], 'the use of the page in a browser', () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await demoInBrowser();
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  test('makes a screenshot for the README', async () => {
    await waitUntil(async () => (await fetch(`${demo.url}/-/ready`)).ok);
    await using visited = await visit(demo.browser, demo.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    if (RENEW_SCREENSHOT) await waitUntilCurrent(page);
    const path = RENEW_SCREENSHOT ? 'docs/status-page.png' : join(demo.folder, 'status-page.png');
    const { y = 0, height = 0 } =
      (await page.locator('section', { has: page.locator('#traffic') }).boundingBox()) ?? {};
    await page.screenshot({
      path,
      fullPage: true,
      clip: { x: 0, y: 0, width: 1280, height: Math.min(y + height + 12, MAX_PICTURE_PX) },
    });
    if (RENEW_SCREENSHOT) expect((await stat(path)).size).toBeLessThan(MAX_PICTURE_BYTES);
  });

  test('searches, filters and sorts a list with the keyboard, and keeps the choices in its URL', async () => {
    await using visited = await visit(demo.browser, `${demo.url}?account=demo&view=users`);
    const { page } = visited;
    const first = page.locator('#items tbody th').first();
    await first.waitFor();
    await page.getByRole('combobox', { name: 'State' }).focus();
    await page.keyboard.type('Exh');
    await page.getByText(/^\d proxy users$/).waitFor();
    for (const row of await page.locator('#items tbody tr').allInnerTexts())
      expect(row).toContain('Exhausted');
    await page.getByRole('button', { name: 'Proxy user' }).press('Enter');
    await page.locator('th[aria-sort=ascending]', { hasText: 'Proxy user' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search proxy users by id' }).fill('-00001');
    await expect.poll(() => page.evaluate('location.search')).toContain('q=-00001');
    const names = page.locator('#items tbody th');
    await expect
      .poll(async () => (await names.allInnerTexts()).every((name) => name.includes('-00001')))
      .toBe(true);
    const chosen = '?account=demo&view=users&state=exhausted&sort=id&q=-00001';
    expect(await page.evaluate('location.search')).toBe(chosen);
    const shown = await names.allInnerTexts();
    expect(shown).not.toEqual([]);
    expect(shown).toEqual(shown.toSorted());
    const { download: csv, json } = await page.evaluate<{ download: string; json: string }>(
      `({ download: document.querySelector('a[download]').href, json: document.querySelector('#downloads a:last-child').href })`,
    );
    const answer = (await (await fetch(json)).json()) as { data: { proxy_user_id: string }[] };
    expect(answer.data.map(({ proxy_user_id: id }) => id)).toEqual(shown);
    expect((await (await fetch(csv)).text()).trim().split('\n')).toHaveLength(shown.length + 1);
    await page.goto(demo.url + chosen);
    await expect.poll(() => names.allInnerTexts()).toEqual(shown);
    expect(await page.getByRole('combobox', { name: 'State' }).inputValue()).toBe('exhausted');
  });

  test('leads back to the page of a list and its search with the back button', async () => {
    await using visited = await visit(demo.browser, `${demo.url}?account=demo&view=users`);
    const { page } = visited;
    await page.getByRole('searchbox', { name: 'Search proxy users by id' }).fill('user');
    await expect.poll(() => page.evaluate('location.search')).toContain('q=user');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26 to 30').waitFor();
    const user = page.locator('#items tbody th a').first();
    const id = await user.innerText();
    await user.click();
    await expect.poll(() => page.title()).toContain(id);
    await page.goBack();
    await page.getByText('26 to 30').waitFor();
    expect(await page.locator('#items tbody th').first().innerText()).toBe(id);
    expect(await page.getByRole('searchbox', { name: 'Search proxy users by id' }).inputValue()).toBe('user');
  });

  test('zooms all plots by dragging, and leads back with the back button', async () => {
    await using visited = await visit(demo.browser, demo.url);
    const { page, problems } = visited;
    await waitUntilDrawn(page);
    await page.getByRole('radio', { name: '6 h', exact: true }).check({ force: true });
    await expect.poll(() => page.evaluate('location.search')).toBe('?range=6h');
    // The plots show the chosen range when the table does. It has a row for each hour.
    await expect.poll(() => page.locator('#traffic-table tbody tr').count()).toBeLessThan(10);
    const plot = page.locator('#traffic-bytes .u-over');
    await plot.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0 } = (await plot.boundingBox()) ?? {};
    await page.mouse.move(x + width / 4, y + 50);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 50, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.evaluate('location.search')).toMatch(/^\?from=.*&to=/);
    const query = new URLSearchParams(await page.evaluate<string>('location.search'));
    const hours = (Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')) / HOUR;
    expect(hours).toBeCloseTo(1.5, 0);
    expect(await page.locator('#range-text').innerText()).toMatch(/\d to \d/);
    await page.goBack();
    await expect.poll(() => page.evaluate('location.search')).toBe('?range=6h');
    await expect.poll(() => page.locator('#range-text').innerText()).toBe('');
    expect(await page.getByRole('radio', { name: '6 h', exact: true }).isChecked()).toBe(true);
    await page.goBack();
    await expect.poll(() => page.getByRole('radio', { name: '24 h', exact: true }).isChecked()).toBe(true);
    expect(problems).toEqual([]);
  });

  test('shows times in the time zone of the reader, with UTC in the tooltip', async () => {
    await using visited = await visit(demo.browser, demo.url, { timezoneId: 'Asia/Kolkata' });
    const { page } = visited;
    await waitUntilDrawn(page);
    const hour = page.locator('#traffic-table tbody time').first();
    const [, date, time] = /^from (\S+) (\S+) UTC$/.exec((await hour.getAttribute('title')) ?? '') ?? [];
    const inZone = new Date(Date.parse(`${date}T${time}Z`) + 330 * MINUTE).toISOString();
    expect(await hour.textContent()).toBe(`${inZone.slice(0, 10)} ${inZone.slice(11, 13)}:00`);
    expect(await textOf(page, '#traffic-totals')).toMatch(/\d [kMGT]B/);
    await page.getByRole('button', { name: 'show UTC' }).click();
    await expect.poll(() => textOf(page, '#time-zone-text')).toBe('Times are in UTC');
    await waitUntilDrawn(page);
    const [, utcDate, utcTime] =
      /^from (\S+) (\S+) UTC$/.exec((await hour.getAttribute('title')) ?? '') ?? [];
    expect(await hour.textContent()).toBe(`${utcDate} ${utcTime?.slice(0, 2)}:00`);
  });

  test.each([
    [1280, 800, 2],
    [390, 844, 5],
  ])('at %i x %i, the overview is at most %i screens long', async (width, height, screens) => {
    await using visited = await visit(demo.browser, demo.url, { viewport: { width, height } });
    const { page } = visited;
    await waitUntilDrawn(page);
    // Collectors are one line as soon as their first runs have ended.
    await waitUntilCurrent(page);
    for (const media of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: media });
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(
        screens * height,
      );
    }
    // The state of a service with a fault is long.
    const tall = `[...document.querySelectorAll('.cards tbody tr')].filter((row) => row.checkVisibility() &&
      row.offsetHeight > (row.matches('#services :not(:has(.good))') ? 3 : 2) * 32).map((row) => row.innerText)`;
    expect(await page.evaluate(tall)).toEqual([]);
    const colours = `['#quota-list td:not(.state)', '.quiet'].map((each) => getComputedStyle(document.querySelector(each)).color)`;
    const [cell, quiet] = await page.evaluate<string[]>(colours);
    expect(cell === quiet).toBe(width === 390);
    const collectors = page.locator('#collector-list > details');
    expect(await collectors.getAttribute('open')).toBe(null);
    expect(await collectors.innerText()).toMatch(/all \d+ OK/);
  });

  test.each([1280, 390])('has one row for each cause, which opens, at %i px', async (width) => {
    await using visited = await visit(demo.browser, demo.url, { viewport: { width, height: 900 } });
    const { page } = visited;
    await waitUntilDrawn(page);
    const row = page.locator('#alert-list').getByRole('row', { name: 'quotas are used up' });
    await row.getByText(/^user-.* and \d+ more$/).press('Enter');
    await row.getByText('has used up its').nth(1).waitFor();
    await row.getByRole('link', { name: 'ProxyUserQuotaExhausted', exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const faults = page.locator('#alert-list tbody tr', { hasText: 'proxies are at fault' }).first();
    // The alerts begin when the faults did, which is before the demo was started.
    expect(await faults.locator('td[data-label=Since]').innerText()).toMatch(/^\d+ d ago$/);
    // At some times of the day, a third proxy is at fault.
    expect(await textOf(page, '.headline')).toMatch(
      /(Needs you|Urgent) .*[23] proxies are at fault\. .*quotas are used up/,
    );
    await page.route('**/api/v1/alerts/groups?*', (route) =>
      route.fulfill({ json: { evaluated: false, evaluated_at: null, data: [], counts: [] } }),
    );
    await refresh(page);
    await page.locator('#alert-note').getByText('does not evaluate alerts').waitFor();
    // The verdicts say the same without alerts.
    await row.getByTitle('No alert reports this').waitFor();
  });

  test.each([1280, 390])('groups the use by label at %i px', async (width) => {
    const url = `${demo.url}?account=demo&range=7d`;
    await using visited = await visit(demo.browser, 'about:blank', { viewport: { width, height: 900 } });
    const { page } = visited;
    await page.goto(url);
    await waitUntilDrawn(page);
    await page.locator('summary', { hasText: 'Use by label' }).press('Enter');
    const rows = page.getByRole('table', { name: 'Use by team' }).getByRole('row');
    await rows
      .filter({ hasText: /^team-\d/ })
      .first()
      .waitFor();
    expect(await rows.last().innerText()).toMatch(/^not set\b/);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  });

  test('shows silenced alerts and their silence, also on a narrow screen', async () => {
    const comment = `Anna raises the quota ${'x'.repeat(100)}`;
    const api = `${demo.url}/api/v1/silences`;
    const response = await fetch(api, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account: 'demo', alert: 'ProxyUserQuotaExhausted', for: '2h', comment }),
    });
    const { id } = (await response.json()) as { id: string };
    for (const width of [1280, 390]) {
      await using visited = await visit(demo.browser, demo.url, { viewport: { width, height: 900 } });
      const { page, problems } = visited;
      await waitUntilDrawn(page);
      const row = page.locator('#alert-list').getByRole('row', { name: 'quotas are used up' });
      expect(await row.innerText()).toMatch(
        /Anna raises .*, since .* ago, ends in .* End now[\s\S]*– Silenced/,
      );
      const list = page.locator('#silence-list');
      await list.getByText('alert ProxyUserQuotaExhausted', { exact: true }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(problems).toEqual([]);
    }
    expect((await fetch(`${api}/${id}`, { method: 'DELETE' })).status).toBe(200);
  });

  // It changes the demo, so it comes last.
  test('the demo says how to break something, and the command says which alert fires', async () => {
    const [, address = ''] = / demo --listen (\S+) --break proxy /.exec(demo.output()) ?? [];
    const { code, stdout } = await runToEnd('demo', '--listen', address, '--break', 'proxy');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ProxyFailing( fires)? after/)]);
  });
});
