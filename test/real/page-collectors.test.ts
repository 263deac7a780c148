// Tests that the page shows what the collectors of an account read, whichever of them are on.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { NO_SERVICE } from '../http/lists/random-app.ts';
import { Harness } from '../support/harness.ts';
import { axeFindings, openBrowser, visit } from './browser.ts';
import { openAt, servePage } from './serve-page.ts';
import { failOnce, refresh } from './views.ts';
import { describeWith } from './with-programs.ts';

const START = '2026-07-05T12:01:30Z';
const OFF = { traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false };
const OFTEN = { schedule: '*/30 * * * *' };
const SIZES = [
  [1280, 800],
  [390, 844],
] as const;

/** Serves the page of a daemon after some hours. */
const serve = async (
  stack: AsyncDisposableStack,
  account: Readonly<Record<string, unknown>>,
  hours: number,
): Promise<{ harness: Harness; url: string; now: number }> => {
  const harness = stack.use(
    await Harness.build({ now: START, account: { ...OFF, ...account }, alerts: { evaluate: true } }),
  );
  for (let hour = 0; hour < hours; hour += 1) await harness.advance(HOUR);
  return { harness, url: await servePage(stack, harness), now: harness.clock.now() };
};

describeWith(['chromium'], 'the page of an account with few collectors', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test.each([
    ['off', 0],
    ['on', 1],
  ])('ranks users in the chosen range with traffic %s', async (_, plots) => {
    await using stack = new AsyncDisposableStack();
    const account = {
      proxy_users: { ...OFTEN, labels_from_metadata: ['team'] },
      ...(plots > 0 && { traffic: OFTEN }),
    };
    const { url, now } = await serve(stack, account, 30);
    for (const size of SIZES) {
      await using visited = await openAt(browser, url, now, size);
      const { page, problems } = visited;
      expect(await page.locator('#traffic').count()).toBe(plots);
      const card = page.locator('section', { has: page.locator('#quotas') });
      await card.locator('summary', { hasText: 'Proxy users with the most bytes' }).click();
      await card.locator('summary', { hasText: 'Use by label' }).click();
      const users = card.getByRole('table', { name: 'Proxy users with the most bytes' }).getByRole('link');
      expect(await users.count()).toBeGreaterThan(1);
      await card.getByRole('rowheader', { name: 'not set' }).waitFor();
      const time = card.locator('#top-users p').last();
      const text = (range: string): Promise<string> =>
        page
          .getByRole('radio', { name: range, exact: true })
          .check({ force: true })
          .then(() => time.innerText());
      await expect
        .poll(() => text('24 h'))
        .toMatch(/^24 known full hours, counted from .*05 18:01 to .*06 18:01\.$/);
      await expect.poll(() => text('30 d')).toContain('Days from 2026-06-06 to 2026-07-06');
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(problems.filter((each) => !each.startsWith(`request to ${url}`))).toEqual([]);
    }
  });

  test.each([
    ['catalog', 'Stock', 'products'],
    ['services', '', 'services'],
  ])('requests and shows nothing but %s if only this collector is on', async (collector, summary, list) => {
    await using stack = new AsyncDisposableStack();
    const { url, now } = await serve(stack, { [collector]: OFTEN }, 1);
    for (const size of SIZES) {
      await using visited = await openAt(browser, url, now, size);
      const { page, problems } = visited;
      const requests = problems.join(' ').match(/(?<=api\/v1\/)(services|quotes|products)/g);
      expect([...new Set(requests)]).toEqual([list]);
      const card = page.locator('section', { has: page.locator('#market') });
      expect(await card.locator('details:not(.fold) summary:visible').allInnerTexts()).toEqual(
        summary === '' ? [] : [summary],
      );
      expect(await card.innerText()).not.toContain('ot monitored');
      expect(await page.locator('.headline').innerText()).not.toContain('not read yet');
      await card.locator(`#${list}`).waitFor();
      expect(await axeFindings(page)).toEqual([]);
    }
  });

  test('groups services by label, and shows values as text', async () => {
    await using stack = new AsyncDisposableStack();
    const services = { ...OFTEN, labels_from_metadata: ['project'] };
    const { harness, url, now } = await serve(stack, { services }, 1);
    const save = (id: string, project: string | null | undefined, inUse: number | null) =>
      harness.app.store.services.save(
        'main',
        {
          ...{ ...NO_SERVICE, id, productType: 'isp', status: 'active', quantity: 10 },
          proxies: inUse === null ? null : { in_use: inUse },
          metadata: project === undefined ? null : { project },
        },
        now,
      );
    const long = `<i>${'x'.repeat(97)}`;
    for (let index = 0; index < 22; index += 1) await save(`s${index}`, `p${index}`, 10);
    for (const [id, inUse] of [
      ['a', 8],
      ['b', null],
    ] as const)
      await save(id, '<b>shop</b>', inUse);
    for (const id of ['c', 'd']) await save(id, long, 10);
    await save('e', null, null);
    await save('f', undefined, 10);
    for (const size of SIZES) {
      await using visited = await openAt(browser, url, now, size);
      const { page } = visited;
      const table = page.getByRole('table', { name: 'Services by project' });
      expect(await table.isVisible()).toBe(false);
      await page.locator('summary', { hasText: 'Services by label' }).click();
      const texts = async (name: string): Promise<string[]> =>
        table
          .getByRole('row')
          .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
          .getByRole('cell')
          .allInnerTexts();
      expect(await texts('<b>shop</b>')).toEqual(['2', '8 of 10, 1 service unknown']);
      expect(await texts(long)).toEqual(['2', '20 of 20']);
      expect(await texts('and 4 more')).toEqual(['4', '40 of 40']);
      expect(await texts('not set')).toEqual(['1', '1 service unknown']);
      expect(await texts('unknown')).toEqual(['1', '10 of 10']);
      expect(await table.getByRole('rowheader').count()).toBe(23);
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    }
  });

  test('marks old services by label, and shows an error of their first request', async () => {
    await using stack = new AsyncDisposableStack();
    const services = { ...OFTEN, labels_from_metadata: ['project'] };
    const { harness, url, now } = await serve(stack, { services }, 1);
    await harness.app.store.services.save(
      'main',
      { ...NO_SERVICE, id: 'a', status: 'active', metadata: { project: 'shop' } },
      now,
    );
    await using visited = await visit(browser, 'about:blank');
    const { page } = visited;
    await failOnce(page, '/api/v1/services/summary', 500);
    await page.goto(url);
    const labels = page.locator('#service-labels');
    await labels.locator('summary').click();
    await labels.getByText('made up').waitFor();
    harness.simulator.faults.add({ kind: 'status', status: 503 });
    for (let hour = 0; hour < 4; hour += 1) await harness.advance(HOUR);
    await refresh(page);
    await labels.getByText('Stale').waitFor();
    await labels.getByRole('rowheader', { name: 'shop' }).waitFor();
  });

  test('says that a subject is not monitored if its collector is off, and how to turn it on', async () => {
    await using stack = new AsyncDisposableStack();
    const { url, now } = await serve(stack, { catalog: OFTEN, services: OFTEN }, 0);
    const tests = 'Neither proxy_tests nor probes is on for this account. How to turn one on';
    const views = {
      user: 'The proxy_users collector is off for this account. How to turn it on',
      ...{ proxy: tests, target: tests, tester: tests },
    };
    for (const [index, [view, text]] of Object.entries(views).entries()) {
      const size = SIZES[index % 2] ?? SIZES[0];
      await using visited = await openAt(browser, `${url}?account=main&view=${view}&id=x`, now, size);
      const { page } = visited;
      const shown = page.locator('.card:visible');
      expect(await shown.count()).toBe(1);
      expect(await shown.innerText()).toMatch(new RegExp(`– Not monitored ${text}$`));
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('link', { name: 'How to turn' }).click();
      const [, collector] = /(proxy_\w+)/.exec(text) ?? [];
      await page.getByText(`${collector}: {`).waitFor();
    }
    await using known = await openAt(browser, `${url}?account=main&view=service&id=x`, now, SIZES[0]);
    await known.page.getByText('proxywatch knows no service with this id.').waitFor();
    expect(await known.page.getByText('off for this account').count()).toBe(0);
  });

  test('says that a service is not monitored if its collector is off', async () => {
    await using stack = new AsyncDisposableStack();
    const { url, now } = await serve(stack, { proxy_users: OFTEN }, 0);
    await using visited = await openAt(browser, `${url}?account=main&view=service&id=x`, now, SIZES[0]);
    await visited.page.getByText('The services collector is off for this account.').waitFor();
  });
});
