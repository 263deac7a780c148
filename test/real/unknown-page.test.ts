// Tests the status page of two accounts in a browser: nothing looks good for the account that was never read, and no
// data of one account is shown for the other.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/daemon/app.ts';
import { createView } from '../../src/daemon/http-view.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { addStatusPage } from '../../src/status-page/routes.ts';
import { ALL_COLLECTORS } from '../http/api/api-harness.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { QuickClock } from '../support/harness.ts';
import { axeFindings, openBrowser, visit } from './browser.ts';
import { waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

/** Starts a daemon with an account whose provider returns only errors, and one with users that exceed their quota. */
const startDaemon = async (stack: AsyncDisposableStack): Promise<string> => {
  const clock = new QuickClock(new Date().toISOString());
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const provider = stack.use(await startFakeProvider(() => ({ status: 500, body: { message: 'no' } })));
  const simulator = stack.use(await startSimulator({ scenario: { pace: null }, now: () => clock.now() }));
  const keys = { public_key: 'public-key', private_key: 'private-key', requests_per_second: 1_000_000 };
  const { baseUrl, publicKey, privateKey } = simulator;
  const settings = settingsSchema.parse({
    store: { path: join(folder, 'proxywatch.db') },
    alerts: { evaluate: true },
    accounts: [
      { name: 'unread', base_url: provider.baseUrl, ...keys, ...ALL_COLLECTORS, geography: false },
      {
        ...{ name: 'read', ...keys, base_url: baseUrl, public_key: publicKey, private_key: privateKey },
        // The daemon limits how many runs start at once, so this account has few collectors.
        ...{ traffic: false, residential_ledger: false, reconciliation: false },
      },
    ],
  });
  const common = { clock, log: silentLog };
  const versions = { version: '0.0.0-test', nodeVersion: '24.0.0', isDurable: false };
  const app = stack.use(await createApp({ ...common, ...versions, settings }));
  for (const { jobs } of app.accounts) for (const job of jobs) await app.runner.add(job);
  await app.runner.idle();
  clock.advance(MINUTE / 2);
  app.alerting.tick();
  await app.alerting.idle();
  const view = createView({ app, clock, version: '0.0.0-test' });
  const listen = { host: '127.0.0.1', port: 0 };
  const reload = async () => ({ result: 'no_file' }) as const;
  // On the other clock, requests that wait for their turn would be turned away at once.
  const server = stack.use(
    await startHttpServer({ ...common, clock: systemClock, listen, view, reload, addPage: addStatusPage }),
  );
  return `http://127.0.0.1:${server.address.port}/`;
};

const WIDTHS = [1280, 390];
const SECTIONS = ['traffic-totals', 'quota-list', 'balance-now', 'proxies', 'services', 'quotes', 'products'];

describeWith(['chromium'], 'the page of two accounts', () => {
  const stack = new AsyncDisposableStack();
  let url = '';
  let browser: Browser | undefined;
  beforeAll(async () => {
    [url, browser] = await Promise.all([startDaemon(stack), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack.disposeAsync();
  });

  const at = (width: number) => ({ viewport: { width, height: 900 } });

  test.each(WIDTHS)('shows nothing as good for the account that was never read, at %i px', async (width) => {
    await using visitedPage = await visit(browser as Browser, `${url}?account=unread`, at(width));
    const { page } = visitedPage;
    await waitUntilDrawn(page);
    expect(await page.locator('main .badge.good').count()).toBe(0);
    await page.getByText('Orders and stock').click();
    for (const id of SECTIONS)
      expect(await page.locator(`#${id}`).innerText()).toMatch(/No data yet|No answer yet/);
    expect(await page.locator('.headline').innerText()).toMatch(
      /fire in account read[\s\S]*\b(\d+) of \1 collectors have no current data/,
    );
    expect(await axeFindings(page)).toEqual([]);
    expect(visitedPage.problems.filter((problem) => !problem.startsWith(`request to ${url}`))).toEqual([]);
  });

  test('shows the alerts of the other account only for that account', async () => {
    await using visitedPage = await visit(browser as Browser, `${url}?account=read`);
    const { page } = visitedPage;
    await waitUntilDrawn(page);
    const headline = await page.locator('.headline').innerText();
    expect(headline).toMatch(/[1-9]\d* quotas? /);
    expect(headline).not.toContain('in account');
    expect(await page.locator('#collector-list').innerText()).toContain('✓ OK');
  });

  test.each(WIDTHS)('has no part of what is off, and says how to turn it on, at %i px', async (width) => {
    await using visitedPage = await visit(browser as Browser, `${url}?account=read`, at(width));
    const { page } = visitedPage;
    await waitUntilDrawn(page);
    for (const id of ['traffic', 'balance', 'tests'])
      expect(await page.locator(`#${id}`).count(), id).toBe(0);
    expect(await page.locator('nav.views').innerText()).not.toMatch(/Tested proxies|Failed tests|Services/);
    await page.getByRole('link', { name: 'traffic', exact: true }).click();
    await page.getByText('traffic: {}').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(visitedPage.problems.filter((problem) => !problem.startsWith(`request to ${url}`))).toEqual([]);
  });

  test('shows nothing as good without JavaScript either', async () => {
    await using visitedPage = await visit(browser as Browser, `${url}?account=unread`, {
      javaScriptEnabled: false,
    });
    expect(await visitedPage.page.locator('main .badge.good:visible').count()).toBe(0);
    expect(await visitedPage.page.locator('#collector-list').innerText()).toContain('No data yet');
  });
});
