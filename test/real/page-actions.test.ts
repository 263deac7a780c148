// Tests that readers silence alerts on the status page, take them on, and end silences, by mouse, keyboard and phone, and that
// a page of another origin cannot.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../cli/program.ts';
import { axeFindings, visit } from './browser.ts';
import { type DemoInBrowser, demoInBrowser, textOf } from './demo-in-browser.ts';
import { waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

interface Silence {
  readonly id: string;
  readonly comment: string;
  readonly alert: string | null;
  readonly subject: string | null;
}

const NAME = 'Anna';
/** At some times of the day, others are at fault too. */
const FAULTY = /\d proxies are at fault/;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const WAYS: readonly [string, BrowserContextOptions, (button: Locator) => Promise<void>][] = [
  ['a click', {}, (button) => button.click()],
  ['the keyboard', {}, (button) => button.press('Enter')],
  ['a phone', PHONE, (button) => button.tap()],
];

describeWith(['chromium'], 'the actions of the page', () => {
  let demo: DemoInBrowser;
  const api = () => `${demo.url}/api/v1/silences`;
  const silences = async (): Promise<Silence[]> => {
    const { data } = (await (await fetch(api())).json()) as { data: (Silence & { state: string })[] };
    return data.filter(({ state }) => state === 'active');
  };
  beforeAll(async () => {
    demo = await demoInBrowser();
    await waitUntil(async () => (await fetch(`${demo.url}/-/ready`)).ok);
  });
  afterEach(async () => {
    for (const { id } of await silences()) await fetch(`${api()}/${id}`, { method: 'DELETE' });
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  const row = (page: Page) => page.locator('#alert-list').getByRole('row', { name: FAULTY });
  const dialog = (page: Page) => page.getByRole('dialog');

  test.each(WAYS)('%s silences the subjects of a cause, and ends that', async (_, options, use) => {
    await using visited = await visit(demo.browser, demo.url, options);
    const { page, problems } = visited;
    await waitUntilDrawn(page);
    await use(row(page).getByRole('button', { name: 'Silence' }));
    await dialog(page).getByLabel('Your name').fill(NAME);
    await dialog(page).getByLabel('Reason').fill('the provider replaces them');
    await dialog(page).getByLabel('For').selectOption('1 day');
    await use(dialog(page).getByText('Command that does the same'));
    expect(await axeFindings(page)).toEqual([]);
    expect(await dialog(page).locator('code').innerText()).toContain(
      `proxywatch silence add --account demo --alert ProxyFailing --subject proxy_id=datacenter-5 --for 1d --comment 'Anna: the provider replaces them' --url ${demo.url}/`,
    );
    await use(dialog(page).getByRole('button', { name: 'Silence' }));
    await row(page).getByText('Anna: the provider replaces them, since').waitFor();
    expect(await row(page).innerText()).toContain('– Silenced');
    expect(await textOf(page, '.headline')).toContain('1 silenced cause');
    expect((await silences()).map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['proxy_id=datacenter-5', 'proxy_id=isp-18']),
    );
    await use(row(page).getByRole('button', { name: 'End now' }));
    await row(page).getByRole('button', { name: 'Silence' }).waitFor();
    expect(await silences()).toEqual([]);
    expect(problems).toEqual([]);
  });

  test.each(WAYS)('%s ends the silences in their list, one by one', async (_, options, use) => {
    await using visited = await visit(demo.browser, demo.url, options);
    const { page, problems } = visited;
    await waitUntilDrawn(page);
    await use(row(page).getByRole('button', { name: 'I am on it' }));
    await dialog(page).getByLabel('Your name').fill(NAME);
    expect(await axeFindings(page)).toEqual([]);
    await use(dialog(page).getByRole('button', { name: 'I am on it' }));
    const list = page.locator('#silence-list').getByRole('button', { name: 'End now' });
    await list.first().waitFor();
    for (let left = (await silences()).length; left > 0; left -= 1) {
      await expect.poll(() => list.count()).toBe(left);
      await use(list.first());
    }
    await row(page).getByRole('button', { name: 'I am on it' }).waitFor();
    await expect.poll(silences).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('the keyboard takes a cause on, and the page says who and since when', async () => {
    await using visited = await visit(demo.browser, demo.url);
    const { page, problems } = visited;
    await waitUntilDrawn(page);
    const button = row(page).getByRole('button', { name: 'I am on it' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await dialog(page).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('I am on it');
    await page.keyboard.press('Enter');
    await page.keyboard.type(NAME);
    await page.keyboard.press('Enter');
    await row(page).getByText('Anna is on it, since').waitFor();
    expect(await row(page).innerText()).toContain('In work');
    // The name is remembered.
    await page.reload();
    await page.getByRole('button', { name: 'Silence: ' }).first().press('Enter');
    expect(await dialog(page).getByLabel('Your name').inputValue()).toBe(NAME);
    await page.keyboard.press('Escape');
    const end = page.locator('#silence-list').getByRole('button', { name: 'End now' }).first();
    await page.evaluate(`document.body.dataset.actions = 'off'`);
    await end.press('Enter');
    await page.getByRole('alert').getByText('proxywatch silence remove').waitFor();
    const { length } = await silences();
    await page.evaluate('delete document.body.dataset.actions');
    await end.press('Enter');
    await expect.poll(async () => (await silences()).length).toBe(length - 1);
    expect(problems).toEqual([]);
  });

  test('a phone takes the alert of one subject on', async () => {
    await using visited = await visit(
      demo.browser,
      `${demo.url}?account=demo&view=alert&id=ProxyFailing`,
      PHONE,
    );
    const { page, problems } = visited;
    await page.getByRole('row', { name: 'isp-18' }).getByRole('button', { name: 'I am on it' }).tap();
    await dialog(page).getByLabel('Your name').fill(NAME);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await dialog(page).getByRole('button', { name: 'I am on it' }).tap();
    await page.getByText('(Anna is on it)').waitFor();
    expect(await silences()).toMatchObject([
      { alert: 'ProxyFailing', subject: 'proxy_id=isp-18', comment: 'Anna is on it' },
    ]);
    expect(problems.filter((problem) => !problem.startsWith(`request to ${demo.url}`))).toEqual([]);
  });

  test('the page of a subject silences all its alerts', async () => {
    await using visited = await visit(demo.browser, `${demo.url}?account=demo&view=user&id=user-000000`);
    const { page } = visited;
    await page.getByRole('button', { name: 'Silence: user-000000' }).click();
    await dialog(page).getByLabel('Your name').fill(NAME);
    await dialog(page).getByLabel('Reason').fill('a test user');
    await page.keyboard.press('Enter');
    await expect
      .poll(silences)
      .toMatchObject([{ alert: null, subject: 'proxy_user_id=user-000000', comment: 'Anna: a test user' }]);
  });

  test('shows what the daemon refuses, and the command', async () => {
    await using visited = await visit(demo.browser, demo.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    await page.route('**/api/v1/silences', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 503, json: { error: 'the store is full' } })
        : route.continue(),
    );
    await row(page).getByRole('button', { name: 'I am on it' }).click();
    await dialog(page).getByLabel('Your name').fill(NAME);
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').getByText('the store is full').waitFor();
    await dialog(page).locator('code').waitFor();
  });

  test('a refused subject does not keep the others from being silenced, and is sent again alone', async () => {
    await using visited = await visit(demo.browser, demo.url);
    const { page } = visited;
    await waitUntilDrawn(page);
    const sent: unknown[] = [];
    await page.route('**/api/v1/silences', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const { subject } = route.request().postDataJSON() as Silence;
      const isRefused = subject === 'proxy_id=isp-18' && !sent.includes(subject);
      sent.push(subject);
      return isRefused
        ? route.fulfill({ status: 400, json: { error: 'no alert matches now' } })
        : route.continue();
    });
    await row(page).getByRole('button', { name: 'I am on it' }).click();
    await dialog(page).getByLabel('Your name').fill(NAME);
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').getByText('no alert matches now').waitFor();
    const taken = (await silences()).map(({ subject }) => subject);
    expect(taken).toContain('proxy_id=datacenter-5');
    expect(await dialog(page).locator('code').innerText()).toMatch(/^proxywatch .* proxy_id=isp-18 [^\n]*$/);
    await dialog(page).getByRole('button', { name: 'I am on it' }).click();
    await dialog(page).waitFor({ state: 'hidden' });
    expect(sent).toEqual([...new Set(sent), 'proxy_id=isp-18']);
    expect((await silences()).length).toBe(taken.length + 1);
  });

  test('a page of another origin cannot', async () => {
    const foreign = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Foreign</title>');
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    const { port } = foreign.address() as AddressInfo;
    await using visited = await visit(demo.browser, `http://127.0.0.1:${port}/`);
    const failed: string[] = [];
    visited.page.on('requestfailed', (request) => failed.push(request.method()));
    const testNow = `${demo.url}/api/v1/accounts/demo/test-now`;
    for (const [url, sent] of [
      [api(), { account: 'demo', for: '1h', comment: 'foreign' }],
      [testNow, { proxy_id: 'isp-18' }],
    ] as const)
      for (const type of ['text/plain', 'application/json']) {
        const headers = { 'content-type': type };
        const options = { method: 'POST', body: JSON.stringify(sent), mode: 'no-cors', headers };
        await visited.page.evaluate(`fetch('${url}', ${JSON.stringify(options)}).catch(() => {})`);
      }
    await expect.poll(() => failed.filter((method) => method === 'POST').length).toBe(4);
    expect(await silences()).toEqual([]);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ account: 'demo', for: '1h', comment: 'own' });
    const { id } = (await (await fetch(api(), { method: 'POST', headers, body })).json()) as Silence;
    const end = `fetch('${api()}/${id}', { method: 'DELETE' }).then(({ status }) => status, String)`;
    expect(await visited.page.evaluate(end)).toMatch(/^TypeError/);
    expect(await silences()).toMatchObject([{ id }]);
    expect(await (await fetch(testNow)).json()).toMatchObject({ last: null });
    foreign.close();
  });
});
