// Tests that readers test a proxy, a target and a tester now on the status page: by mouse, keyboard and phone, with the price
// before and the results after.

import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../cli/program.ts';
import { axeFindings, visit } from './browser.ts';
import { type DemoInBrowser, demoInBrowser } from './demo-in-browser.ts';
import { describeWith } from './with-programs.ts';

/** One of the proxies does not answer, so its probes take as long as they may. */
const LONG = { timeout: 100_000 };

describeWith(['chromium'], 'tests now', () => {
  let demo: DemoInBrowser;
  const viewOf = (view: string, id: string) => `${demo.url}?account=demo&view=${view}&id=${id}`;
  const api = () => `${demo.url}/api/v1/accounts/demo/test-now`;
  beforeAll(async () => {
    demo = await demoInBrowser();
    await waitUntil(async () => (await fetch(`${demo.url}/-/ready`)).ok);
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  /** The pages of subjects request more than what is below their address. */
  const isForeign = (problem: string): boolean => !problem.startsWith(`request to ${demo.url}`);
  const dialog = (page: Page) => page.getByRole('dialog');
  const begin = (page: Page) => dialog(page).getByRole('button', { name: 'Test now' });

  test('a click tests a proxy, with the price before and the results after', async () => {
    await using visited = await visit(demo.browser, viewOf('proxy', 'isp-18'));
    const { page, problems } = visited;
    await page.getByRole('button', { name: 'Test now: isp-18' }).click();
    await dialog(page).getByText('Price: 1 test run').waitFor();
    expect(await dialog(page).innerText()).toMatch(
      /8 tests by the provider’s testers, through 1 proxy\. .*\n+2 tests from the machine of proxywatch, through 1 proxy\. They cost nothing\./,
    );
    expect(await axeFindings(page)).toEqual([]);
    await dialog(page).getByText('Command that does the same').click();
    expect(await dialog(page).locator('code').innerText()).toBe(
      `curl -H 'Content-Type: application/json' -d '{"proxy_id":"isp-18"}' ${api()}`,
    );
    await begin(page).click();
    await dialog(page).getByText('0 of 10 tests of the proxy passed.').waitFor(LONG);
    expect(await dialog(page).innerText()).toMatch(
      /proxywatch decides about faults in the rounds of its schedule\. The next one is in /,
    );
    await dialog(page)
      .getByRole('row', { name: /^isp-18 shop .*Failed.* from here/ })
      .waitFor();
    await begin(page).and(page.locator(':enabled')).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await (await fetch(api())).json()).toMatchObject({
      last: { kind: 'proxy', id: 'isp-18', done: 10 },
    });
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    expect(problems.filter(isForeign)).toEqual([]);
  });

  test('the keyboard tests a target', async () => {
    await using visited = await visit(demo.browser, viewOf('target', 'shop'));
    const { page, problems } = visited;
    const button = page.getByRole('button', { name: 'Test now: shop' });
    await button.press('Enter');
    await dialog(page).getByText('160 tests').waitFor();
    await page.keyboard.press('Escape');
    expect(await dialog(page).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Test now');
    await page.keyboard.press('Enter');
    await begin(page).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    // The target fails from time to time.
    await dialog(page)
      .getByText(/^(All|\d+ of) \d+ tests of the target passed\./)
      .waitFor(LONG);
    await dialog(page)
      .getByRole('row', { name: /^isp-10 shop .*(Passed|Failed)/ })
      .waitFor();
    expect(problems.filter(isForeign)).toEqual([]);
  });

  test('a phone tests a tester', async () => {
    await using visited = await visit(
      demo.browser,
      viewOf('tester', 'singapore-1-digitalocean-proxytester-1'),
      {
        ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
      },
    );
    const { page, problems } = visited;
    await page.getByRole('button', { name: 'Test now: singapore' }).tap();
    await dialog(page).getByText('Price: 1 test run').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await begin(page).tap();
    await dialog(page).getByText('tests of the tester passed.').waitFor(LONG);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(problems.filter(isForeign)).toEqual([]);
  });

  test('says what the budget does not allow, and what is in progress, and is off then', async () => {
    await using visited = await visit(demo.browser, viewOf('proxy', 'isp-18'));
    const { page } = visited;
    const refusal = 'max_runs_per_day allows no test now: a test costs 1 test runs, and 0 of 4500 are left';
    const plan = { collector: 'proxy_tests', proxies: 1, left_out: null, tests: 8, price: null, refusal };
    let last: object | null = null;
    await page.route('**/test-now*', (route) =>
      route.fulfill(
        route.request().method() === 'POST'
          ? { status: 409, json: { error: 'other tests are in progress' } }
          : { json: { plans: [plan], last, next_round_at: null } },
      ),
    );
    const open = () => page.getByRole('button', { name: 'Test now: isp-18' }).click();
    const close = () => dialog(page).getByRole('button', { name: 'Close' }).click();
    await open();
    await dialog(page).getByText(refusal).waitFor();
    expect(await begin(page).isDisabled()).toBe(true);
    await close();
    Object.assign(plan, { refusal: null });
    await open();
    await begin(page).click();
    await dialog(page).getByRole('alert').getByText('other tests are in progress').waitFor();
    expect(await begin(page).isEnabled()).toBe(true);
    await close();
    const test = { kind: 'target', id: 'shop', started_at: null, finished_at: null, done: 0, total: 8 };
    last = { ...test, requested_at: '2026-03-01T12:00:00Z', errors: [], results: [] };
    await open();
    await dialog(page).getByText('Tests of the target shop are in progress.').waitFor();
    expect(await begin(page).isDisabled()).toBe(true);
    await close();
    last = null;
    await page.evaluate(`document.body.dataset.actions = 'off'`);
    await open();
    await dialog(page).getByText('8 tests').waitFor();
    expect(await begin(page).isDisabled()).toBe(true);
    expect(await dialog(page).innerText()).toMatch(/cannot change anything[\s\S]*curl -H/);
  });

  test('shows results as they come, asks again after an error, and says that results are lost after a restart', async () => {
    await using visited = await visit(demo.browser, viewOf('proxy', 'isp-18'));
    const { page } = visited;
    const [test, plan] = [
      { kind: 'proxy', id: 'isp-18', requested_at: '2026-03-01T12:00:00Z', started_at: null },
      { collector: 'proxy_tests', proxies: 1, left_out: null, tests: 8, price: null, refusal: null },
    ];
    const running = { ...test, finished_at: null, done: 0, total: 8, errors: [], results: [] };
    const passed = { url: 'shop', tester_server: 'paris', success: true, error: null };
    const results = [{ collector: 'proxy_tests', proxy_id: 'isp-18', ...passed }];
    const begun = { ...running, started_at: '2026-03-01T12:00:01Z', done: 3, results };
    const ended = { ...running, finished_at: '2026-03-01T12:00:04Z', errors: ['no answer'] };
    const plans = (last: object | null) => ({ json: { plans: [plan], last, next_round_at: null } });
    type Given = Parameters<Route['fulfill']>[0];
    const answers: Given[] = [];
    // The page waits for an answer that is not given yet, so that it shows each for as long as the test looks at it.
    let isGiven = Promise.withResolvers<void>();
    const give = (...next: Given[]): void => {
      answers.push(...next);
      isGiven.resolve();
      isGiven = Promise.withResolvers();
    };
    await page.route('**/test-now*', async (route) => {
      while (answers.length === 0) await isGiven.promise;
      await route.fulfill(answers.shift());
    });
    give(plans(running), { status: 503, json: { error: 'busy' } });
    const open = () => page.getByRole('button', { name: 'Test now: isp-18' }).click();
    await open();
    await dialog(page).getByText('busy (the page asks again)').waitFor();
    give(plans(begun));
    await dialog(page).getByText('3 of 8 tests').waitFor();
    await dialog(page)
      .getByRole('row', { name: /^isp-18 shop .*Passed from paris/ })
      .waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await axeFindings(page)).toEqual([]);
    }
    give(plans(ended), plans(ended));
    await dialog(page).getByText('No test has a result.').waitFor();
    expect(await dialog(page).getByRole('alert').innerText()).toBe('');
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    give(plans(running), plans(null), plans(null));
    await open();
    await dialog(page).getByText('The daemon was restarted during the tests').waitFor();
    expect(await begin(page).isEnabled()).toBe(true);
  });

  test('a subject that the account does not test says so', async () => {
    await using visited = await visit(demo.browser, viewOf('proxy', 'unknown-1'));
    const { page } = visited;
    await page.getByRole('button', { name: 'Test now: unknown-1' }).click();
    await dialog(page).getByText('the account demo does not test the proxy "unknown-1"').waitFor();
    expect(await begin(page).isDisabled()).toBe(true);
  });

  test('a page of another origin cannot', async () => {
    const answer = await fetch(api(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://other.example' },
      body: '{"proxy_id":"isp-18"}',
    });
    expect(answer.status).toBe(403);
  });
});
