// Tests that the status page shows what the reader chose last, also if answers are late, and after the back button.

import { expect, test } from 'vitest';
import { visit } from './browser.ts';
import { shareSmallWorld } from './small-world.ts';
import { waitUntilDrawn } from './views.ts';
import { answerOf } from './walk-steps.ts';
import { describeWith } from './with-programs.ts';

describeWith(['chromium'], 'the choices of the reader', () => {
  const small = shareSmallWorld();

  test('a double click on Next turns one page', async () => {
    await using visited = await visit(small.browser, `${small.url}?account=main&view=failures`);
    const { page } = visited;
    await waitUntilDrawn(page);
    const first = await page.locator('#items').innerText();
    await page
      .getByRole('button', { name: 'Next' })
      .evaluate((button: { click(): void }) => [button.click(), button.click()]);
    await page.getByText('26 to 50').waitFor({ timeout: 9_000 });
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('1 to 25', { exact: true }).waitFor({ timeout: 9_000 });
    expect(await page.locator('#items').innerText()).toBe(first);
  });

  test('Next is disabled until the page shows the list that was searched', async () => {
    await using visited = await visit(small.browser, `${small.url}?account=main&view=users`);
    const { page } = visited;
    await waitUntilDrawn(page);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const isSearch = ({ pathname, search }: URL): boolean =>
      pathname.endsWith('/users') && search.includes('q=user');
    await page.route(isSearch, async (route) => {
      await isReleased;
      await route.continue();
    });
    const next = page.getByRole('button', { name: 'Next' });
    expect(await next.isEnabled()).toBe(true);
    const [request] = await Promise.all([
      page.waitForRequest((it) => isSearch(new URL(it.url()))),
      page.getByRole('searchbox', { name: 'Search proxy users by id' }).fill('user'),
    ]);
    await expect.poll(() => next.isEnabled(), { timeout: 9_000 }).toBe(false);
    release();
    await request.response();
    await next.click();
    await page.getByText('26 to 40').waitFor({ timeout: 9_000 });
  });

  test('the back button leads back to the graph and the product type that it shows', async () => {
    await using visited = await visit(small.browser, small.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    const graph = page.getByRole('combobox', { name: 'Graph' });
    const type = page.locator('input[name=type]:checked');
    const quotas = page.getByRole('table', { name: 'Quotas of proxy users, mobile' });
    await page.getByRole('radio', { name: '7 d', exact: true }).check({ force: true });
    await graph.selectOption('shop');
    await page.getByRole('radio', { name: 'Mobile', exact: true }).check({ force: true });
    await quotas.waitFor();
    await page.goBack();
    await expect.poll(() => graph.inputValue(), { timeout: 9_000 }).toBe('');
    expect(await type.inputValue()).toBe('');
    await quotas.waitFor({ state: 'detached' });
    await page.goForward();
    await expect.poll(() => graph.inputValue(), { timeout: 9_000 }).toBe('shop');
    expect(await type.inputValue()).toBe('mobile');
    await quotas.waitFor();
  });

  test('the back button leads back to the filter of a list', async () => {
    await using visited = await visit(small.browser, `${small.url}?account=main&view=users`);
    const { page } = visited;
    await waitUntilDrawn(page);
    const state = page.getByRole('combobox', { name: 'State' });
    const all = await page.locator('#total').innerText();
    await page.evaluate(`location.hash = 'items'`);
    await state.selectOption('exhausted');
    await expect.poll(() => page.locator('#total').innerText()).not.toBe(all);
    await page.goBack();
    await expect.poll(() => page.locator('#total').innerText(), { timeout: 9_000 }).toBe(all);
    expect(await state.inputValue()).toBe('');
  });

  test('an error about a range disappears when the reader chooses another', async () => {
    await using visited = await visit(small.browser, small.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    await page.getByText('Other range').click();
    await page.getByLabel('From', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const error = page.locator('#range-error');
    expect(await error.innerText()).toContain('Enter a start');
    await page.getByRole('radio', { name: '7 d', exact: true }).check({ force: true });
    expect(await error.innerText()).toBe('');
  });

  test('an order alone does not make an empty list say that nothing matches', async () => {
    await using visited = await visit(small.browser, 'about:blank');
    const { page } = visited;
    await page.route(
      (url) => url.pathname === '/api/v1/users',
      (route) => route.fulfill({ json: { data: [], next_cursor: null, total: 0 } }),
    );
    await page.goto(`${small.url}?account=main&view=users&sort=id`);
    const note = page.locator('#items .empty');
    await note.waitFor();
    expect(await note.innerText()).not.toBe('Nothing matches.');
    await page.goto(`${small.url}?account=main&view=users&sort=id&q=nobody`);
    await expect.poll(() => note.innerText()).toBe('Nothing matches.');
  });

  test('the use of a user has the range of its points', async () => {
    const path = 'accounts/main/users/user-000003/use';
    const use = await answerOf<Record<string, unknown>>(small.url, `${path}?step=hour`);
    await using visited = await visit(small.browser, 'about:blank', { timezoneId: 'UTC' });
    const { page } = visited;
    const whole = { from: '2026-03-01T12:00:00.000Z', to: '2026-03-01T14:00:00.000Z' };
    const bytes = { residential: 1_000, mobile: null };
    const data = [{ at: whole.from, width_seconds: 7_200, bytes }];
    await page.route(
      (url) => url.pathname === `/api/v1/${path}`,
      (route) => route.fulfill({ json: { ...use, ...whole, totals: bytes, data } }),
    );
    await page.goto(`${small.url}?account=main&view=user&id=user-000003`);
    const shown = page.getByText('Whole hours, from 2026-03-01 12:00 to 2026-03-01 14:00.');
    await shown.waitFor({ timeout: 9_000 });
    expect(await page.locator('#use-totals').innerText()).toMatch(/Residential\s+1 kB/);
  });
});
