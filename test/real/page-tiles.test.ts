// Tests that the figures at the top of the status page never keep good news that the daemon no longer confirms.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, visit } from './browser.ts';
import { failOnce, refresh, waitUntilDrawn } from './views.ts';
import { startSmallWorld, type WalkWorld } from './walk-world.ts';
import { describeWith } from './with-programs.ts';

const ERROR = 'unknown, the daemon reported an error';

describeWith(['chromium'], 'the figures at the top', () => {
  let world: WalkWorld;
  let browser: Browser;
  beforeAll(async () => {
    [world, browser] = await Promise.all([startSmallWorld(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await world[Symbol.asyncDispose]();
  });

  test.each([
    ['Traffic, 24 hours', '', '/api/v1/accounts/main/traffic'],
    ['Traffic, 24 hours', '?range=7d', '/api/v1/accounts/main/traffic'],
    ['Quotas', '', '/api/v1/users/summary'],
    ['Residential balance', '', '/api/v1/ledger?'],
    ['Proxy tests', '', '/api/v1/faults'],
  ])(
    '%s is unknown after an error at %j, and known again after the next answer',
    async (name, query, start) => {
      await using visited = await visit(browser, world.url + query);
      const { page } = visited;
      await waitUntilDrawn(page);
      const tile = page.locator('#summary .tile', { has: page.getByRole('link', { name, exact: true }) });
      expect(await tile.innerText()).not.toContain('unknown');
      // With another range, the figure and the plots have a request each.
      for (let request = 0; request < (query === '' ? 1 : 2); request += 1) await failOnce(page, start, 500);
      await refresh(page);
      await expect.poll(() => tile.innerText(), { timeout: 9_000 }).toContain(ERROR);
      expect(await tile.locator('.badge.good').count()).toBe(0);
      await refresh(page);
      await expect.poll(() => tile.innerText(), { timeout: 9_000 }).not.toContain('unknown');
    },
  );

  test.each([
    '/api/v1/alerts/groups',
    '/api/v1/status',
    '/api/v1/users/summary',
    '/api/v1/faults',
    '/api/v1/services',
  ])('the sentence at the top says after an error of %s that a part is unknown', async (start) => {
    await using visited = await visit(browser, world.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    const headline = page.locator('.headline');
    expect(await headline.innerText()).not.toContain('unknown');
    await failOnce(page, start, 500);
    await refresh(page);
    await expect.poll(() => headline.innerText(), { timeout: 9_000 }).toContain('a part is unknown');
    await refresh(page);
    await expect.poll(() => headline.innerText(), { timeout: 9_000 }).not.toContain('unknown');
  });

  test('the counts of quotas show the error instead of old counts', async () => {
    await using visited = await visit(browser, world.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    await failOnce(page, '/api/v1/users/summary', 500);
    await refresh(page);
    await expect
      .poll(() => page.locator('#quota-states').innerText(), { timeout: 9_000 })
      .toContain('made up');
  });

  test('all are unknown when a reload has removed the account', async () => {
    await using visited = await visit(browser, world.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    await page.route('**/api/v1/status', async (route) => {
      const answer = await (await route.fetch({ headers: {} })).json();
      await route.fulfill({ json: { ...answer, accounts: [] } });
    });
    await refresh(page);
    const notes = page.locator('#summary .tile .note');
    const removed = Array.from({ length: 4 }, () => '– no longer configured');
    await expect.poll(() => notes.allInnerTexts(), { timeout: 9_000 }).toEqual(removed);
  });

  test('traffic of the whole account is known while the answer about a removed graph is late', async () => {
    await using visited = await visit(browser, 'about:blank');
    const { page } = visited;
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route(
      (url) => url.pathname.endsWith('/traffic') && url.searchParams.get('graph') === 'removed',
      async (route) => {
        await isReleased;
        await route.continue();
      },
    );
    await page.goto(`${world.url}?account=main&graph=removed`);
    await expect.poll(() => page.evaluate('location.search')).toBe('?account=main');
    const tile = page.locator('#summary .tile', { hasText: 'Traffic, 24 hours' });
    await expect.poll(() => tile.innerText()).toContain('requests');
    release();
    await page.locator('#traffic-totals').getByText('Not monitored').waitFor();
    expect(await tile.innerText()).toContain('requests');
  });
});
