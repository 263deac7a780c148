// Tests that the status page recovers from failed answers and refused cursors, and keeps what the reader chose.

import { expect, test } from 'vitest';
import { visit } from './browser.ts';
import { shareSmallWorld } from './small-world.ts';
import { failOnce, refresh, waitUntilDrawn } from './views.ts';
import { answerOf } from './walk-steps.ts';
import { describeWith } from './with-programs.ts';

describeWith(['chromium'], 'a page that was interrupted', () => {
  const small = shareSmallWorld();

  test('shows a list again after one error', async () => {
    await using visited = await visit(small.browser, small.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    const services = page.locator('#services');
    const before = await services.innerText();
    await failOnce(page, '/api/v1/services?', 500);
    await refresh(page);
    await expect.poll(() => services.innerText()).toContain('made up');
    await refresh(page);
    await expect.poll(() => services.innerText()).toBe(before);
  });

  test('opens the collectors when one begins to fail, and keeps them closed if the reader closes them', async () => {
    await using visited = await visit(small.browser, small.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    let failing = 0;
    await page.route('**/api/v1/status', async (route) => {
      const { accounts, ...rest } = await (await route.fetch({ headers: {} })).json();
      for (const [index, each] of accounts[0].collectors.entries())
        Object.assign(each, { result: index < failing ? 'failed' : 'ok' });
      await route.fulfill({ json: { ...rest, accounts } });
    });
    const part = page.locator('details[data-key=collectors]');
    const failed = part.locator('summary .bad');
    failing = 1;
    await refresh(page);
    await failed.waitFor();
    expect(await part.getAttribute('open')).toBe('');
    await part.locator('summary').click();
    const before = await failed.innerText();
    failing = 2;
    await refresh(page);
    await expect.poll(() => failed.innerText()).not.toBe(before);
    expect(await part.getAttribute('open')).toBe(null);
  });

  test.each([503, 500])('draws the list of proxies after a first %i of the uptimes', async (status) => {
    await using visited = await visit(small.browser, 'about:blank');
    const { page } = visited;
    await failOnce(page, '/api/v1/uptimes?account=main&id=', status);
    await page.goto(small.url);
    await waitUntilDrawn(page);
    expect(await page.locator('#proxies table').count()).toBe(0);
    await refresh(page);
    await page.locator('#proxies table').waitFor({ timeout: 9_000 });
  });

  test('begins with the first page of a list when the reader chooses another type', async () => {
    await using visited = await visit(small.browser, `${small.url}?account=main&view=users`);
    const { page } = visited;
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26 to 40').waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('mobile');
    await page.getByText('1 to 25', { exact: true }).waitFor({ timeout: 9_000 });
    expect(await page.locator('main').innerText()).not.toContain('error');
  });

  test('begins with the first page of a list when the daemon refuses its cursor', async () => {
    await using visited = await visit(small.browser, `${small.url}?account=main&view=users`);
    const { page } = visited;
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26 to 40').waitFor();
    await page.route(
      (url) => url.pathname === '/api/v1/users' && url.searchParams.has('cursor'),
      (route) => route.fulfill({ status: 400, json: { error: 'cursor: made up' } }),
    );
    await page.reload();
    await page.getByText('1 to 25', { exact: true }).waitFor({ timeout: 9_000 });
  });

  test('shows the type with a forecast, until the reader chooses the other', async () => {
    await using visited = await visit(small.browser, 'about:blank');
    const { page } = visited;
    await page.route(
      (url) => url.pathname.endsWith('/users/user-000003'),
      async (route) => {
        const answer = await route.fetch();
        const { quotas, ...user } = await answer.json();
        quotas.residential.exhausted_at = null;
        quotas.mobile.exhausted_at = new Date(Date.now() + 86_400_000).toISOString();
        // Each answer is another one, so that the page draws it.
        const json = { ...user, quotas, restricted_proxies: Math.random() };
        await route.fulfill({ status: 200, json });
      },
    );
    await page.goto(`${small.url}?account=main&view=user&id=user-000003`);
    const isChosen = (name: string) => page.getByRole('radio', { name, exact: true }).isChecked();
    await expect.poll(() => isChosen('Mobile')).toBe(true);
    await page.getByText('Residential', { exact: true }).first().click();
    const before = await page.locator('#user').innerText();
    await refresh(page);
    await expect.poll(() => page.locator('#user').innerText()).not.toBe(before);
    expect(await isChosen('Residential')).toBe(true);
    await page.reload();
    await page.locator('#user > *').first().waitFor();
    expect(await isChosen('Residential')).toBe(true);
  });

  test('counts the faults that it does not list', async () => {
    await using visited = await visit(small.browser, 'about:blank');
    const { page } = visited;
    await page.route(
      (url) => url.pathname === '/api/v1/alerts/groups',
      (route) => route.fulfill({ json: { evaluated: false, evaluated_at: null, data: [], counts: [] } }),
    );
    await page.route(
      (url) => url.pathname === '/api/v1/faults',
      async (route) => {
        const answer = await (await route.fetch()).json();
        const data = answer.data.filter(({ kind }: { kind: string }) => kind === 'proxy');
        const total_by_kind = { ...answer.total_by_kind, proxy: 2_345 };
        await route.fulfill({ json: { ...answer, data, total_by_kind, next_cursor: 'x' } });
      },
    );
    await page.goto(small.url);
    await page.locator('.headline').getByRole('link', { name: '2,345 proxies are at fault' }).waitFor();
  });

  test('counts the faults of each kind, and names each in its row', async () => {
    await using visited = await visit(small.browser, 'about:blank');
    const { page } = visited;
    const faults = Array.from({ length: 17 }, (_, index) => ({
      ...{ account: 'main', kind: index === 16 ? 'target' : 'proxy', subject: `made-up-${index}` },
      ...{ since: '2026-01-01T00:00:00.000Z', reason: null },
    }));
    await page.route(
      (url) => url.pathname === '/api/v1/alerts/groups',
      async (route) => {
        const answer = await (await route.fetch({ headers: {} })).json();
        await route.fulfill({ json: { ...answer, data: [] } });
      },
    );
    await page.route(
      (url) => url.pathname === '/api/v1/faults',
      async (route) => {
        const limit = Number(new URL(route.request().url()).searchParams.get('limit') ?? 100);
        const total_by_kind = { proxy: 16, access: 0, target: 1, tester: 0, provider: 0 };
        const json = { data: faults.slice(0, limit), total: 17, total_by_kind, freshness: [] };
        await route.fulfill({ json: { ...json, next_cursor: limit < 17 ? 'x' : null } });
      },
    );
    await page.goto(small.url);
    await waitUntilDrawn(page);
    // Without alerts, the sentence comes from the faults.
    expect(await page.locator('.headline').innerText()).toMatch(/16 proxies are at fault.*1 target fails/s);
    const row = page.locator('#alert-list tr', { hasText: 'target fails' });
    expect(await row.innerText()).toContain('made-up-16');
  });

  test.each([
    ['proxy', 'knows no tests of a proxy with this name'],
    ['target', 'knows no tests of a target with this name'],
    ['user', 'knows no proxy user with this id'],
    ['service', 'knows no service with this id'],
    ['alert', 'has no alert of this name'],
  ])('says once that the %s is unknown, and nothing else', async (view, words) => {
    await using visited = await visit(small.browser, `${small.url}?account=main&view=${view}&id=nope`);
    const { page } = visited;
    const cards = page.locator('#content > .card:visible');
    await page.getByText(words).waitFor();
    await waitUntilDrawn(page);
    expect(await cards.count()).toBe(1);
    const text = await page.locator('#content').innerText();
    expect(text.split(words)).toHaveLength(2);
    expect(text).not.toMatch(/reported an error|no test results|no failed|no changes|history has no/);
  });

  test('shows on the page of an alert what it means, and that it is silenced', async () => {
    const { data } = await answerOf<{ data: { alert: string; description: string }[] }>(
      small.url,
      'alerts?limit=1&account=main',
    );
    const { alert = '', description = '' } = data[0] ?? {};
    const silence = { alert, for: '2h', comment: 'moving' };
    const headers = { 'content-type': 'application/json' };
    const post = { method: 'POST', headers, body: JSON.stringify(silence) };
    expect((await fetch(`${small.url}api/v1/silences`, post)).status).toBe(200);
    await using visited = await visit(small.browser, `${small.url}?account=main&view=alert&id=${alert}`);
    const { page } = visited;
    await page.getByText('(moving)').first().waitFor();
    // The first requests also find out whether the daemon has the alert. Later, one request brings all of the card.
    await waitUntilDrawn(page);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await refresh(page);
    await expect.poll(() => requests).toContain('/api/v1/alerts/history');
    expect(requests.filter((path) => path === '/api/v1/alerts/notices')).toHaveLength(1);
    const text = await page.locator('#content').innerText();
    expect(text.split(description)).toHaveLength(2);
    expect(await page.locator('#active-list').innerText()).toContain('Silenced (');
    await page.goto(small.url);
    await expect.poll(() => page.locator('.headline').innerText()).toContain('silenced cause');
  });
});
