// Tests the lists of the page in a browser: strips of the last 24 hours, filters with known values, and names before ids.

import { expect, test } from 'vitest';
import type { InventoryChange } from '../../src/page/answers.ts';
import { axeFindings, visit } from './browser.ts';
import { shareSmallWorld } from './small-world.ts';
import { costOf, waitUntilDrawn } from './views.ts';
import { answerOf } from './walk-steps.ts';
import { describeWith } from './with-programs.ts';

describeWith(['chromium'], 'the lists in a browser', () => {
  const small = shareSmallWorld();

  test('each row of tested proxies has a strip with a text, from one request in few bytes', async () => {
    const address = `${small.url}?account=main&view=proxies`;
    await using visited = await visit(small.browser, address);
    const { page } = visited;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.reload();
    await waitUntilDrawn(page);
    expect(requests.filter((url) => url.includes('/uptimes')).length).toBe(1);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const strips = page.locator('#items tbody tr svg.strip');
      expect(await strips.filter({ visible: true }).count()).toBe(25);
      expect(await page.locator('#items tbody tr').count()).toBe(25);
      const label = (await strips.first().getAttribute('aria-label')) ?? '';
      expect(label).toMatch(/^own failures in \d+ of \d+ hours, other failures in \d+/);
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    }
    const { bytes, largestAnswer, requests: count } = await costOf(small.browser, address);
    console.log(`the list of proxies: ${bytes} bytes in ${count} answers, the largest ${largestAnswer.path}`);
    const hours = await fetch(requests.find((url) => url.includes('/uptimes/hours')) ?? '');
    const stripBytes = (await hours.text()).length;
    console.log(`of which the strips: ${stripBytes} bytes`);
    expect(stripBytes / bytes).toBeLessThan(0.2);
  });

  test.each([1280, 390])('a change of a city has the names of both at %i px', async (width) => {
    const { data } = await answerOf<{ data: InventoryChange[] }>(
      small.url,
      'inventory/changes?account=main&change=city',
    );
    const address = `${small.url}?account=main&view=changes&change=city`;
    await using visited = await visit(small.browser, address, { viewport: { width, height: 900 } });
    await waitUntilDrawn(visited.page);
    const rows = await visited.page.locator('#items tbody tr').allInnerTexts();
    expect([rows.length > 0, rows.length]).toEqual([true, data.length]);
    for (const [index, { before_name: before, after_name: after }] of data.entries())
      expect(rows[index]).toMatch(new RegExp(`City[^]*${before} city id[^]*${after} city id`));
  });

  test.each([1280, 390])(
    'filters with known values are choices, and keep that of the address, at %i px',
    async (width) => {
      const address = `${small.url}?account=main&view=inventory&country_id=FR`;
      await using visited = await visit(small.browser, address, { viewport: { width, height: 900 } });
      const { page } = visited;
      await waitUntilDrawn(page);
      const country = page.getByRole('combobox', { name: 'Country' });
      expect(await country.locator('option').allInnerTexts()).toEqual(['All', 'DE', 'FR', 'GB', 'US']);
      expect(await country.inputValue()).toBe('fr');
      for (const row of await page.locator('#items tbody tr').allInnerTexts()) expect(row).toContain('Paris');
      const all = await page.locator('#total').innerText();
      await country.selectOption('');
      await expect.poll(() => page.locator('#total').innerText()).not.toBe(all);
      const first = page.locator('#items thead th');
      expect([await first.first().innerText(), await first.last().innerText()]).toEqual(['Address', 'Id']);
      await page.goto(`${small.url}?account=main&view=failures`);
      await waitUntilDrawn(page);
      const target = page.getByRole('combobox', { name: 'Target' });
      await target.selectOption('shop');
      await expect.poll(() => page.evaluate('location.search')).toContain('url=shop');
      expect(await page.locator('.controls input[type=search]').count()).toBe(2);
      expect(await axeFindings(page)).toEqual([]);
    },
  );
});
