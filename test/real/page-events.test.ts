// Tests in a browser that plots mark events which can explain a jump, and that a list below them says the same.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { axeFindings, visit } from './browser.ts';
import { type DemoInBrowser, demoInBrowser, textOf } from './demo-in-browser.ts';
import { waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

/** Returns where something with this colour begins in the plot, in pixels of its canvas, if it is higher than `least`. */
const beginsOf = (page: Page, plot: string, colour: string, least: number): Promise<number[]> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('#${plot} canvas');
    const probe = document.body.appendChild(document.createElement('span'));
    probe.style.color = 'var(--${colour})';
    const [red, green, blue] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
    probe.remove();
    const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const hasColour = (x, y) => [red, green, blue].every((part, index) => data[4 * (y * width + x) + index] === part);
    const columns = [...Array(width).keys()].filter(
      (x) => [...Array(height).keys()].filter((y) => hasColour(x, y)).length > ${least});
    return columns.filter((x) => !columns.includes(x - 1));
  })()`);

const marksIn = (page: Page, plot: string): Promise<number[]> => beginsOf(page, plot, 'mark', 20);

/** Answers with these events, whose times are hours before now. */
const answerWith = (page: Page, hours: readonly number[]): Promise<unknown> =>
  page.route('**/api/v1/accounts/demo/events?*', (route) => {
    const data = hours.map((hour) => {
      const at = new Date(Date.now() - hour * HOUR).toISOString();
      return { kind: 'proxy_gone', at, until: at, count: 2, read_at: null, alert: null, comment: null };
    });
    const known = new Date(0).toISOString();
    return route.fulfill({
      json: {
        ...{ account: 'demo', subject: 'graph=', from: known, to: known, data },
        ...{ restarts_known_since: known, inventory_known_since: null, late_changes_known_since: known },
      },
    });
  });

const PLOTS = [
  ['&view=proxy&id=isp-18', 'test-times', 'test-failures'],
  ['&view=user&id=user-000001', 'use-plot'],
  ['', 'traffic-bytes', 'traffic-requests'],
] as const;

describeWith(['chromium'], 'events in the plots', () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await demoInBrowser();
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('are marked and listed at %i px, %s', async (width, colorScheme) => {
    await using visited = await visit(demo.browser, 'about:blank', {
      viewport: { width, height: 900 },
      colorScheme,
    });
    const { page } = visited;
    await answerWith(page, [20, 12, 4, 3.99]);
    for (const [view, ...plots] of PLOTS) {
      await page.goto(`${demo.url}?account=demo${view}`);
      await waitUntilDrawn(page);
      for (const plot of plots) expect([plot, (await marksIn(page, plot)).length]).toEqual([plot, 3]);
    }
    expect(await textOf(page, '#events summary')).toBe('Events: 4');
    await page.locator('#events summary').press('Enter');
    await expect.poll(() => page.locator('#events li').count()).toBe(4);
    expect(await textOf(page, '#events li >> nth=0')).toMatch(/^\S+ \d\d:\d\d 2 proxies removed$/);
    expect(await textOf(page, '#events')).toContain('Inventory changes are not shown.');
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  });

  test('are named beside the values at the cursor', async () => {
    await using visited = await visit(demo.browser, 'about:blank');
    const { page } = visited;
    await answerWith(page, [12]);
    await page.goto(`${demo.url}?account=demo`);
    await waitUntilDrawn(page);
    const [mark = 0] = await marksIn(page, 'traffic-bytes');
    await page.locator('#traffic-bytes').scrollIntoViewIfNeeded();
    const { x = 0, y = 0 } = (await page.locator('#traffic-bytes canvas').boundingBox()) ?? {};
    await page.mouse.move(x + mark, y + 60);
    await expect.poll(() => textOf(page, '#traffic-bytes .readout')).toContain('; 2 proxies removed');
    await page.mouse.move(x + mark + 100, y + 60);
    await expect.poll(() => textOf(page, '#traffic-bytes .readout')).not.toContain('removed');
  });

  test('the plot of the ledger has a bar for each day, also for the last, and marks days that were corrected or topped up', async () => {
    await using visited = await visit(demo.browser, 'about:blank');
    const { page } = visited;
    const days = ['2026-03-01', '2026-03-02', '2026-03-03'].map((date, index) => ({
      ...{ account: 'demo', date, reason: 'usage', service_id: null, added_bytes: 0 },
      ...{ used_bytes: 1e9, requests: 1, rows: 1, corrected_at: index === 1 ? '2026-03-04T10:00:00Z' : null },
    }));
    const topUp = { ...days[2], reason: 'top_up', added_bytes: 5e9, used_bytes: 0 };
    const data = [...days, topUp];
    await page.route('**/api/v1/ledger/days?*', (route) => route.fulfill({ json: { data } }));
    await page.goto(`${demo.url}?account=demo`);
    await waitUntilDrawn(page);
    const bars = await beginsOf(page, 'balance-plot', 'accent', 20);
    expect(bars).toHaveLength(days.length);
    const marks = await marksIn(page, 'balance-plot');
    expect(marks.map((mark) => bars.filter((bar) => bar < mark).length)).toEqual([2, 3]);
    expect(await textOf(page, '#balance-plot .key.mark')).toBe('bytes added, or corrected later');
  });

  test('come from the daemon, in one request', async () => {
    const response = await fetch(`${demo.url}/api/v1/silences`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account: 'demo', for: '1h', comment: 'Planned work' }),
    });
    expect(response.status).toBe(200);
    await using visited = await visit(demo.browser, 'about:blank');
    const { page } = visited;
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/events?')) requests.push(request.url());
    });
    await page.goto(`${demo.url}?account=demo&view=graph`);
    await waitUntilDrawn(page);
    await page.locator('#events summary').click();
    const list = page.locator('#events');
    await list.getByText('proxywatch restarted').first().waitFor();
    await list.getByText('a silence began: Planned work').first().waitFor();
    expect(requests).toHaveLength(1);
  });
});
