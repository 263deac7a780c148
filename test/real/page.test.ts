// Tests the status page in a browser: keyboard use, updates, and what it shows without JavaScript and when the daemon stops.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { ApiHarness } from '../http/api/api-harness.ts';
import { axeFindings, cutOffTables, visit } from './browser.ts';
import { type DemoInBrowser, demoInBrowser, textOf } from './demo-in-browser.ts';
import { refresh, waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

describeWith(['chromium'], 'the page in a browser', () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await demoInBrowser();
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  test('is accessible with all its tables open', async () => {
    await using visited = await visit(demo.browser, demo.url);
    const { page, problems } = visited;
    await waitUntilDrawn(page);
    await page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.getByRole('table', { name: 'Uptime by Tester' }).waitFor();
    for (const width of [1280, 1920, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await cutOffTables(page)).toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  test('can be used with the keyboard, and keeps the selection in its URL', async () => {
    await using visited = await visit(demo.browser, demo.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await page.getByRole('radio', { name: '24 h', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('#traffic-bytes').getByText('per hour').waitFor();
    await page.getByRole('combobox', { name: 'Graph' }).focus();
    await page.keyboard.type('shop');
    await page.getByText('Orders and stock').focus();
    await page.keyboard.press('Enter');
    const pages = page.getByRole('navigation', { name: 'Pages of products' });
    await pages.getByRole('button', { name: 'Next' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('6 to 10').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Next');
    expect(await page.evaluate('location.search')).toBe('?range=7d&graph=shop');
    await page.goto(`${demo.url}?range=7d&graph=shop`);
    await waitUntilDrawn(page);
    expect(await page.getByRole('combobox', { name: 'Graph' }).inputValue()).toBe('shop');
    expect(await page.getByRole('radio', { name: '7 d', exact: true }).isChecked()).toBe(true);
  });

  test('shows alerts and collectors without JavaScript', async () => {
    await using visited = await visit(demo.browser, demo.url, { javaScriptEnabled: false });
    const { page, problems } = visited;
    expect(await textOf(page, 'main')).toMatch(
      /Without JavaScript[\s\S]*proxies are at fault[\s\S]*Collectors[\s\S]*(all 17 OK|without data yet)/,
    );
    expect(await page.locator('.script-only:visible').count()).toBe(0);
    await page.goto(`${demo.url}?account=demo&view=proxy&id=isp-18`);
    expect(await textOf(page, 'main')).toMatch(/isp-18[\s\S]*This page needs JavaScript/);
    await page.getByRole('link', { name: 'Overview' }).click();
    expect(await textOf(page, 'main')).toContain('Without JavaScript');
    expect(problems).toEqual([]);
  });

  test('shows new data', async () => {
    await using harness = await ApiHarness.build();
    await using visited = await visit(demo.browser, `${harness.url}/`);
    const { page } = visited;
    await waitUntilDrawn(page);
    await expect.poll(() => textOf(page, '#traffic-totals')).toMatch(/\d [kMGT]?B/);
    const before = await textOf(page, '#traffic-totals');
    await harness.harness.advance(2 * HOUR);
    await refresh(page);
    await expect.poll(() => textOf(page, '#traffic-totals')).not.toBe(before);
  });

  test('reports that the daemon does not answer, and keeps its data', async () => {
    await using visited = await visit(demo.browser, demo.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    expect(await textOf(page, '#live')).toContain('Live');
    const before = await textOf(page, '#quota-list tbody th >> nth=0');
    await demo.stop();
    await refresh(page);
    await page.getByText('The daemon does not answer.').waitFor();
    expect(await textOf(page, '#quota-list tbody th >> nth=0')).toBe(before);
    expect(await axeFindings(page)).toEqual([]);
  });
});
