// Tests that the top of the status page never keeps good news that the daemon no longer confirms.

import { expect, test } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import type { Collector } from '../../src/page/answers.ts';
import { axeFindings, visit } from './browser.ts';
import { shareSmallWorld } from './small-world.ts';
import { failOnce, refresh, waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

describeWith(['chromium'], 'the top of the page', () => {
  const small = shareSmallWorld();

  test.each([
    '/api/v1/alerts/groups',
    '/api/v1/status',
    '/api/v1/users/summary',
    '/api/v1/faults',
    '/api/v1/services',
  ])('the sentence at the top says after an error of %s that a part is unknown', async (start) => {
    await using visited = await visit(small.browser, small.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    const headline = page.locator('.headline');
    expect(await headline.innerText()).not.toContain('unknown');
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await failOnce(page, start, 500);
      await refresh(page);
      await expect.poll(() => headline.innerText(), { timeout: 9_000 }).toContain('a part is unknown');
      expect(await axeFindings(page)).toEqual([]);
      await refresh(page);
      await expect.poll(() => headline.innerText(), { timeout: 9_000 }).not.toContain('unknown');
    }
  });

  test('the counts of quotas show the error instead of old counts', async () => {
    await using visited = await visit(small.browser, small.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    await failOnce(page, '/api/v1/users/summary', 500);
    await refresh(page);
    await expect
      .poll(() => page.locator('#quota-states').innerText(), { timeout: 9_000 })
      .toContain('made up');
  });

  test('says that a reload has removed the account', async () => {
    await using visited = await visit(small.browser, small.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    await page.route('**/api/v1/status', async (route) => {
      const answer = await (await route.fetch({ headers: {} })).json();
      await route.fulfill({ json: { ...answer, accounts: [] } });
    });
    await refresh(page);
    await page.locator('.headline').getByText('no longer has this account').waitFor();
    expect(await page.locator('#overview .badge.good').count()).toBe(0);
  });

  test('loads itself again after a reload has turned off a collector, at most once a minute', async () => {
    await using visited = await visit(small.browser, small.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    await page.evaluate('document.querySelector("dialog").showModal()');
    await page.route('**/api/v1/status', async (route) => {
      const answer = await (await route.fetch({ headers: {} })).json();
      for (const account of answer.accounts)
        account.collectors = account.collectors.filter(({ name }: Collector) => name !== 'proxy_users');
      await route.fulfill({ json: answer });
    });
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    const drawAgain = async (): Promise<void> => {
      const answered = page.waitForResponse('**/api/v1/status');
      await refresh(page);
      await answered;
      await waitUntilDrawn(page);
    };
    await drawAgain();
    expect(loads).toBe(0);
    await page.evaluate('document.querySelector("dialog").close()');
    await refresh(page);
    await expect.poll(() => loads, { timeout: 9_000 }).toBe(1);
    await waitUntilDrawn(page);
    await drawAgain();
    expect(loads).toBe(1);
    await page.clock.setFixedTime(Date.now() + MINUTE);
    await refresh(page);
    await expect.poll(() => loads, { timeout: 9_000 }).toBe(2);
  });
});
