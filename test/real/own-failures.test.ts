// Tests in a browser that proxies which fail only because of others are not shown as failing, and that the page of a
// removed proxy says when the provider removed it.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { addressOf, type View } from '../../src/page/address.ts';
import { proxyAddress } from '../../src/simulator/identities.ts';
import { entryOf, hostOf, nameOf, URLS } from '../collectors/proxy-tests/tests-harness.ts';
import { ApiHarness } from '../http/api/api-harness.ts';
import { brokenWords, openBrowser, visit } from './browser.ts';
import { servePage } from './serve-page.ts';
import { waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

const PROXIES = 12;
const [OWN_FAILURE, REMOVED] = [7, 3];
const proxies = Array.from({ length: PROXIES }, (_, index) => entryOf(index));

describeWith(['chromium'], 'while a target and a tester fail', () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let api: ApiHarness;
  let url: string;
  beforeAll(async () => {
    browser = await openBrowser();
    const proxy_tests = { schedule: '0 * * * *', urls: URLS, proxies };
    api = stack.use(await ApiHarness.build({ proxies: PROXIES }, { proxy_tests }));
    const { outages, changes } = api.harness.simulator;
    await api.harness.advance(HOUR);
    outages.add({ kind: 'target', subject: 'shop.example' });
    outages.add({ kind: 'tester', subject: 'paris' });
    changes.add({ kind: 'proxy', subject: REMOVED, absent: true });
    for (let hour = 0; hour < 3; hour += 1) await api.harness.advance(HOUR);
    outages.add({ kind: 'proxy', subject: hostOf(OWN_FAILURE) });
    await api.harness.advance(HOUR);
    url = await servePage(stack, api.harness);
  });
  afterAll(async () => {
    await browser.close();
    await stack.disposeAsync();
  });

  /** Shows a view at the time of the daemon, and reads from it. */
  const read = async <T>(view: Omit<View, 'account'>, from: (page: Page) => Promise<T>): Promise<T> => {
    await using visited = await visit(browser, 'about:blank');
    const { page } = visited;
    await page.clock.setFixedTime(api.harness.clock.now());
    await page.goto(url + addressOf({ account: 'main', ...view }));
    await waitUntilDrawn(page);
    expect(await brokenWords(page)).toEqual([]);
    return await from(page);
  };

  test('the list begins with the proxy that fails by itself, and the others are OK', async () => {
    const states = await read({ view: 'proxies', id: '' }, (page) =>
      page
        .locator('tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...row.querySelectorAll('th, td')].slice(0, 2).map(({ textContent }) => textContent),
          ),
        ),
    );
    const [[first, state] = [], ...others] = states;
    expect([first, state?.trim()]).toEqual([nameOf(OWN_FAILURE), '! 1 of 4 fail']);
    expect(others).toHaveLength(PROXIES - 1);
    for (const [, each] of others)
      expect(each?.trim()).toMatch(
        /^✓ OK, (target shop and tester paris|tester paris and target shop) fail$/,
      );
  });

  test('the page of a removed proxy has its changes, and so has the page of its id in the inventory', async () => {
    const { inventory_id: id } = await api.answer(`accounts/main/proxies/${nameOf(REMOVED)}`);
    for (const shown of [nameOf(REMOVED), String(id)]) {
      const [title, facts, changes] = await read({ view: 'proxy', id: shown }, async (page) => {
        await page.waitForURL((address) => address.searchParams.get('id') === nameOf(REMOVED));
        await waitUntilDrawn(page);
        return [
          await page.locator('h1').innerText(),
          await page.locator('#inventory-facts').innerText(),
          await page.locator('#change-list').innerText(),
        ];
      });
      expect(title).toContain(nameOf(REMOVED));
      expect(facts).toMatch(/Removed from the inventory at \d{4}-\d\d-\d\d \d\d:\d\d\./);
      expect(changes).toMatch(new RegExp(`Removed[\\s\\S]*${proxyAddress(REMOVED).host}`));
    }
  });
});
